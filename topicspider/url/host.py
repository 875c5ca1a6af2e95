"""The host of a URL: its canonical name, port, and registered domain."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import idna

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


# underscores and hyphens at the ends are forbidden by the RFCs, and in use all the same
_ASCII_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_MAX_LENGTH = 253


@lru_cache(maxsize=8192)
def canonical_host(host: str) -> str:
    """``host`` (a name, IPv4, or IPv6 in brackets) in its canonical form; "" if it is none. Never raises."""
    if len(host) > _MAX_LENGTH + 1:
        return ""
    if host.startswith("["):
        return _ipv6(host)
    name = host.lower() if host.isascii() else _punycode(host)
    name = name.removesuffix(".")
    return name if len(name) <= _MAX_LENGTH and _ASCII_HOST.fullmatch(name) else ""


def readable_host(host: str) -> str:
    """``host`` as people read it: 旅游.example for xn--zfvz1q.example. What does not lead back to ``host`` stays as it is. Never raises."""
    shown = ".".join(map(_readable_label, host.split(".")))
    return shown if canonical_host(shown) == host else host


def _readable_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return idna.decode(label)
    except (idna.IDNAError, UnicodeError):
        return label


def _ipv6(host: str) -> str:
    try:
        return f"[{ipaddress.IPv6Address(host[1:-1])}]" if host.endswith("]") and "%" not in host else ""
    except ValueError:
        return ""


def _punycode(host: str) -> str:
    """UTS 46 first; names it forbids (emoji, underscores) by the older IDNA 2003, as resolvers do."""
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        pass
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""
