"""Resolves names for aiohttp, and refuses a name as soon as one of its addresses is not public."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from topicspider.download.guard import address_in, is_public
from topicspider.download.outcome import Outcome


class PrivateAddressError(Exception):
    """A name leads to an address that is not public. (No OSError: aiohttp would call it a failed look-up.)"""

    outcome = Outcome.PRIVATE_ADDRESS


class CheckingResolver(AbstractResolver):
    """What is checked is what is connected to: aiohttp uses the very addresses that are returned here.

    All answers are checked, so a name that mixes public and private addresses is refused whole. A name
    that changes its answer between check and connection (rebinding) gains nothing by it.
    """

    def __init__(self, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        # an unanswered look-up holds its thread for 5 s and more: with threads of their own, dead names do not
        # keep the store and the frontier from theirs
        self._threads = ThreadPoolExecutor(16, thread_name_prefix="resolve")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of ``host``; raises OSError when there are none, PrivateAddressError when one is not public."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port, family)
        if not found:
            raise OSError(None, f"no address for {host}")
        if not self._allow_private:
            _refuse_private(host, found)
        return found

    async def close(self) -> None:
        """Let go of the threads, without waiting for look-ups under way."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _refuse_private(host: str, found: list[ResolveResult]) -> None:
    for one in found:
        address = address_in(one["host"])
        if address is None or not is_public(address):
            raise PrivateAddressError(f"{host} leads to {one['host']}, which is not a public address")


def _look_up(host: str, port: int, family: int) -> list[ResolveResult]:
    try:
        answers = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except UnicodeError:  # a label that is empty or too long
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
