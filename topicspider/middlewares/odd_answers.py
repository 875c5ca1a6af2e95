"""Downloader middlewares: Scrapy's three that read an answer before we do, kept from raising whatever a server sends."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from topicspider.download.outcome import Outcome
from topicspider.meta import OUTCOME
from topicspider.page.decode import decode


class Decompression(HttpCompressionMiddleware):
    """What says that it is packed and cannot be unpacked is a bad response."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            raise
        except Exception as error:
            raise _ended(request, Outcome.BAD_RESPONSE, error) from error


class Redirect(RedirectMiddleware):
    """What leads to something that is no URL is a redirect, and over."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            raise
        except Exception as error:
            raise _ended(request, Outcome.REDIRECT, error) from error


class MetaRefresh(MetaRefreshMiddleware):
    """Charsets that Python knows and the web does not (``undefined``, ``base64``) are read by our decoder; what leads nowhere leads nowhere."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return super().process_response(request, response)
        except Exception:  # noqa: BLE001 - of codecs, of parsers of URLs
            return self._read_anew(request, response)

    def _read_anew(self, request: Request, response: Response) -> Request | Response:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        text = decode(response.body, content_type).text
        try:
            found = super().process_response(
                request, response.replace(body=text.encode("utf-8", "replace"), encoding="utf-8")
            )
        except Exception:  # noqa: BLE001
            return response
        return found if isinstance(found, Request) else response


def _ended(request: Request, outcome: Outcome, error: Exception) -> IgnoreRequest:
    request.meta[OUTCOME] = outcome.value
    return IgnoreRequest(f"{outcome}: {type(error).__name__}")
