"""What a crawl's own pages teach of anchors: in which direction among the word vectors the titles of pages on topic lie."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

REMEMBERED = 1_000
"""The latest titles of hits, and of other pages."""
FEWEST = 5
HALF_TRUST = 30.0
"""With so many titles of the rarer kind a direction counts half."""
_PENALTY = 1.0
SCALE = 127.0
"""A meaning is a vector of length 1 in bytes: SCALE is 1."""


class TitleDirection(NamedTuple):
    """gain(v) = trust · (weights · v - mean): v is what an anchor means, ``mean`` the average of weights · v over the titles."""

    weights: NDArray[np.float32] | None = None
    mean: float = 0.0
    trust: float = 0.0

    def gain(self, meaning: bytes) -> float:
        """Log-odds that a link has for what its anchor means; 0 where that is not known."""
        if self.weights is None or not meaning:
            return 0.0
        import numpy as np  # here: who only names the policies needs none

        along = float(np.frombuffer(meaning, np.int8) @ self.weights) / SCALE - self.mean
        return round(self.trust * along, 6)

    def state(self) -> dict[str, Any]:
        """As plain data."""
        weights = [] if self.weights is None else self.weights.astype(float).round(4).tolist()
        return {"weights": weights, "mean": self.mean, "trust": self.trust}

    @classmethod
    def read(cls, state: Mapping[str, Any]) -> TitleDirection:
        """What ``state`` gave; KeyError, TypeError or ValueError for anything else."""
        import numpy as np

        from topicspider.text.lexicon import word_vectors

        numbers = [float(weight) for weight in state["weights"]]
        mean, trust = float(state["mean"]), float(state["trust"])
        if not all(map(math.isfinite, (*numbers, mean))) or not 0.0 <= trust < 1.0:
            raise ValueError("a direction out of its range")
        if numbers and len(numbers) != word_vectors().dimension:
            raise ValueError("a direction among other word vectors")
        return cls(np.array(numbers, dtype=np.float32) if numbers else None, mean, trust)


class LatestTitles:
    """What the latest titles mean, of pages on topic and of others."""

    def __init__(self) -> None:
        self._of: tuple[deque[bytes], deque[bytes]] = deque(maxlen=REMEMBERED), deque(maxlen=REMEMBERED)

    def add(self, meaning: bytes, *, is_hit: bool) -> None:
        """A page was judged whose title means this."""
        if meaning:
            self._of[is_hit].append(meaning)

    def of_misses_and_hits(self) -> tuple[list[bytes], list[bytes]]:
        """As they are now: a fit runs in a thread."""
        return list(self._of[0]), list(self._of[1])


def direction_of(misses: Sequence[bytes], hits: Sequence[bytes]) -> TitleDirection:
    """A logistic regression of hit or not on what titles mean; none while there are few of either kind."""
    fewest = min(len(hits), len(misses))
    if fewest < FEWEST:
        return TitleDirection()
    import numpy as np

    from topicspider.relevance.logistic import fit_logistic

    rows = np.array([np.frombuffer(meaning, np.int8) for meaning in (*misses, *hits)], dtype=np.float32) / SCALE
    targets = np.repeat([0.0, 1.0], [len(misses), len(hits)])
    _, weights = fit_logistic(rows, targets, penalty=_PENALTY)
    rounded = weights.round(4).astype(np.float32)
    return TitleDirection(rounded, round(float((rows @ rounded).mean()), 6), round(fewest / (fewest + HALF_TRUST), 6))
