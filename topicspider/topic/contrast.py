"""What a topic is not: where other topics lie among the word vectors, so that a page on one of those is not taken for the topic's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.text.normalise import normalise
from topicspider.topic.expanding import Anchor, query_vector, word_vector
from topicspider.topic.loading import read_file
from topicspider.topic.places import shipped_dirs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from topicspider.text.vectors import WordVectors

    Floats = NDArray[np.float32]

# By name, not by what lies in the folder: every node must contrast alike, whatever topics its user has added
NAMES = (
    "agriculture",
    "cars",
    "culture",
    "education",
    "environment",
    "finance",
    "food",
    "health",
    "real_estate",
    "sport",
    "technology",
    "tourism",
)
SAME = 0.6
"""From this cosine on another topic is the topic itself, or part of it; the twelve have at most .31 with each other."""
_DECIMALS = 4


def other_directions(own: Floats, table: WordVectors) -> tuple[tuple[float, ...], ...]:
    """The directions of the topics that come with topicspider, without those that are ``own``, each freed of its part along ``own``."""
    others = []
    for direction in _directions(table):
        common = float(direction @ own)
        if common < SAME:
            others.append(tuple(round(float(number), _DECIMALS) for number in direction - common * own))
    return tuple(others)


def _directions(table: WordVectors) -> Sequence[Floats]:
    """By the terms of their files alone: what sample texts would add moves none by more than a cosine of .997."""
    found = []
    for name in NAMES:
        files = [file for folder in shipped_dirs() if (file := folder.joinpath(f"{name}.yaml")).is_file()]
        terms = read_file(files[0])[0].terms if files else {}
        words = {normalise(term): weight for term, weight in terms.items()}
        vectors = {word: word_vector(word, table) for word in words}
        query = query_vector([Anchor(w, words[w], vector) for w, vector in vectors.items() if vector is not None])
        if query is not None:
            found.append(query)
    return found
