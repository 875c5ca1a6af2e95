"""Settings that there were, and what stands for each now."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

from topicspider.setting_rules import setting_name

logger = logging.getLogger(__name__)

RETIRED: Mapping[str, str] = {
    "body_rule": "there is one way to find the body",
    "browser_path": "TOPICSPIDER_BROWSER takes the path",
    "browser_timeout": "the scripts of a page have 20 seconds",
    "exploration": "the link policy learned explores by itself",
    "feeds": "use TOPICSPIDER_DISCOVERY=feeds",
    "keyword_rule": "use TOPICSPIDER_EXTRACTION",
    "links_per_page": "2,000 links of a page are looked at",
    "log_pages": "crawl.db keeps the first 100,000 answers",
    "max_bytes": "use DOWNLOAD_MAXSIZE",
    "metrics_host": "use TOPICSPIDER_METRICS=HOST:PORT",
    "metrics_port": "use TOPICSPIDER_METRICS=PORT",
    "outbox_megabytes": "the outbox holds 1 GiB",
    "robots_ttl": "a robots.txt is believed for a day",
    "segmenter": "rjieba cuts Chinese into words",
    "sitemaps": "use TOPICSPIDER_DISCOVERY=sitemaps",
    "stop_pages": "the stop rule looks at the last 300 pages",
    "stop_remaining": "TOPICSPIDER_STOP_YIELD ends a crawl that finds too little",
    "title_rule": "use TOPICSPIDER_EXTRACTION",
    "tier": "the learned judges always use word vectors",
}
"""By the name of the field that there was. Remove an entry one release after it came."""


def warn_of_retired(settings: Mapping[str, Any]) -> None:
    """Say of each retired one in ``settings`` what stands for it, once a process."""
    for name in RETIRED:
        if settings.get(setting_name(name)) is not None:
            _warn(name)


@cache
def _warn(name: str) -> None:
    logger.warning("the setting %s is retired and has no effect: %s", setting_name(name), RETIRED[name])
