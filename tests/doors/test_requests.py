"""Requests survive the frontier: JSON by an allow-list, with the spider's own callbacks."""

from __future__ import annotations

import pytest
from scrapy import FormRequest, Request, Spider

from topicspider.request_codec import NotSerializable, entry_of, request_of


class ShopSpider(Spider):
    name = "shop"

    def parse_shop(self, response):
        """A callback."""

    def failed(self, failure):
        """An errback."""


@pytest.fixture
def spider():
    return ShopSpider()


def round_trip(request, spider):
    return request_of(entry_of(request, spider), spider)


def test_a_plain_get_needs_no_payload(spider):
    entry = entry_of(Request("http://例子.example/旅游?q=北京"), spider)
    assert entry.payload == ""
    assert entry.url == "http://xn--fsqu00a.example/%E6%97%85%E6%B8%B8?q=%E5%8C%97%E4%BA%AC"
    assert entry.host == "xn--fsqu00a.example:80"


def test_callbacks_come_back_as_methods_of_the_spider(spider):
    request = round_trip(Request("http://a.example/", callback=spider.parse_shop, errback=spider.failed), spider)
    assert request.callback == spider.parse_shop
    assert request.errback == spider.failed


def test_body_method_meta_and_arguments_come_back(spider):
    given = FormRequest(
        "http://a.example/search", formdata={"词": "旅游"}, meta={"rule": 3, "词": ["一", "二"]}, cb_kwargs={"page": 2}
    )
    request = round_trip(given, spider)
    assert (request.method, request.body) == (given.method, given.body)
    assert (request.meta["rule"], request.meta["词"], request.cb_kwargs) == (3, ["一", "二"], {"page": 2})
    assert request.headers["Content-Type"] == given.headers["Content-Type"]


def test_credentials_and_cookies_headers_never_reach_the_frontier(spider):
    headers = {"Authorization": "Basic c2VjcmV0", "Cookie": "id=1"}
    with pytest.raises(NotSerializable, match="authorization"):
        entry_of(Request("http://a.example/", headers=headers), spider)
    redirected = Request(
        "http://a.example/", headers=headers, meta={"redirect_times": 1, "redirect_urls": ["http://b.example/"]}
    )
    assert "c2VjcmV0" not in entry_of(redirected, spider).payload


def test_a_header_of_the_spiders_own_cannot_be_written_down(spider):
    with pytest.raises(NotSerializable, match="x-token"):
        entry_of(Request("http://a.example/", headers={"X-Token": "1"}), spider)


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.example/", callback=lambda response: None),
        Request("http://a.example/", meta={"driver": object()}),
        Request("http://a.example/", meta={"pair": (1, 2)}),
        Request("http://a.example/", cb_kwargs={"n": {1: 2}}),
    ],
    ids=["lambda", "object", "tuple", "integer key"],
)
def test_what_json_would_change_is_refused_not_altered(spider, request_):
    with pytest.raises(NotSerializable):
        entry_of(request_, spider)


def test_the_same_page_has_the_same_fingerprint_and_a_form_has_another(spider):
    first, again = entry_of(Request("http://a.example"), spider), entry_of(Request("HTTP://A.example:80/#x"), spider)
    form = entry_of(Request("http://a.example/", method="POST", body=b"q=1"), spider)
    assert first.fingerprint == again.fingerprint
    assert form.fingerprint != first.fingerprint


def test_dont_filter_is_a_new_url_each_time_but_not_for_seeds(spider):
    one, two = (entry_of(Request("http://a.example/", dont_filter=True), spider) for _ in range(2))
    seed = entry_of(Request("http://a.example/", dont_filter=True, meta={"is_start_request": True}), spider)
    assert one.fingerprint != seed.fingerprint
    assert seed.fingerprint == entry_of(Request("http://a.example/"), spider).fingerprint
    assert two is not None


def test_a_payload_for_another_spider_is_an_error_not_a_call(spider):
    entry = entry_of(Request("http://a.example/", callback=spider.parse_shop), spider)
    with pytest.raises(ValueError, match="parse_shop"):
        request_of(entry, Spider("other"))
