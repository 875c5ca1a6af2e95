"""Settings that there were, and what stands for each now."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from topicspider.setting_rules import as_bool, setting_name

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retired:
    """A setting of an earlier version. ``convert`` makes the value of ``successor`` from all retired settings that are given;
    without a successor ``reason`` says why there is none."""

    successor: str = ""
    convert: Callable[[Mapping[str, str]], str] | None = None
    reason: str = ""


def _discovery(old: Mapping[str, str]) -> str:
    kinds = [kind for kind in ("sitemaps", "feeds") if as_bool(kind, old.get(kind, False))]
    return "all" if len(kinds) > 1 else "".join(kinds) or "off"


def _metrics(old: Mapping[str, str]) -> str:
    host, port = old.get("metrics_host", ""), old.get("metrics_port", "-1")
    if port == "-1":
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}".removeprefix(":")


def _extraction(old: Mapping[str, str]) -> str:
    return "published" if old.get("title_rule") == "visual" or old.get("keyword_rule") == "meta" else "default"


RETIRED: Mapping[str, Retired] = {
    "body_rule": Retired(reason="there is one way to find the body"),
    "browser_path": Retired(setting_name("browser"), lambda old: old["browser_path"]),
    "browser_timeout": Retired(reason="the scripts of a page have 20 seconds"),
    "exploration": Retired(reason="the link policy learned explores by itself"),
    "feeds": Retired(setting_name("discovery"), _discovery),
    "keyword_rule": Retired(setting_name("extraction"), _extraction),
    "links_per_page": Retired(reason="2,000 links of a page are looked at"),
    "log_pages": Retired(reason="crawl.db keeps the first 100,000 answers"),
    "max_bytes": Retired("DOWNLOAD_MAXSIZE", lambda old: old["max_bytes"]),
    "metrics_host": Retired(setting_name("metrics"), _metrics),
    "metrics_port": Retired(setting_name("metrics"), _metrics),
    "outbox_megabytes": Retired(reason="the outbox holds 1 GiB"),
    "robots_ttl": Retired(reason="a robots.txt is believed for a day"),
    "sitemaps": Retired(setting_name("discovery"), _discovery),
    "stop_pages": Retired(reason="the stop rule looks at the last 300 pages"),
    "stop_remaining": Retired(reason="TOPICSPIDER_STOP_YIELD ends a crawl that finds too little"),
    "title_rule": Retired(setting_name("extraction"), _extraction),
    "tier": Retired(reason="the learned judges always use word vectors"),
}
"""By the name of the field that there was. Remove an entry one release after it came."""


def successors_of_retired(settings: Mapping[str, Any]) -> dict[str, str]:
    """Name and value of the settings that stand for the retired ones in ``settings``; each retired one is warned of once a process."""
    given = {name: settings.get(setting_name(name)) for name in RETIRED}
    old = {name: str(value).strip() for name, value in given.items() if value is not None}
    successors = {}
    for name in old:
        retired = RETIRED[name]
        if retired.convert is not None:
            successors[retired.successor] = retired.convert(old)
        _warn_retired(name)
    return successors


@cache
def _warn_retired(name: str) -> None:
    retired = RETIRED[name]
    what = f"use {retired.successor}" if retired.successor else f"it has no effect: {retired.reason}"
    logger.warning("the setting %s is retired; %s", setting_name(name), what)
