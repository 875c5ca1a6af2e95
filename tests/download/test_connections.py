"""How many requests a server gives over one connection, (c) Cao: what its answers tell, and what they do not."""

from __future__ import annotations

import pytest

from topicspider.download.handler import KEPT_HOSTS, ConnectionCounts, closes

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


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_an_error_that_closes_tells_nothing(status: int) -> None:
    assert note(ConnectionCounts(), CLOSED, is_new=True, status=status) is None


@pytest.mark.parametrize("header", ["", "timeout=5", "max=", "max=旅", "maximum=7", "x"])
def test_other_headers_tell_nothing(header: str) -> None:
    assert note(ConnectionCounts(), {"Keep-Alive": header}, is_new=True) is None


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


def test_only_so_many_hosts_are_remembered() -> None:
    counts = ConnectionCounts()
    for number in range(KEPT_HOSTS + 10):
        counts.note(f"{number}.example:80", is_new=True, status=200, version=(1, 1), headers=KEPT)
    assert len(counts._known) == KEPT_HOSTS
