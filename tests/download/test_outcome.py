"""Every end of a fetch has a name."""

from __future__ import annotations

import gzip
import socket
import ssl

import aiohttp
import pytest
from scrapy import Request, exceptions
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler
from twisted.internet import error as twisted_error

from topicspider.download.handler import Refused
from topicspider.download.outcome import may_retry, outcome_of_exception, outcome_of_status
from topicspider.meta import OUTCOME
from topicspider.middlewares.odd_answers import Decompression


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "page"), (204, "empty"), (301, "redirect"), (304, "not_modified"), (403, "forbidden"),
        (404, "not_found"), (408, "read_timeout"), (410, "not_found"), (418, "client_error"),
        (429, "too_many_requests"), (451, "forbidden"), (503, "server_error"), (0, "bad_response"),
    ],
)  # fmt: skip
def test_a_status_has_an_outcome(status: int, outcome: str) -> None:
    assert outcome_of_status(status) == outcome


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Refused("robots"), "robots"),
        (exceptions.DownloadTimeoutError(), "page_timeout"),
        (exceptions.CannotResolveHostError(), "dns"),
        (exceptions.DownloadConnectionRefusedError(), "refused"),
        (exceptions.DownloadFailedError(), "bad_response"),
        (exceptions.ResponseDataLossError(), "reset"),
        (exceptions.DownloadCancelledError(), "too_large"),
        (exceptions.UnsupportedURLSchemeError(), "scheme"),
        (exceptions.IgnoreRequest(), "filtered"),
        (exceptions.StopDownload(), "wrong_type"),
        (HttpError(Response("http://a.example/", status=404)), "not_found"),
        (twisted_error.DNSLookupError(), "dns"),
        (twisted_error.TimeoutError(), "page_timeout"),
        (twisted_error.ConnectionRefusedError(), "refused"),
        (twisted_error.ConnectionLost(), "reset"),
        (aiohttp.ServerDisconnectedError(), "reset"),
        (aiohttp.SocketTimeoutError(), "read_timeout"),
        (aiohttp.ConnectionTimeoutError(), "connect_timeout"),
        (TimeoutError(), "page_timeout"),
        (ConnectionResetError(), "reset"),
        (socket.gaierror(), "dns"),
        (ssl.SSLError(), "tls"),
        (RuntimeError("坏了"), "failed"),
    ],
)
def test_an_exception_has_an_outcome(error: Exception, outcome: str) -> None:
    assert outcome_of_exception(error) == outcome


def test_a_page_that_does_not_fit_when_unpacked_is_too_large() -> None:
    """Though Scrapy says it in process_response, which no other middleware is told of."""
    request = Request("http://a.example/", meta={"download_maxsize": 999})
    packed = Response(request.url, headers={"Content-Encoding": "gzip"}, body=gzip.compress(b"x" * 1000))
    with pytest.raises(exceptions.IgnoreRequest):
        build_from_crawler(Decompression, get_crawler()).process_response(request, packed)
    assert request.meta[OUTCOME] == "too_large"


def test_only_what_may_pass_is_tried_again() -> None:
    final = {
        "page", "redirect", "not_found", "forbidden", "robots", "private_address",
        "too_large", "wrong_type", "scheme", "host_down",
    }  # fmt: skip
    passing = {
        "read_timeout", "connect_timeout", "page_timeout", "dns", "refused",
        "reset", "server_error", "too_many_requests", "callback_error",
    }  # fmt: skip
    assert {name for name in final | passing if may_retry(name)} == passing
    assert not may_retry("a reason of somebody else")
