"""Remembers which links a site repeats from page to page: its menus."""

from __future__ import annotations

from hashlib import blake2b

GENERATION = 100_000


class RepeatedLinks:
    """Whether a (site, target, anchor) was seen before on another page; bounded to two generations.

    When a generation is full it becomes the old one, and what stood in the old one only is forgotten:
    a menu is seen again at once, so it stays.
    """

    def __init__(self, generation: int = GENERATION) -> None:
        self._size = generation
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def __len__(self) -> int:
        """How many links are remembered, those of both generations counted twice."""
        return len(self._young) + len(self._old)

    def is_repeated(self, site: str, page: int, target: int, anchor: str) -> bool:
        """True when the link stood on another page of ``site`` already; notes it as seen on ``page``."""
        key = _key(site, target, anchor)
        first_page = self._young.get(key)
        if first_page is None:
            first_page = self._old.get(key, page)
            self._note(key, first_page)
        return first_page != page

    def _note(self, key: int, page: int) -> None:
        if len(self._young) >= self._size:
            self._old, self._young = self._young, {}
        self._young[key] = page


def _key(site: str, target: int, anchor: str) -> int:
    text = f"{site}\0{target}\0{anchor}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)
