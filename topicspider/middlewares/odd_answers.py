"""Downloader middlewares: the three of Scrapy that read a response before we do, changed so that no response makes them raise."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import ClassVar

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from topicspider.crawled_page import content_type_of
from topicspider.download.outcome import Outcome, outcome_of_exception
from topicspider.meta import OUTCOME
from topicspider.page.decode import decode


class OneAMinute(logging.Filter):
    """Passes one line of each kind per minute; the first three words of a line are its kind."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now = " ".join(str(record.msg).split()[:3]), time.monotonic()
        if now - self._said.get(kind, -60.0) < 60.0:
            return False
        self._said[kind] = now
        return True


logging.getLogger(HttpCompressionMiddleware.__module__).addFilter(OneAMinute())


class _Counted:
    """When the middleware behind this one raises, the response ends as ``outcome``: it is counted, without a traceback."""

    outcome: ClassVar[Outcome]

    def process_response(self, request: Request, response: Response) -> Request | Response:
        try:
            return super().process_response(request, response)  # type: ignore[misc,no-any-return]
        except IgnoreRequest as error:  # process_exception is not called for it; the unpacked body may be too large
            request.meta[OUTCOME] = outcome_of_exception(error)
            raise
        except Exception as error:
            request.meta[OUTCOME] = self.outcome.value
            raise IgnoreRequest(f"{self.outcome}: {type(error).__name__}") from error


class Decompression(_Counted, HttpCompressionMiddleware):  # type: ignore[misc]
    """A response that claims to be packed but cannot be unpacked counts as a bad response."""

    outcome = Outcome.BAD_RESPONSE


class Redirect(_Counted, RedirectMiddleware):  # type: ignore[misc]
    """A redirect to something that is not a URL counts as a redirect, and is not followed."""

    outcome = Outcome.REDIRECT


class MetaRefresh(MetaRefreshMiddleware):
    """Charsets that are Python codecs but unknown to the web (``undefined``, ``base64``) go to our decoder; invalid targets are ignored."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        # Scrapy reads 4,096 characters, and decodes the whole page for that; in UTF-16 there are zeros between the characters
        if b"refresh" not in response.body[:16_384].replace(b"\0", b"").lower():
            return response
        with suppress(Exception):  # errors of codecs, of URL parsers
            return super().process_response(request, response)
        body = decode(response.body, content_type_of(response)).text.encode("utf-8", "replace")
        with suppress(Exception):
            found = super().process_response(request, response.replace(body=body, encoding="utf-8"))
            return found if isinstance(found, Request) else response
        return response
