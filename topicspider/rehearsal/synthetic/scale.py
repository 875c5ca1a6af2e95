"""How large a made web is, and the numbers that are drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from topicspider.errors import ConfigError
from topicspider.rehearsal.synthetic.vocabulary import CHINESE

PAGES, HOSTS = 80_000, 800
PAGES_PER_HOST = PAGES // HOSTS
FEWEST_PAGES_PER_HOST = 72  # so that the smallest host has every kind of page
MOST_DEALT_HOSTS = 100_000  # each of them has a card when the hosts of a topic are counted; else a hundred cards are dealt over and over
_ALLOWED = {
    "pages": "a whole number from 216 to 1e15",
    "hosts": f"a whole number from 3, and at least {FEWEST_PAGES_PER_HOST} pages a host",
    "seed": "a whole number from 0",
    "topic": ", ".join(CHINESE),
    "topic_hosts": "a whole number from 1 to the number of hosts",
}
_MOST = {"pages": 10**15, "hosts": 10**13, "seed": 2**63, "topic_hosts": MOST_DEALT_HOSTS}
_OPTIONS = "pages=N, hosts=N, seed=N, topic=NAME with topic_hosts=N, joined by commas, each once"


@dataclass(frozen=True, slots=True)
class Scale:
    """``pages`` over ``hosts``; ``seed`` decides everything that is drawn.

    ``topic_hosts`` of the hosts are mainly on ``topic``, all others on other topics; 0: as the shares of topics have it.
    """

    pages: int = PAGES
    hosts: int = HOSTS
    seed: int = 1
    topic: str = ""
    topic_hosts: int = 0

    @classmethod
    def read(cls, text: str) -> Scale:
        """``pages=24000,seed=7,hosts=80,topic=tourism,topic_hosts=20``, each of them optional; raises ConfigError."""
        parts = _parts(text)
        topic = parts.pop("topic", "")
        given = {name: _whole(name, value) for name, value in parts.items()}
        pages = given.get("pages", given.get("hosts", HOSTS) * PAGES_PER_HOST if "hosts" in given else PAGES)
        hosts = given.get("hosts", max(3, min(pages // PAGES_PER_HOST, 10**6)))
        if pages < 216:
            raise ConfigError("made web: pages", pages, _ALLOWED["pages"])
        if hosts < 3 or pages < hosts * FEWEST_PAGES_PER_HOST:
            raise ConfigError("made web: hosts", hosts, _ALLOWED["hosts"])
        _check_topic(topic, given.get("topic_hosts"), hosts)
        return cls(pages, hosts, given.get("seed", 1), topic, given.get("topic_hosts", 0))

    def number(self, *key: object) -> int:
        """64 bits that depend on the seed and ``key`` only, in every process and on every machine."""
        text = "\x1f".join(map(str, (self.seed, *key)))
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())

    def unit(self, *key: object) -> float:
        """The same as a number in [0, 1)."""
        return (self.number(*key) >> 11) / (1 << 53)


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in _ALLOWED or name in parts:
            raise ConfigError("made web", part, _OPTIONS)
        parts[name] = value
    if "topic" in parts and parts["topic"] not in CHINESE:
        raise ConfigError("made web: topic", parts["topic"], _ALLOWED["topic"])
    return parts


def _check_topic(topic: str, topic_hosts: int | None, hosts: int) -> None:
    if (topic_hosts is None) != (not topic):
        raise ConfigError("made web", topic or topic_hosts, "topic=NAME and topic_hosts=N, both or neither")
    if topic_hosts is None:
        return
    if not 1 <= topic_hosts <= hosts:
        raise ConfigError("made web: topic_hosts", topic_hosts, _ALLOWED["topic_hosts"])
    if hosts > MOST_DEALT_HOSTS:
        raise ConfigError("made web: hosts", hosts, f"at most {MOST_DEALT_HOSTS} when topic_hosts is given")


def _whole(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value[:20]) <= _MOST[name]):
        raise ConfigError(f"made web: {name}", value, _ALLOWED[name])
    return int(value)
