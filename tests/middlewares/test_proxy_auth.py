"""Proxies and logins reach exactly the host they belong to."""

from __future__ import annotations

import base64

import pytest
from scrapy import Request

from topicspider.errors import ConfigError
from topicspider.middlewares.proxy_auth import ProxyAuthMiddleware
from topicspider.topic.profile import SiteAccess

SITES = {
    "member.example": SiteAccess(user="读者", password_env="MEMBER_PASSWORD"),
    "far.example": SiteAccess(proxy="http://me:secret@proxy.example:3128/"),
    "odd.example:8080": SiteAccess(user="u", password_env="ODD_PASSWORD"),
}
ENVIRONMENT = {"MEMBER_PASSWORD": "口令", "ODD_PASSWORD": "p"}
LOGIN = b"Basic " + base64.b64encode("读者:口令".encode())


def _sites() -> ProxyAuthMiddleware:
    return ProxyAuthMiddleware(SITES, ENVIRONMENT)


def _sent(url: str, **more: object) -> Request:
    request = Request(url, **more)  # type: ignore[arg-type]
    _sites().process_request(request)
    return request


@pytest.mark.parametrize("url", ["http://member.example/", "https://member.example:8443/x", "http://MEMBER.example/"])
def test_a_login_goes_to_its_host(url: str) -> None:
    assert _sent(url).headers["Authorization"] == LOGIN


@pytest.mark.parametrize(
    "url",
    [
        "http://www.member.example/",
        "http://member.example.evil.example/",
        "http://x.example/?member.example",
        "http://odd.example/",
    ],
)
def test_a_login_goes_nowhere_else(url: str) -> None:
    assert "Authorization" not in _sent(url).headers


def test_a_proxy_is_for_its_host_only() -> None:
    assert _sent("http://far.example/").meta["proxy"] == "http://me:secret@proxy.example:3128/"
    assert "proxy" not in _sent("http://near.example/").meta


def test_a_redirect_to_another_host_carries_nothing_along() -> None:
    login = _sent("http://member.example/").replace(url="http://other.example/")
    _sites().process_request(login)
    assert "Authorization" not in login.headers


def test_a_redirect_away_from_a_proxy_leaves_it() -> None:
    # as Scrapy's proxy middleware leaves it
    meta = {"proxy": "http://proxy.example:3128", "_auth_proxy": "http://proxy.example:3128"}
    request = _sent("http://other.example/", meta=meta, headers={"Proxy-Authorization": "Basic bWU6c2VjcmV0"})
    assert "proxy" not in request.meta
    assert "_auth_proxy" not in request.meta
    assert "Proxy-Authorization" not in request.headers


def test_a_missing_password_is_said_by_the_variables_name() -> None:
    with pytest.raises(ConfigError, match="MEMBER_PASSWORD") as caught:
        ProxyAuthMiddleware(SITES, {"ODD_PASSWORD": "geheim"})
    assert "geheim" not in str(caught.value)
