"""Tables of words in memory-mapped cache files: all processes of a machine share one copy in memory, and none reads it at its start.

A table holds the sorted 64-bit fingerprints of the words, and a number for each; a look-up is a binary search of 2 µs. Among 400,000
words, two share a fingerprint with a probability of 4e-9. Looking up many words together takes a third of the time per word.
"""

from __future__ import annotations

import mmap
import sys
from array import array
from bisect import bisect_left
from contextlib import suppress
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Generic, TypeVar

from topicspider.files import atomic_write, cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

_REMEMBERED = 20_000
Number = TypeVar("Number", int, float)


def mapped(kind: str, source: object, make: Callable[[], bytes]) -> memoryview:
    """``make()``, or its cached result for an equal ``source``, memory-mapped; if no file can be written, in this process's memory."""
    name = sha256(repr((sys.byteorder, source)).encode()).hexdigest()[:32]
    path = cache_folder("words") / f"{kind}-{name}.bin"
    with suppress(OSError, ValueError):  # ValueError: an empty file
        return _map(path)
    made = make()
    with suppress(OSError, ValueError):
        atomic_write(path, made)
        return _map(path)
    return memoryview(made)


def _map(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class WordTable(Generic[Number]):
    """A read-only mapping of words to numbers, of the array type code ``kind`` (d, B, I)."""

    def __init__(self, packed: memoryview, kind: str) -> None:
        count = len(packed) // (8 + array(kind).itemsize)
        self._keys = packed[: 8 * count].cast("Q")
        self._values: Sequence[Number] = packed[8 * count :].cast(kind)  # type: ignore[call-overload]

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) is not None

    def __getitem__(self, word: str) -> Number:
        found = self.get(word)
        if found is None:
            raise KeyError(word)
        return found

    def get(self, word: str, default: Number | None = None) -> Number | None:
        """The number of ``word``, or ``default``."""
        key = int.from_bytes(_DIGESTS[word], "big")
        place = bisect_left(self._keys, key)
        if place < len(self._keys) and self._keys[place] == key:
            return self._values[place]
        return default

    def some(self, words: Collection[str]) -> list[Number | None]:
        """For each of ``words`` its number, or None."""
        if len(words) < 8:  # not worth the calls
            return list(map(self.get, words))
        import numpy as np

        wanted = np.frombuffer(word_digests(words), ">u8").astype(np.uint64)
        keys, values = np.asarray(self._keys), np.asarray(self._values)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        is_known = (keys[places] == wanted).tolist()
        return [value if known else None for value, known in zip(values[places].tolist(), is_known, strict=True)]


def packed_table(values: Mapping[str, float], kind: str) -> bytes:
    """``values`` in the form that ``WordTable`` reads."""
    rows = sorted((int.from_bytes(_DIGESTS[word], "big"), value) for word, value in values.items())
    return array("Q", [key for key, _ in rows]).tobytes() + array(kind, [value for _, value in rows]).tobytes()


class _Digests(dict[str, bytes]):
    """A cache of words' digests, up to a bound; it takes half the time of lru_cache."""

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _REMEMBERED:
            self.clear()
        self[word] = digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return digest


_DIGESTS = _Digests()


def word_digests(words: Iterable[str]) -> bytes:
    """The 8-byte BLAKE2b digests of ``words``, concatenated."""
    return b"".join(map(_DIGESTS.__getitem__, words))
