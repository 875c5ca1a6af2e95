"""Stored responses are taken apart, whatever is wrong with them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from tests.rehearsal.writers import HTML, chunked
from topicspider.options import MAX_PAGE_BYTES
from topicspider.rehearsal.archive.warc import read_response


@given(st.binary(max_size=400))
def test_no_bytes_raise(block: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: br\r\n\r\n"
    alone, behind_a_head = (read_response("http://a.example/", text) for text in (block, head + block))
    assert alone is None or block.startswith(b"HTTP/")
    assert behind_a_head is not None
    assert behind_a_head.status == 200


@given(st.binary(min_size=1, max_size=400), st.integers(1, 90))
def test_chunks_are_joined_to_the_body_they_came_from(body: bytes, size: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    response = read_response("http://a.example/", head + chunked(body, size))
    assert response is not None
    assert response.body == body


def test_headers_of_the_connection_go_and_others_stay() -> None:
    block = b"HTTP/1.1 200 OK\r\nServer: x\r\nKeep-Alive: 5\r\nConnection: close\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nUpgrade: h2\r\n\r\n"
    response = read_response("http://a.example/", block)
    assert response is not None
    assert response.headers == (("Server", "x"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("br", brotli.compress),
        ("zstd", zstd.compress),
        ("GZIP , br", lambda body: brotli.compress(gzip.compress(body))),
        ("identity", bytes),
    ],
)
def test_packed_bodies_are_unpacked(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    assert unpacked(encoding, pack(HTML)) == HTML


def unpacked(encoding: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n\r\n".encode()
    response = read_response("http://a.example/", head + body)
    assert response is not None
    assert response.headers == ()
    return response.body


def test_no_more_is_unpacked_than_a_crawl_takes() -> None:
    assert len(unpacked("gzip", gzip.compress(bytes(3 * MAX_PAGE_BYTES)))) == MAX_PAGE_BYTES + 1
