"""Where the parts of a crawl lie: one Redis, several of them, or one Redis Cluster."""

from __future__ import annotations

import re
from binascii import crc_hqx
from dataclasses import dataclass
from itertools import count
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.frontier.redis.cluster import ClusterMaster
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis_server import RedisServer
from topicspider.url.display import masked

MOST_PARTS = 256
SLOTS = 16_384
_NEXT = re.compile(r",(?=redis://|rediss://|unix://)")


@dataclass(frozen=True, slots=True)
class Place:
    """One part of the crawl: its server, and what its keys have in their hash tag behind the crawl's name."""

    server: RedisServer
    part: str = ""


def split_urls(text: str) -> list[str]:
    """The servers that a setting names, in one order whatever that of the setting."""
    return sorted(set(_NEXT.split(text)))


def shown(text: str) -> str:
    """The setting without its passwords."""
    return ",".join(masked(url) for url in _NEXT.split(text))


def places_of(text: str, crawl: str) -> list[Place]:
    """The places of all parts; raises ConfigError, connects to nothing.

    ``redis://A,redis://B``: a part on each of these servers. ``redis://A?partitions=4``: four parts whose keys lie in slots
    that are as far apart as can be, so that the masters of the cluster that A belongs to have as many of them each.
    """
    urls = split_urls(text)
    divided = [without_partitions(url) for url in urls]
    if len(urls) > 1 and any(parts is not None for _, parts in divided):
        raise ConfigError(
            setting_name("frontier"), shown(text), "several servers, or one node of a cluster with ?partitions=N"
        )
    if len(urls) > MOST_PARTS:
        raise ConfigError(setting_name("frontier"), shown(text), f"up to {MOST_PARTS} servers")
    url, parts = divided[0]
    if parts is None:
        return [Place(_server(url)) for url in urls]
    tags = part_tags(crawl, parts)
    return [Place(ClusterMaster(url, setting_name("frontier"), slot_of(key_prefix(crawl, tag))), tag) for tag in tags]


def slot_of(prefix: str) -> int:
    """The slot of a Redis Cluster in which keys with this hash tag lie."""
    return crc_hqx(prefix[prefix.index("{") + 1 : prefix.index("}")].encode(), 0) % SLOTS


def part_tags(crawl: str, parts: int) -> list[str]:
    """What follows the crawl's name in the hash tags of its parts: the first has nothing, so a crawl may be found by its name."""
    name = key_prefix(crawl)
    so_far = crc_hqx(name[name.index("{") + 1 : name.index("}")].encode(), 0)
    tags = [""]
    for part in range(1, parts):
        wanted = (so_far + part * SLOTS // parts) % SLOTS
        tags.append(
            next(tag for number in count() if crc_hqx((tag := f"~{part}.{number}").encode(), so_far) % SLOTS == wanted)
        )
    return tags


def without_partitions(url: str) -> tuple[str, int | None]:
    """The URL as the driver knows it, and how many partitions it asks for."""
    try:
        place = urlsplit(url)
    except ValueError:
        return url, None
    asked = parse_qs(place.query, keep_blank_values=True)
    given = asked.pop("partitions", None)
    if given is None:
        return url, None
    if not (given[0].isdecimal() and 1 <= int(given[0]) <= MOST_PARTS):
        raise ConfigError(setting_name("frontier"), masked(url), f"partitions=1 to {MOST_PARTS}")
    return urlunsplit(place._replace(query=urlencode(asked, doseq=True))), int(given[0])


def _server(url: str) -> RedisServer:
    return RedisServer(url, setting_name("frontier"), is_patient=False)
