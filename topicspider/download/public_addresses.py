"""Decides which URLs may be fetched: the address in the URL, and every address that its name resolves to, must be public."""

from __future__ import annotations

import asyncio
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote, urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult

from topicspider.download.outcome import Outcome
from topicspider.url import canonical_host

_AUTHORITY = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_ODD_IN_AUTHORITY = re.compile(r"[\x00-\x20\x7f\\<>^`{|}]")  # URL parsers disagree about the host of such URLs
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_DIGITS = re.compile(r"[0-9a-fA-FxX.]{1,64}")
_LOCAL_SUFFIXES = (
    "localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa",
    "svc", "consul", "docker", "onion",
)  # fmt: skip
# public addresses at which a service of the cloud that we run in answers: Azure, and IBM
_OF_CLOUDS = tuple(map(IPv4Network, ("168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14")))
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def refusal(url: str, allow_private: bool = False) -> str:
    """Why ``url`` must not be fetched: "scheme", "bad_url" or "private_address"; "" when it may be.

    Only the text of the URL is checked: every spelling of a non-public address (decimal, octal, hex, short, IPv4 in IPv6, full-width
    digits, percent escapes), local names, and names without a dot. The addresses of a name are checked when a connection is opened
    (:class:`CheckingResolver`).
    """
    authority = _AUTHORITY.match(url)
    if authority is None:
        return Outcome.SCHEME.value
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return Outcome.BAD_URL.value
    if not host or ("[" in authority[1] and ":" not in host) or _ODD_IN_AUTHORITY.search(authority[1]):
        return Outcome.BAD_URL.value
    return _host_refusal(host, allow_private)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is on the public internet; an IPv4 address within an IPv6 address (mapped, 6to4, NAT64) counts itself."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in one for one in _OF_CLOUDS)
    inner = (
        address.ipv4_mapped
        or address.sixtofour
        or (IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None)
    )
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL_UNICAST and address.is_global


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """The IP address in ``text``, in any spelling that inet_aton knows; None if it is not an address."""
    with suppress(ValueError):
        return ip_address(text.strip("[]").partition("%")[0])
    with suppress(OSError):  # 127.1, 0x7f.0.0.1, 017700000001, 2130706433
        return IPv4Address(socket.inet_aton(text)) if _DIGITS.fullmatch(text) else None
    return None


def leads_to_public(text: str) -> bool:
    """Whether ``text``, given by a resolver, is a public address."""
    address = address_in(text)
    return address is not None and is_public(address)


@lru_cache(maxsize=8192)
def _host_refusal(host: str, allow_private: bool) -> str:
    literal = ":" in host
    name = host if literal else canonical_host(unquote(host))
    if not name or name.startswith("."):
        return Outcome.BAD_URL.value
    address = address_in(name)
    # browsers and C libraries treat a name whose last label is a number as an IPv4 address (WHATWG URL)
    if address is None and (literal or _NUMBER.fullmatch(name.rpartition(".")[2])):
        return Outcome.BAD_URL.value
    if allow_private:
        return ""
    is_private = _is_local_name(name) if address is None else not is_public(address)
    return Outcome.PRIVATE_ADDRESS.value if is_private else ""


def _is_local_name(name: str) -> bool:
    return "." not in name or any(name == suffix or name.endswith(f".{suffix}") for suffix in _LOCAL_SUFFIXES)


class PrivateAddressError(Exception):
    """A name resolves to an address that is not public. (Not an OSError: aiohttp would call that a failed look-up.)"""

    outcome = Outcome.PRIVATE_ADDRESS


class CheckingResolver(AbstractResolver):
    """Resolves names and checks their addresses. aiohttp connects to exactly the addresses that are returned here.

    All addresses are checked, so a name with public and private addresses is refused as a whole. A name that changes its address between
    check and connection (DNS rebinding) gains nothing by it.
    """

    def __init__(self, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        # an unanswered look-up occupies a thread for 5 s and more: with their own threads, dead names do not delay store and frontier
        self._threads = ThreadPoolExecutor(16, thread_name_prefix="resolve")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of ``host``; raises OSError when there are none, PrivateAddressError when one is not public."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port, family)
        if not found:
            raise OSError(None, f"no address for {host}")
        for one in found if not self._allow_private else ():
            if not leads_to_public(one["host"]):
                raise PrivateAddressError(f"{host} leads to {one['host']}, which is not a public address")
        return found

    async def close(self) -> None:
        """Shut the threads down without waiting for running look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int, family: int) -> list[ResolveResult]:
    try:
        answers = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except UnicodeError:  # an empty or too long label
        raise OSError(None, f"{host} is no name that can be looked up") from None
    return [
        ResolveResult(
            hostname=host,
            host=str(address[0]),
            port=port,
            family=kind,
            proto=protocol,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )
        for kind, _, protocol, _, address in answers
        if kind in (socket.AF_INET, socket.AF_INET6)
    ]
