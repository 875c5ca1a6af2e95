"""How many requests a server gives over one connection, (c) Cao: what its answers tell, and what they do not."""

from __future__ import annotations

import pytest

from topicspider.download.handler import ConnectionCounts, closes

HOST = "旅游.example:80"
KEPT, CLOSED = {}, {"Connection": "close"}


def note(counts: ConnectionCounts, headers: dict[str, str], *, is_new: bool = False, status: int = 200) -> int | None:
    return counts.note(HOST, is_new=is_new, status=status, version=(1, 1), headers=headers)


def test_a_server_that_closes_tells_what_it_has_served() -> None:
    counts = ConnectionCounts()
    assert [note(counts, KEPT, is_new=True), note(counts, KEPT), note(counts, CLOSED)] == [None, None, 3]
    assert note(counts, CLOSED, is_new=True) == 1


def test_a_server_that_counts_down_tells_the_same_number_each_time() -> None:
    counts = ConnectionCounts()
    told = [note(counts, {"Keep-Alive": f"timeout=15, Max = {left}"}, is_new=left == 99) for left in (99, 98, 97)]
    assert told == [100, 100, 100]


def test_one_that_serves_more_than_it_told_tells_that() -> None:
    """A server that was started anew closed its connections once."""
    counts = ConnectionCounts()
    assert note(counts, CLOSED, is_new=True) == 1
    assert [note(counts, KEPT, is_new=not n, status=404 if n == 2 else 200) for n in range(4)] == [None, 2, 3, 4]


@pytest.mark.parametrize(
    ("version", "header", "is_closed"),
    [
        ((1, 1), "", False),
        ((1, 1), "keep-alive", False),
        ((1, 1), "upgrade, CLOSE", True),
        ((1, 1), "closed", False),
        ((1, 0), "", True),
        ((1, 0), "Keep-Alive", False),
        ((1, 0), "close", True),
    ],
)
def test_http_1_0_closes_unless_it_says_otherwise(version: tuple[int, int], header: str, is_closed: bool) -> None:
    assert closes(version, header) == is_closed
