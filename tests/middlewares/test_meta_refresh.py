"""A meta refresh is followed; pages that have none are not decoded to find that out."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from topicspider.middlewares.odd_answers import MetaRefresh

PAGE = "<title>旅游</title><meta http-equiv='{}' content='0; url=http://a.example/next'>"
REQUEST = Request("http://a.example/")


def _answered(body, encoding="utf-8"):
    middleware = build_from_crawler(MetaRefresh, get_crawler())
    return middleware.process_response(
        REQUEST, HtmlResponse(REQUEST.url, body=body, headers={"Content-Type": f"text/html; charset={encoding}"})
    )


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
@pytest.mark.parametrize("word", ["refresh", "Refresh", "REFRESH"])
def test_a_refresh_is_followed_in_every_encoding(word, encoding):
    answer = _answered(PAGE.format(word).encode(encoding), encoding)
    assert isinstance(answer, Request)
    assert answer.url == "http://a.example/next"


def test_a_page_that_has_none_is_not_decoded():
    page = _answered(PAGE.format("content-language").encode())
    assert isinstance(page, HtmlResponse)
    assert page._cached_ubody is None


def test_what_stands_far_down_refreshes_nothing():
    assert isinstance(_answered(b" " * 20_000 + PAGE.format("refresh").encode()), HtmlResponse)
