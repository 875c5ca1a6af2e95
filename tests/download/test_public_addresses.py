"""No private address is fetched, whatever leads to it."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.download.odd_server import odd_server
from topicspider.download import public_addresses as resolver
from topicspider.download.public_addresses import CheckingResolver, PrivateAddressError, is_public, refusal

PRIVATE = [
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0X7F.1/",
    "http://017700000001/", "http://127.0.0.1./", "http://user:pass@127.0.0.1/", "http://１２７．０．０．１/",
    "http://127。0。0。1/", "http://①②⑦.⓪.⓪.①/", "http://%31%32%37.0.0.1/", "http://0/", "http://10.1.2.3/",
    "http://172.16.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/", "http://198.18.0.1/", "http://224.0.0.1/", "http://255.255.255.255/",
    "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::7f00:1]/", "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::1]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fc00::1]/",
    "http://[ff02::1]/", "http://localhost/", "http://a.localhost/", "http://localhost.localdomain/",
    "http://metadata.google.internal/", "http://printer.local/", "http://nas.lan/", "http://intranet/",
    "http://测试/",
]  # fmt: skip
BAD = [
    "http://", "http:///path", "http://a.example:99999/", "http://a.example:x/", "http://[::1/",
    "http://evil.example\\@127.0.0.1/", "http://evil.example\\.127.0.0.1/", "http://a b.example/",
    "http://a.example\t.b/", "http://256.256.256.256/", "http://1.2.3.4.5/", "http://a.0x7f/",
    "http://.example/", "http://[v1.x]/",
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE)
def test_every_spelling_of_a_private_address_is_refused(url: str) -> None:
    assert refusal(url) == "private_address"
    assert refusal(url, allow_private=True) == ""


@pytest.mark.parametrize("url", BAD)
def test_a_url_whose_host_is_in_doubt_is_refused_always(url: str) -> None:
    assert refusal(url) == "bad_url"
    assert refusal(url, allow_private=True) == "bad_url"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.example/",
        "data:text/html,x",
        "javascript:1",
        "gopher://a/",
        "//a.example/",
        "",
        "http:/a.example/",
    ],
)
def test_other_schemes_are_refused(url: str) -> None:
    assert refusal(url) == "scheme"


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "HTTPS://A.Example:8443/旅游?q=北京",
        "http://www.旅游.example/",
        "http://8.8.8.8/",
        "http://134744072/",
        "http://[2606:4700::1111]/",
        "http://user@a.example/",
        "http://127.0.0.1.nip.example/",
        "http://10.example.com/",
        "http://a_b.example/",
        "http://localhost.example/",
    ],
)
def test_public_hosts_pass(url: str) -> None:
    assert refusal(url) == ""


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    refusal(text)
    refusal(f"http://{text}/")


@given(st.ip_addresses())
def test_literal_addresses_are_judged_as_addresses(address: object) -> None:
    text = str(address)
    url = f"http://[{text}]/" if ":" in text else f"http://{text}/"
    assert (refusal(url) == "") == is_public(ip_address(text))


@given(st.integers(0, 2**32 - 1))
def test_a_number_is_the_address_it_stands_for(number: int) -> None:
    plain = refusal(f"http://{ip_address(number)}/")
    assert refusal(f"http://{number}/") == refusal(f"http://{number:#x}/") == refusal(f"http://0{number:o}/") == plain


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
