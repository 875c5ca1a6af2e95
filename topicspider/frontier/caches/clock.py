"""CLOCK, (e) Broder 2003: a hand goes round, takes the marks of used URLs off, and drops the first one without."""

from __future__ import annotations


class ClockCache:
    """See UrlCache. Nearly LRU, but a use sets one mark and moves nothing.

    A newcomer is marked: it came because it was asked for.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._places: dict[int, int] = {}
        self._circle: list[int] = []
        self._marks = bytearray()
        self._hand = 0

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache."""
        place = self._places.get(fingerprint)
        if place is None:
            return False
        self._marks[place] = 1
        return True

    def add(self, fingerprint: int) -> None:
        """See UrlCache."""
        if self.seen(fingerprint):
            return
        if len(self._circle) < self.capacity:
            self._places[fingerprint] = len(self._circle)
            self._circle.append(fingerprint)
            self._marks.append(1)
            return
        place = self._unmarked()
        del self._places[self._circle[place]]
        self._places[fingerprint] = place
        self._circle[place] = fingerprint
        self._marks[place] = 1

    def _unmarked(self) -> int:
        """The first place without a mark from the hand on; the hand stops behind it."""
        place = self._marks.find(0, self._hand)
        if place < 0:
            self._unmark(self._hand, self.capacity)
            self._hand = 0
            place = self._marks.find(0)  # at the latest where the hand began
        self._unmark(self._hand, place)
        self._hand = (place + 1) % self.capacity
        return place

    def _unmark(self, start: int, end: int) -> None:
        self._marks[start:end] = bytes(end - start)

    def __len__(self) -> int:
        return len(self._circle)
