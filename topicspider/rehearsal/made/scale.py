"""How large a made web is, and the numbers that are drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from topicspider.errors import ConfigError

PAGES, HOSTS = 80_000, 800
PAGES_PER_HOST = PAGES // HOSTS
FEWEST_PAGES_PER_HOST = 72  # so that the smallest host has every kind of page
_ALLOWED = {
    "pages": "a whole number from 216 to 1e15",
    "hosts": f"a whole number from 3, and at least {FEWEST_PAGES_PER_HOST} pages a host",
    "seed": "a whole number from 0",
}
_MOST = {"pages": 10**15, "hosts": 10**13, "seed": 2**63}


@dataclass(frozen=True, slots=True)
class Scale:
    """``pages`` over ``hosts``; ``seed`` decides everything that is drawn."""

    pages: int = PAGES
    hosts: int = HOSTS
    seed: int = 1

    @classmethod
    def read(cls, text: str) -> Scale:
        """``pages=50000,seed=7,hosts=200``, each of them optional; raises ConfigError."""
        given: dict[str, int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, value = part.partition("=")
            if name not in _ALLOWED or name in given:
                raise ConfigError("made web", part, "pages=N, hosts=N, seed=N, joined by commas, each once")
            given[name] = _whole(name, value)
        pages = given.get("pages", given.get("hosts", HOSTS) * PAGES_PER_HOST if "hosts" in given else PAGES)
        hosts = given.get("hosts", max(3, min(pages // PAGES_PER_HOST, 10**6)))
        if pages < 216:
            raise ConfigError("made web: pages", pages, _ALLOWED["pages"])
        if hosts < 3 or pages < hosts * FEWEST_PAGES_PER_HOST:
            raise ConfigError("made web: hosts", hosts, _ALLOWED["hosts"])
        return cls(pages, hosts, given.get("seed", 1))

    def number(self, *key: object) -> int:
        """64 bits that depend on the seed and ``key`` only, in every process and on every machine."""
        text = "\x1f".join(map(str, (self.seed, *key)))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())

    def unit(self, *key: object) -> float:
        """The same as a number in [0, 1)."""
        return (self.number(*key) >> 11) / (1 << 53)


def _whole(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value[:20]) <= _MOST[name]):
        raise ConfigError(f"made web: {name}", value, _ALLOWED[name])
    return int(value)
