"""The choices of each published system: ``-a mode=NAME`` makes all of them; what the user says himself wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BREADTH_FIRST = {"link_policy": "bfs", "server_policy": "bfs", "pace": "fast"}
_PLAIN = {"faithful": True, "traps": "none", "documents": False}

MODES: Mapping[str, Mapping[str, Any]] = {
    # hard focus is named among the strategies; the crawler itself goes breadth-first to a depth that its user gives
    "thesis2011": {
        **_PLAIN,
        **_BREADTH_FIRST,
        "page_scorer": "a4bc",
        "max_depth": 3,
        "connect_timeout": 10.0,
        "read_timeout": 10.0,
    },
    "li2002": {
        **_PLAIN,
        "link_policy": "ipagerank",
        "page_scorer": "vsm",
        "server_policy": "quality",
        "pace": "fast",
        "extraction": "published",
    },
    "cao": {**_PLAIN, "link_policy": "pagerank", "server_policy": "capacity", "pace": "fast", "urls_per_host": 50},
    "broder": {
        **_PLAIN,
        **_BREADTH_FIRST,
        "delay_factor": 10.0,
        "delay_min": 0.0,
        "delay_max": 3600.0,
        "seen_cache": "clock",
        "seen_cache_size": 50_000,
    },
    "xu2007": {
        **_PLAIN,
        **_BREADTH_FIRST,
        "page_scorer": "boolean",
        "extraction": "published",
        "read_timeout": 5.0,
        "snapshots": "all",
    },
}
"""By the name of the mode: option and value. Where a paper says nothing the default stays: the learned judge of (c) and (e), politeness."""

SCRAPY_MODES: Mapping[str, Mapping[str, Any]] = {
    "thesis2011": {"CONCURRENT_REQUESTS": 4},
    "li2002": {"CONCURRENT_REQUESTS": 10},
    "cao": {"CONCURRENT_REQUESTS": 64},
    "broder": {"DOWNLOAD_MAXSIZE": 16 * 1024 * 1024},
    "xu2007": {},
}
"""The same of Scrapy's settings: threads, connections, the largest page."""
