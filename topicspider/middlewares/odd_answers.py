"""Downloader middlewares: Scrapy's three that read an answer before we do, kept from raising whatever a server sends."""

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
    """Lets one line of a kind through in a minute; its first three words are its kind."""

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
    """An answer that the middleware behind raises on has ended as ``outcome``: it is counted, and no traceback."""

    outcome: ClassVar[Outcome]

    def process_response(self, request: Request, response: Response) -> Request | Response:
        try:
            return super().process_response(request, response)  # type: ignore[misc,no-any-return]
        except IgnoreRequest as error:  # no process_exception is told of it, and unpacked it may be too large
            request.meta[OUTCOME] = outcome_of_exception(error)
            raise
        except Exception as error:
            request.meta[OUTCOME] = self.outcome.value
            raise IgnoreRequest(f"{self.outcome}: {type(error).__name__}") from error


class Decompression(_Counted, HttpCompressionMiddleware):  # type: ignore[misc]
    """What says that it is packed and cannot be unpacked is a bad response."""

    outcome = Outcome.BAD_RESPONSE


class Redirect(_Counted, RedirectMiddleware):  # type: ignore[misc]
    """What leads to something that is no URL is a redirect, and over."""

    outcome = Outcome.REDIRECT


class MetaRefresh(MetaRefreshMiddleware):
    """Charsets that Python knows and the web does not (``undefined``, ``base64``) are read by our decoder; what leads nowhere leads nowhere."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        # Scrapy looks at 4,096 characters, and decodes the whole page for that; zeros stand between those of UTF-16
        if b"refresh" not in response.body[:16_384].replace(b"\0", b"").lower():
            return response
        with suppress(Exception):  # of codecs, of parsers of URLs
            return super().process_response(request, response)
        body = decode(response.body, content_type_of(response)).text.encode("utf-8", "replace")
        with suppress(Exception):
            found = super().process_response(request, response.replace(body=body, encoding="utf-8"))
            return found if isinstance(found, Request) else response
        return response
