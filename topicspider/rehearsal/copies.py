"""Which pages are copies of one another: near-duplicates by simhash, found without comparing every pair.

Two pages are copies when their simhashes differ in at most LIMIT of 64 bits. Manku, Jain and Das Sarma (WWW 2007) chose 3 for a
crawler's web pages; 8 bits find nine of ten reworked copies, but then also join different short pages that share a template. Here the
cautious limit is right: a copy that is missed counts twice for every policy alike, while two different pages joined take
a find away from whoever fetched both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 3
_BITS = 64
_MASK = (1 << _BITS) - 1


class CopyIndex:
    """Simhashes seen so far; tells which of them a new one is a copy of.

    Two hashes that differ in at most LIMIT bits agree in at least one of LIMIT + 1 bands of bits, so only those are
    compared. 0 (a page too short to tell) is a copy of nothing.
    """

    def __init__(self) -> None:
        self._bands: list[dict[int, list[int]]] = [{} for _ in range(LIMIT + 1)]
        self._seen: set[int] = set()

    def copies_of(self, simhash: int) -> list[int]:
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


def groups_of(simhashes: Sequence[int]) -> list[int]:
    """For each page the number of its group: pages joined by a chain of copies are one group; numbers count from 0.

    Numbers follow the first page of each group, and which pages are together does not depend on their order.
    """
    index, leader = CopyIndex(), dict[int, int]()
    for simhash in simhashes:
        value = simhash & _MASK
        if not value or value in leader:
            continue
        leader[value] = value
        for other in index.copies_of(value):
            leader[_root(leader, other)] = _root(leader, value)
        index.add(value)
    numbers: dict[tuple[bool, int], int] = {}
    groups = []
    for position, simhash in enumerate(simhashes):
        value = simhash & _MASK
        key = (True, _root(leader, value)) if value else (False, position)
        groups.append(numbers.setdefault(key, len(numbers)))
    return groups


def _root(leader: dict[int, int], value: int) -> int:
    while leader[value] != value:
        leader[value] = leader[leader[value]]
        value = leader[value]
    return value


def _parts(value: int) -> list[int]:
    width = _BITS // (LIMIT + 1)
    return [(value >> shift) & ((1 << width) - 1) for shift in range(0, _BITS, width)]
