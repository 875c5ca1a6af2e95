"""Which pages are copies of one another: near-duplicates by simhash, found without comparing every pair.

Two pages are copies when their simhashes differ in at most LIMIT of 64 bits: fewer than the 8 (near_duplicate.NEAR) by which a single page
is compared, because groups chain and large webs have millions of pairs. Of 1,006 recorded pages of three topics, the 10 pairs within 8 bits
are all copies (half of their runs of three words and more), 7 of them are within 6, and 5 within 3. Of 258 articles of a made web all 7
copies are within 4 bits, and 8 is where the first different ones come near. Caution is cheap here: a copy that is missed counts twice
for every policy alike, while two different pages joined take a find away from whoever fetched both.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LIMIT = 6
_BITS = 64
_BLOCK = 256  # rows compared at once
_MASK = (1 << _BITS) - 1
_BANDS = LIMIT + 1
_EDGES = [(start, (1 << (end - start)) - 1) for start, end in pairwise(_BITS * i // _BANDS for i in range(_BANDS + 1))]


class DuplicateIndex:
    """Simhashes seen so far; tells which of them a new one is a copy of.

    Two hashes that differ in at most LIMIT bits agree in at least one of LIMIT + 1 bands of bits, so only those are
    compared. 0 (a page too short to tell) is a copy of nothing.
    """

    def __init__(self) -> None:
        self._bands: list[dict[int, list[int]]] = [{} for _ in range(_BANDS)]
        self._seen: set[int] = set()

    def duplicates_of(self, simhash: int) -> list[int]:
        """The distinct hashes added earlier (as unsigned numbers) that ``simhash`` is within LIMIT bits of, sorted."""
        if not simhash:
            return []
        value = simhash & _MASK
        found = {value} & self._seen
        for band, part in zip(self._bands, _parts(value), strict=True):
            found.update(other for other in band.get(part, ()) if (other ^ value).bit_count() <= LIMIT)
        return sorted(found)

    def add(self, simhash: int) -> None:
        """Remember ``simhash``; again is once."""
        value = simhash & _MASK
        if not value or value in self._seen:
            return
        self._seen.add(value)
        for band, part in zip(self._bands, _parts(value), strict=True):
            band.setdefault(part, []).append(value)


def duplicate_groups(simhashes: Sequence[int]) -> list[int]:
    """For each page the number of its group: pages joined by a chain of copies are one group; numbers count from 0.

    Numbers follow the first page of each group, and which pages are together does not depend on their order. 1 s for 50,000 pages.
    """
    values = [simhash & _MASK for simhash in simhashes]
    leader = {value: value for value in values if value}
    for one, other in _pairs(np.fromiter(leader, dtype=np.uint64, count=len(leader))):
        leader[_root(leader, other)] = _root(leader, one)
    numbers: dict[tuple[bool, int], int] = {}
    groups = []
    for position, value in enumerate(values):
        key = (True, _root(leader, value)) if value else (False, position)
        groups.append(numbers.setdefault(key, len(numbers)))
    return groups


def _pairs(values: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """Every two of the distinct ``values`` within LIMIT bits, some more than once: compared where they share a band."""
    for start, ones in _EDGES:
        bands = (values >> np.uint64(start)) & np.uint64(ones)
        order = np.argsort(bands, kind="stable")
        edges = np.flatnonzero(np.diff(bands[order])) + 1
        for alike in np.split(values[order], edges):
            yield from _near(alike)


def _near(values: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """Every two of ``values`` within LIMIT bits; in blocks, so that memory stays small."""
    for first in range(0, len(values), _BLOCK):
        block = values[first : first + _BLOCK]
        rest = values[first:]
        is_near = np.bitwise_count(block[:, None] ^ rest[None, :]) <= LIMIT
        for row, column in np.argwhere(np.triu(is_near, 1)):
            yield int(block[row]), int(rest[column])


def _root(leader: dict[int, int], value: int) -> int:
    while leader[value] != value:
        leader[value] = leader[leader[value]]
        value = leader[value]
    return value


def _parts(value: int) -> list[int]:
    return [(value >> start) & ones for start, ones in _EDGES]
