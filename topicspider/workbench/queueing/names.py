"""From what people call a host to what the queue calls it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_key, host_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_NEAR = 3


def hosts_called(names: Sequence[str], known: Collection[str]) -> list[str]:
    """The hosts of the queue that ``names`` mean, each once; ConfigError for a name that means none.

    A name is host:port, as the queue shows it, a URL, or a host without a port, which means all its ports.
    """
    return list(dict.fromkeys(host for name in names for host in _called(name, known)))


def _called(name: str, known: Collection[str]) -> list[str]:
    if name in known:
        return [name]
    url = canonicalize(name if "://" in name else f"http://{name}/")
    host = "" if url is None else host_of(url)
    has_port = "://" in name or name.rpartition(":")[2].isdigit()
    if url and has_port and host_key(url) in known:
        return [host_key(url)]
    found = [] if has_port or not host else sorted(one for one in known if one.rpartition(":")[0] == host)
    if found:
        return found
    raise ConfigError("host", name, "a host of the queue", _near(host or name, known))


def _near(name: str, known: Collection[str]) -> str:
    names = sorted({one.rpartition(":")[0] for one in known})
    inside = [one for one in names if name and name in one]
    found = list(dict.fromkeys([*difflib.get_close_matches(name, names, _NEAR), *inside]))[:_NEAR]
    return f"Near: {', '.join(found)}" if found else "`scrapy frontier hosts` shows them"
