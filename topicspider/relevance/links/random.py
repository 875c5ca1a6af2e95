"""Random order, the same for the same seed whatever the order of arrival."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class RandomPolicy:
    """A baseline: the value is a hash of the fingerprint, keyed by the seed, in [0, 1); prunes nothing."""

    name: str = "random"

    def __init__(self, setup: LinkSetup) -> None:
        self._key = (setup.seed % (1 << 64)).to_bytes(8, "big")

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        return [LinkScore(self._draw(fingerprint)) for fingerprint, _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: a link's number never changes."""
        return ()

    def _draw(self, fingerprint: int) -> float:
        digest = blake2b(fingerprint.to_bytes(8, "big", signed=True), digest_size=8, key=self._key).digest()
        return (int.from_bytes(digest, "big") >> 11) / (1 << 53)
