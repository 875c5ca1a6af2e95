"""Pages written for the tests of search and the captures in docs/search.md: a made-up county in Chinese, with some English."""

from __future__ import annotations

import json
from pathlib import Path

from tests.search.conftest import hit
from topicspider.store.rows import PageRow

_FILE = Path(__file__).with_name("own_pages.jsonl")


def own_pages() -> list[PageRow]:
    """All of them, as hits of the topic tourism."""
    return [hit(**json.loads(line)) for line in _FILE.read_text("utf-8").splitlines()]
