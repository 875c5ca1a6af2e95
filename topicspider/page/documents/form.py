"""Tells markup, plain text and anything else apart: by the content type, then by what the first bytes look like."""

from __future__ import annotations

from topicspider.page.documents.kinds import kind_of, media_type
from topicspider.page.documents.plain import looks_like_text

_SNIFFED = 1024
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"text/plain", "application/octet-stream", "application/xml", "text/xml", "unknown/unknown"})
_NO_MARKUP = (b"%PDF-", b"PK\x03\x04")
"""Documents that a server calls text/html."""
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta", b"<div", b"<table", b"<a ", b"<p>")


def is_markup(body: bytes, content_type: str) -> bool:
    """Whether it is HTML or XHTML."""
    kind = media_type(content_type)
    if kind in _HTML_TYPES:
        return not body.startswith(_NO_MARKUP)
    if (kind and kind not in _UNKNOWN_TYPES) or kind_of(body, content_type):
        return False
    head = body[:_SNIFFED].lstrip().lower()
    return b"\0" not in head[:64] and any(mark in head for mark in _MARKUP)


def is_plain_text(url: str, body: bytes, content_type: str, text: str) -> bool:
    """Whether it is text for people, ``text`` being ``body`` decoded: robots.txt is for programs."""
    is_said = media_type(content_type) == "text/plain" and not url.endswith("/robots.txt")
    return is_said and not kind_of(body, content_type) and looks_like_text(text)
