"""Names that lead to private addresses are refused before anything connects (G1)."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import aiohttp
import pytest

from tests.download.odd_server import odd_server
from topicspider.download import guard as resolver
from topicspider.download.guard import CheckingResolver, PrivateAddressError


def _answers(*addresses: str) -> Any:
    def getaddrinfo(_host: str, port: int, *_rest: Any, **_more: Any) -> list[Any]:
        return [
            (socket.AF_INET6, 1, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, 1, 6, "", (address, port))
            for address in addresses
        ]

    return getaddrinfo


def _resolve(*addresses: str, monkeypatch: pytest.MonkeyPatch, allow_private: bool = False) -> list[str]:
    async def ask() -> list[str]:
        checking = CheckingResolver(allow_private)
        try:
            return [found["host"] for found in await checking.resolve("name.example", 80, socket.AF_UNSPEC)]
        finally:
            await checking.close()

    monkeypatch.setattr(resolver.socket, "getaddrinfo", _answers(*addresses))
    return asyncio.run(ask())


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("10.0.0.1",),
        ("169.254.169.254",),
        ("::1",),
        ("fe80::1%lo",),
        ("::ffff:10.0.0.1",),
        ("8.8.8.8", "127.0.0.1"),
        ("2606:4700::1", "fc00::1"),
    ],
)
def test_one_private_answer_refuses_the_name(addresses: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PrivateAddressError):
        _resolve(*addresses, monkeypatch=monkeypatch)


def test_public_answers_are_handed_on_as_they_were_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _resolve("8.8.8.8", "2606:4700::1", monkeypatch=monkeypatch) == ["8.8.8.8", "2606:4700::1"]


def test_a_public_looking_name_never_reaches_a_private_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """With aiohttp itself, on a real canary: refused at each try."""

    async def ask(port: int) -> None:
        connector = aiohttp.TCPConnector(resolver=CheckingResolver(), use_dns_cache=False)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=5)) as session:
            for _ in range(2):
                with pytest.raises(PrivateAddressError):
                    await session.get(f"http://public.example:{port}/旅游")
            await connector._resolver.close()

    with odd_server() as canary:
        monkeypatch.setattr(resolver.socket, "getaddrinfo", _answers("127.0.0.1"))
        asyncio.run(ask(canary.port))
        monkeypatch.undo()
        assert canary.hits == []
