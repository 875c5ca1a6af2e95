"""Takes the name of a topic apart: a page on it is near every part (新能源汽车: 新能源 and 汽车), a near miss often near one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.text.background import idf
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.word_parts import chinese_parts
from topicspider.text.word_table import english

if TYPE_CHECKING:
    from topicspider.text.vectors import Floats, WordVectors
    from topicspider.topic.profile import Topic

# A part that is commoner says little of the topic (行业, 技术, 发展): pages need not be near it
_COMMON = 5.0
# From this cosine on the name means what its parts mean together: 新能源汽车 .88, 人工智能 .78; not 互联网 .53, 社会主义 .47
_OF_ITS_PARTS = 0.6


def is_name_alone(topic: Topic) -> bool:
    """Whether nothing but a title says what the topic is."""
    return not topic.terms and not topic.texts


def part_vectors(topic: Topic, table: WordVectors) -> list[Floats]:
    """Where the parts of a name alone stand among the word vectors.

    [] for a topic with terms or texts, for a name of one word, and for one that means something else than its parts. Of titles in several
    languages the first is taken apart: the others say the same.
    """
    from topicspider.text.vectors import unit

    if not is_name_alone(topic):
        return []
    name = normalise(next(iter(topic.title.values()), ""))
    words = [word for word in _words(name, table) if idf(word) >= _COMMON]
    vectors = [vector for word in words if (vector := table.vector(word)) is not None]
    if len(vectors) < 2:
        return []
    together = unit(sum(vectors[1:], vectors[0]))
    whole = table.vector(name) if table.has(name) else together
    return vectors if whole is not None and float(whole @ together) >= _OF_ITS_PARTS else []


def _words(name: str, table: WordVectors) -> list[str]:
    """The words that ``name`` consists of; [] when a piece of it is none (互联网: 互联, 网)."""
    words: list[str] = []
    for piece in name.split():
        words += chinese_parts(piece, table) if has_cjk(piece) else [piece]
    return words if all(_is_word(word, table) for word in words) else []


def _is_word(word: str, table: WordVectors) -> bool:
    return table.has(word) and (len(word) > 1 if has_cjk(word) else word in english())
