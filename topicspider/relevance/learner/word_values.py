"""The words of a page with a number each, in a quarter of a dict's memory: a learner remembers many pages."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class WordValues(NamedTuple):
    """``words``, each once, and as many ``values``."""

    words: tuple[str, ...]
    values: array[float]

    @classmethod
    def of(cls, values: Mapping[str, float]) -> WordValues:
        """What a mapping has, in its order."""
        return cls(tuple(values), array("d", values.values()))

    def pairs(self) -> Iterator[tuple[str, float]]:
        """Each word with its number."""
        return zip(self.words, self.values, strict=True)
