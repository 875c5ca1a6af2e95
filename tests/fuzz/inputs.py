"""Turns the bytes of a fuzzer into a page: the first byte chooses how it is asked for, the rest is its body."""

from __future__ import annotations

import datetime

from topicspider.page.page import Page

CONTENT_TYPES = (
    "text/html",
    "text/html; charset=gb2312",
    "text/html; charset=utf-8",
    "text/html; charset=big5",
    "",
    "text/plain; charset=shift_jis",
    "application/xhtml+xml; charset=utf-16",
    "text/html; charset=no-such",
)
URLS = ("http://www.example.cn/旅游/2024/0501/1.html", "http://www.example.cn/list_2.html?id=7", "http://[::1", "")


def page_of(data: bytes) -> Page:
    """The page that an input stands for."""
    choice = data[0] if data else 0
    return Page(
        URLS[choice >> 3 & 3],
        data[1:],
        CONTENT_TYPES[choice & 7],
        extraction="published" if choice & 32 else "default",
        fetched_on=datetime.date(2024, 5, 2) if choice & 128 else None,
    )
