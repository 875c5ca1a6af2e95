"""A port that accepts and never answers is no database: whoever waits for it waits no longer than was said, whatever an answer may take later."""

from __future__ import annotations

import socket
import time
from contextlib import closing
from pathlib import Path

import pytest

from topicspider.errors import UnavailableError
from topicspider.frontier.factory import open_frontier
from topicspider.store.location import open_store


@pytest.fixture
def silent_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(20)
        yield server.getsockname()[1]


def store(port, wait):
    return open_store(f"mysql://me:secret@127.0.0.1:{port}/pages", Path(), wait, answer_seconds=3600.0)


def frontier(port, wait):
    return open_frontier(f"redis://127.0.0.1:{port}", Path("a/frontier.db"), wait)


@pytest.mark.parametrize("opened", [store, frontier])
@pytest.mark.parametrize("wait", [0.0, 8.0])
def test_a_silent_port_is_given_up_within_the_wait(silent_port, opened, wait):
    began = time.monotonic()
    with pytest.raises(UnavailableError), closing(opened(silent_port, wait)):
        pass
    assert time.monotonic() - began < max(wait, 5.0) + 10.0
