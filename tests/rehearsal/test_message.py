"""Stored responses are taken apart, whatever is wrong with them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.rehearsal.writers import chunked
from topicspider.rehearsal.response import joined_chunks, read_response


@given(st.binary(max_size=400))
def test_no_bytes_raise(block: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: br\r\n\r\n"
    alone, behind_a_head = (read_response("http://a.example/", text) for text in (block, head + block))
    assert alone is None or block.startswith(b"HTTP/")
    assert behind_a_head is not None
    assert behind_a_head.status == 200


@given(st.binary(min_size=1, max_size=400), st.integers(1, 90))
def test_chunks_are_joined_to_the_body_they_came_from(body: bytes, size: int) -> None:
    assert joined_chunks(chunked(body, size)) == body


def test_headers_of_the_connection_go_and_others_stay() -> None:
    block = b"HTTP/1.1 200 OK\r\nServer: x\r\nKeep-Alive: 5\r\nConnection: close\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nUpgrade: h2\r\n\r\n"
    response = read_response("http://a.example/", block)
    assert response is not None
    assert response.headers == (("Server", "x"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
