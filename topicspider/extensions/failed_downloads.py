"""Log formatter: a download that failed in a known way is counted under its name, and is no traceback among the log lines."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter, LogFormatterResult

from topicspider.download.outcome import Outcome
from topicspider.meta import OUTCOME

if TYPE_CHECKING:
    from scrapy import Request


class CountedFailures(LogFormatter):
    """Scrapy's own, but for failed downloads: on the web they come by the hundred, and the closing table has their numbers.

    With LOG_LEVEL=DEBUG each is there with its traceback; one that nobody expected is an error, as ever.
    """

    def download_error(self, failure: Any, request: Request, *args: Any, **kwargs: Any) -> LogFormatterResult:
        """What Scrapy logs about the failed download of ``request``."""
        found = super().download_error(failure, request, *args, **kwargs)
        if request.meta.get(OUTCOME, Outcome.FAILED) != Outcome.FAILED:
            found["level"] = logging.DEBUG
        return found
