"""The canonical form of a host name: lower case, punycode, compressed IPv6."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

import idna

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
