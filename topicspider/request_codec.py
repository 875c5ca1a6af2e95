"""Converts Requests to frontier entries and back: JSON with an allow-list, never pickle."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any

from scrapy import Request, Spider

from topicspider.frontier.protocol import Entry, HostTiming
from topicspider.meta import (
    CONNECT_SECONDS,
    DEPTH,
    PASSING,
    REFERRER,
    REQUESTS_PER_CONNECTION,
    RESPONSE_SECONDS,
    REST_SECONDS,
    SCORE,
)
from topicspider.url import canonicalize, fingerprint, host_key

_KEPT_HEADERS = ("accept", "accept-language", "content-type", "x-requested-with")
_SCRAPYS_HEADERS = {"accept-encoding", "cookie", "referer", "user-agent"}  # Scrapy sets them again


class NotSerializable(Exception):
    """The request holds something that JSON cannot represent, so it cannot be queued."""


def entry_of(request: Request, spider: Spider) -> Entry | None:
    """The frontier entry of ``request``; None when its URL cannot be crawled.

    Raises NotSerializable for a callback that is not a method of the spider, or meta that is not plain data.
    """
    url = canonicalize(request.url)
    if url is None:
        return None
    return Entry(
        url=url,
        fingerprint=fingerprint_of(request, url),
        host=host_key(url),
        score=float(request.meta.get(SCORE, request.priority)),
        depth=int(request.meta.get(DEPTH, 0)),
        referrer=str(request.meta.get(REFERRER, "")),
        payload=_payload(request, spider),
    )


def timing_of(meta: Mapping[str, Any], usual_rest: float) -> HostTiming:
    """What the attempt with this ``meta`` showed about its host. ``usual_rest``: the rest in seconds if ``meta`` gives none."""
    rest = meta.get(REST_SECONDS)
    return HostTiming(
        rest_seconds=usual_rest if rest is None else float(rest),
        connect_seconds=meta.get(CONNECT_SECONDS),
        response_seconds=meta.get(RESPONSE_SECONDS),
        requests_per_connection=meta.get(REQUESTS_PER_CONNECTION),
    )


def fingerprint_of(request: Request, url: str) -> int:
    """Equal for equal pages. Another method or a body gives another fingerprint, ``dont_filter`` a new one each time."""
    if request.method != "GET" or request.body:
        url = f"{request.method} {url} {base64.b64encode(request.body).decode()}"
    if request.dont_filter and not request.meta.get("is_start_request"):
        url = f"{url} {uuid.uuid4().hex}"
    return fingerprint(url)


def request_of(entry: Entry, spider: Spider) -> Request:
    """The Request of ``entry``; raises ValueError for a payload that does not fit the spider."""
    fields = json.loads(entry.payload) if entry.payload else {}
    meta = {DEPTH: entry.depth, SCORE: entry.score, REFERRER: entry.referrer, **fields.get("meta", {})}
    return Request(
        entry.url,
        method=fields.get("method", "GET"),
        body=base64.b64decode(fields.get("body", "")),
        headers=fields.get("headers"),
        cookies=fields.get("cookies"),
        callback=_method(spider, fields.get("callback", "")),
        errback=_method(spider, fields.get("errback", "")),
        cb_kwargs=fields.get("cb_kwargs"),
        meta=meta,
        priority=int(max(-1e9, min(1e9, entry.score * 10_000))),  # only mirrors the score
    )


def _payload(request: Request, spider: Spider) -> str:
    fields: dict[str, Any] = {
        "method": request.method if request.method != "GET" else "",
        "body": base64.b64encode(request.body).decode(),
        "callback": _name(spider, request.callback),
        "errback": _name(spider, request.errback),
        "cookies": request.cookies,
        "cb_kwargs": request.cb_kwargs,
        "headers": _headers(request),
        "meta": {**{key: value for key, value in request.meta.items() if key not in PASSING}, **_own_proxy(request)},
    }
    given = {key: value for key, value in fields.items() if value}
    return _dump(given) if given else ""


def _own_proxy(request: Request) -> dict[str, Any]:
    """The proxy that the spider set; one from the environment is looked up again. Raises NotSerializable for a proxy with a password."""
    meta = request.meta
    if "proxy" not in meta or "_scheme_proxy" in meta:
        return {}
    if "@" in str(meta["proxy"]) or "_auth_proxy" in meta:
        raise NotSerializable(
            "the login of its proxy is not written to disk; set such a proxy in a downloader middleware"
        )
    return {"proxy": meta["proxy"]}


def _dump(fields: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise NotSerializable(str(error)) from None
    if json.loads(text) != fields:  # tuples, int keys: JSON would return something else
        raise NotSerializable("meta or cb_kwargs would come back changed")
    return text


def _headers(request: Request) -> dict[str, str]:
    """The few headers that decide what a server answers; never cookies or credentials.

    Raises NotSerializable for any other header from the spider: without it the answer would differ. (Those of a redirected request were set
    by Scrapy, which sets them again.)
    """
    names = {name.decode("latin-1").lower() for name in request.headers}
    unkept = sorted(names - {*_KEPT_HEADERS, *_SCRAPYS_HEADERS})
    if unkept and "redirect_times" not in request.meta:
        raise NotSerializable(f"the header {unkept[0]} is not written to disk")
    pairs = ((name, request.headers.get(name)) for name in _KEPT_HEADERS)
    return {name: value.decode("latin-1") for name, value in pairs if value}


def _name(spider: Spider, method: Any) -> str:
    if method is None:
        return ""
    name = getattr(method, "__name__", "")
    if getattr(method, "__self__", None) is spider and getattr(spider, name, None) == method:
        return str(name)
    raise NotSerializable(f"callback {method!r} is no method of the spider")


def _method(spider: Spider, name: str) -> Any:
    if not name:
        return None
    method = getattr(spider, name, None)
    if not callable(method):
        raise ValueError(f"the spider has no method {name!r}")
    return method
