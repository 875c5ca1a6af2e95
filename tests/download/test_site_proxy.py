"""A proxy for one site: named in the environment, beside that for all."""

from __future__ import annotations

import pytest
from scrapy import Request

from support.crawling import NO_DELAYS, environment, scrapy
from support.site import TRAVEL, page, small_web
from topicspider.download.reachability import proxy_of
from topicspider.errors import ConfigError
from topicspider.middlewares.site_proxy import SiteProxyMiddleware

ALL, OWN = "http://127.0.0.1:1", "http://user:geheim@127.0.0.1:2"


@pytest.fixture
def proxies(monkeypatch):
    for name, value in {"http_proxy": ALL, "no_proxy": "", "site_proxy": f"a.example={OWN}"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://a.example/", OWN),
        ("https://www.a.example/x", OWN),
        ("http://aa.example/", ALL),
        ("http://example/", ALL),
    ],
)
def test_a_site_and_its_subdomains_have_their_own(proxies, url, proxy):
    assert proxy_of(url) == proxy


def test_it_is_chosen_anew_for_each_request(proxies):
    middleware = SiteProxyMiddleware()
    request = Request("http://a.example/", meta={"topicspider_depth": 0})
    middleware.process_request(request)
    assert (request.meta["proxy"], request.headers[b"Proxy-Authorization"][:6]) == ("http://127.0.0.1:2", b"Basic ")
    elsewhere = request.replace(url="http://b.example/")
    middleware.process_request(elsewhere)
    assert elsewhere.meta["proxy"] == ALL
    assert b"Proxy-Authorization" not in elsewhere.headers
    own = Request("http://a.example/", meta={"proxy": "http://127.0.0.1:3"})
    middleware.process_request(own)
    assert own.meta["proxy"] == "http://127.0.0.1:3"


@pytest.mark.parametrize("value", ["a.example", "http://x:1", "a.example=x:1", "=http://x:1"])
def test_what_is_no_list_of_sites_is_one_clear_error(monkeypatch, value):
    monkeypatch.setenv("site_proxy", value)
    with pytest.raises(ConfigError, match=r"site_proxy: .* allowed: HOST=http://PROXY:PORT"):
        proxy_of("http://a.example/")


def test_seeds_go_through_it_from_their_first_check_on(tmp_path):
    site = {"http://w0.example/": page("旅游", TRAVEL), "http://w1.example/": page("旅游", TRAVEL)}
    with small_web(site) as one, small_web(site) as other:
        env = environment(one.proxy, site_proxy=f"w1.example={other.proxy}")
        seeds = "seeds=http://w0.example/,http://w1.example/"
        ended = scrapy(["crawl", "topic", "-a", "topic=tourism", "-a", seeds, *NO_DELAYS], tmp_path, env)
    assert ended.exit_code == 0, ended.err
    assert (one.pages(), other.pages()) == (["http://w0.example/"], ["http://w1.example/"])
