"""The host, port and site that a URL belongs to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract

_AUTHORITY = re.compile(
    r"(https?)://(?:[^/?#@\\]*@)*(\[[^\]/?#]*\]|[^:/?#@\[\\]+)(?::([0-9]*))?(?=[/?#\\]|\Z)", re.IGNORECASE
)
_PORTS = {"http": 80, "https": 443}


def host_key(url: str) -> str:
    """``host:port`` of an http(s) URL, lower case: what politeness and frontier call a host. "" for others."""
    match = _AUTHORITY.match(url)
    if match is None:
        return ""
    return f"{match[2].lower()}:{_port(match)}"


def host_of(url: str) -> str:
    """The host name of an http(s) URL, lower case, IPv6 in brackets; "" for others."""
    match = _AUTHORITY.match(url)
    return "" if match is None else match[2].lower()


def port_of(url: str) -> int:
    """The port of an http(s) URL, the scheme's default included; 0 for others."""
    match = _AUTHORITY.match(url)
    return 0 if match is None else _port(match)


@lru_cache(maxsize=8192)
def site_of(host: str) -> str:
    """The registered domain of ``host`` (``news.example.com.cn`` is ``example.com.cn``).

    A port is ignored; addresses, bare names and public suffixes are their own site. By the public suffix
    list that tldextract ships: nothing is asked over the network and nothing is written.
    """
    name = _without_port(host.lower())
    if name.startswith("["):
        return name
    found = _suffixes()(name).top_domain_under_public_suffix
    return found or name


def _port(match: re.Match[str]) -> int:
    return int(match[3][:9]) if match[3] else _PORTS[match[1].lower()]


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or not port) and (":" not in name or name.endswith("]")) else host


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract

    return TLDExtract(cache_dir=None, suffix_list_urls=())
