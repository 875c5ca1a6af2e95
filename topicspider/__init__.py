"""A Scrapy project that crawls the web by topic (主题爬虫).

From a script or a notebook: ``from topicspider import Topic, crawl, judge, read`` (docs/python.md). They are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topicspider.api import Topic, crawl, judge, read

__version__ = "0.1.0"
__all__ = ["Topic", "crawl", "judge", "read"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("topicspider.api"), name)
