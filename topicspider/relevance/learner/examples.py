"""Remembers what was known of a link when its page came and what came of it: the examples that a fit learns from."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from topicspider.relevance.learner.fit import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MOST_HITS, MOST_OTHERS = 2_500, 2_500
"""The latest of each are kept: on a rare topic the hits of the whole crawl."""
MOST_WORDS = 4_000
STEP = 200
"""Examples looked at again at once: a millisecond or two."""
BEST_LINKS = 20
"""Of a page's new links so many of the best tell what it leads to."""


@dataclass(slots=True)
class Example:
    """One page that came: its ``numbers`` and ``words`` as a link, ``outcome`` in [0, 1], and the best ``children`` it led to.

    ``said``: numbers and words as text (see example_lines).
    """

    numbers: tuple[float, ...]
    words: tuple[tuple[str, ...], ...]
    outcome: float
    children: tuple[int, ...] = ()
    said: str = ""


def worth_of(values: Iterable[float]) -> float:
    """What a page is worth for where it leads: the best mean of its k best links, the page itself counted as one miss.

    Gittins' index of a page that is no hit: a list whose ten new links are worth .6 each is worth 6 / 11, more than any single link
    of .5 and less than one of .6.
    """
    best = total = 0.0
    for place, value in enumerate(sorted(values, reverse=True), 2):
        total += value
        best = max(best, total / place)
    return min(1.0, best)


class Examples:
    """The latest MOST_HITS pages of an outcome above one half, and the latest MOST_OTHERS of the rest."""

    def __init__(self) -> None:
        self._hits: deque[Example] = deque(maxlen=MOST_HITS)
        self._others: deque[Example] = deque(maxlen=MOST_OTHERS)

    def __len__(self) -> int:
        return len(self._hits) + len(self._others)

    def add(self, example: Example) -> None:
        """One more; a hit has no children, for it is worth 1 wherever it leads."""
        (self._hits if example.outcome >= 1.0 else self._others).append(example)

    def look_again(self, value_of: Callable[[int], float | None], gamma: float = 1.0) -> Iterator[None]:
        """What pages led to is known better now: ``value_of`` a child is its outcome, or what it is thought worth, or None when it is gone.

        Some at a time: each step looks at STEP examples.
        """
        for number, example in enumerate(list(self._others), 1):
            if example.children:
                values = [value for child in example.children if (value := value_of(child)) is not None]
                example.outcome = gamma * worth_of(values)
            if number % STEP == 0:
                yield

    def chosen(self) -> list[Example]:
        """All, in the order of their coming among hits and among others."""
        return [*self._hits, *self._others]

    def newest(self) -> Iterator[Example]:
        """All, the newest first, by turns a hit and another."""
        pairs = zip_longest(reversed(self._hits), reversed(self._others))
        return (one for pair in pairs for one in pair if one is not None)


def sample_of(examples: Sequence[Example], outcomes: Sequence[float], prior: Sequence[float]) -> Sample:
    """The examples as a fit takes them; words that stand in one example alone say nothing about others."""
    import numpy as np  # here: who only names the policies needs none

    counts = Counter(word for example in examples for words in example.words for word in words)
    vocabulary = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
    del vocabulary[MOST_WORDS:]
    place = {word: number for number, word in enumerate(vocabulary)}
    rows: list[int] = []
    columns: list[int] = []
    for row, example in enumerate(examples):
        found = [place[word] for words in example.words for word in words if word in place]
        columns += found
        rows += [row] * len(found)
    numbers = np.array([example.numbers for example in examples])
    return Sample(
        numbers,
        np.array(rows, np.int32),
        np.array(columns, np.int32),
        numbers @ np.array(prior),
        np.array(outcomes),
        vocabulary,
    )
