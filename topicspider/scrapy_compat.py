"""The slot of Scrapy's engine, which is private: its shape is checked before it is relied upon."""

from __future__ import annotations

from typing import Any

from scrapy import __version__ as scrapy_version
from scrapy.crawler import Crawler

from topicspider.errors import TopicSpiderError


def checked_slot(crawler: Crawler) -> Any:
    """The slot, with the set ``inprogress``, the call ``nextcall``, and ``closing``, None until it is; raises TopicSpiderError."""
    slot = getattr(crawler.engine, "_slot", None)
    has_calls = hasattr(getattr(slot, "nextcall", None), "schedule") and hasattr(slot, "closing")
    if isinstance(getattr(slot, "inprogress", None), set) and has_calls:
        return slot
    raise TopicSpiderError(
        f"Scrapy {scrapy_version} is not supported: its engine has no slot with inprogress, nextcall and closing"
    )
