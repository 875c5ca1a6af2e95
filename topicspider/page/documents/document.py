"""Which responses are documents, what one becomes (markup, or the name of a failure), and what one may cost its reader."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from topicspider.errors import TopicSpiderError

MAX_TEXT = 400_000
"""Characters taken from a document: twice what a page's body keeps."""
MAX_MARKUP_BYTES = 4 * 1024 * 1024
"""``MAX_TEXT`` Chinese characters with their tags are about 1.3 MB."""
MAX_LINKS = 2_000
CPU_SECONDS = 4.0
"""A reader that has spent more stops, and what it has by then is the document; after twice as many the system ends the worker."""
WALL_SECONDS = 30.0
"""To start a worker, and for one document, on a busy machine; then the worker is ended."""
MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of the worker. Python and the readers take 150 MiB of it."""

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB = "application/epub+zip"
DOCUMENT_TYPES = (PDF, DOCX, EPUB)
"""The content types of documents, as a server should say them."""

KINDS = dict.fromkeys((PDF, "application/x-pdf", "application/acrobat", "text/pdf"), "pdf") | {
    DOCX: "docx",
    EPUB: "epub",
    "application/epub": "epub",
}
_VAGUE = frozenset(
    {
        "application/octet-stream", "binary/octet-stream", "application/download", "application/x-download",
        "application/force-download", "application/x-octet-stream", "application/zip", "application/x-zip-compressed",
        "application/x-zip", "application/msword", "application/vnd.ms-word", "unknown/unknown", "application/unknown",
    }
)  # fmt: skip
"""Types that say little: whether it is a document, the address tells."""
_BY_ENDING = {"pdf": PDF, "docx": DOCX, "epub": EPUB}
_ENDING = re.compile(r"\.(pdf|docx|epub)\Z", re.IGNORECASE)
_FILE_NAME = re.compile(r"filename\*?\s*=\s*[^;]{0,300}?\.(pdf|docx|epub)[\"']?\s*(?:;|\Z)", re.IGNORECASE)
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Word's format before 2007; also what a DOCX with a password is wrapped in."""


class Failure(StrEnum):
    """Why a document has no markup; also the names by which crawls count it."""

    DAMAGED = "document_damaged"  # broken, or not what its type says
    LOCKED = "document_locked"  # a password, DRM
    EMPTY = "document_empty"  # no text in it: scanned pages, pictures
    LIMIT = "document_limit"  # too much time or memory, a bomb, or it broke its reader
    UNREAD = "document_unread"  # no reader could be started


class Unreadable(TopicSpiderError):
    """There is nothing to read; the worker turns it into its answer."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.value)


@dataclass(frozen=True, slots=True)
class Document:
    """``markup`` is UTF-8 HTML, b"" when ``failure`` says why there is none; ``kind`` is pdf, docx or epub."""

    kind: str
    markup: bytes = b""
    failure: str = ""

    @property
    def content_type(self) -> str:
        """Of the markup; a type that nothing reads when there is none."""
        return "application/octet-stream" if self.failure else "text/html; charset=utf-8"

    @property
    def readable_kind(self) -> str:
        """The kind, "" when there is nothing to read."""
        return "" if self.failure else self.kind


def kind_of(body: bytes, content_type: str = "") -> str:
    """pdf, docx, epub, or "" for anything else; what the bytes say goes before the content type."""
    declared = KINDS.get(media_type(content_type), "")
    head = body[:1024].lstrip()
    if head.startswith(b"%PDF-") or (declared == "pdf" and b"%PDF-" in head):
        return "pdf"
    if body.startswith(b"PK\x03\x04"):
        return _zip_kind(body) or (declared if declared != "pdf" else "")
    if body.startswith(OLD_OFFICE):
        return "docx" if declared == "docx" else ""
    return "" if head.lower().startswith((b"<!doctype html", b"<html")) else declared  # error pages keep the type


def is_wanted(types: Collection[str], content_type: str, url: str, disposition: str = "") -> bool:
    """Whether an answer of this type is to be read when ``types`` are: also a document that a vague type hides.

    ``disposition``: the header Content-Disposition, which may name the file.
    """
    kind = media_type(content_type)
    if not kind or kind in types:
        return True
    if kind in KINDS:  # another spelling of a type
        return any(KINDS.get(wanted) == KINDS[kind] for wanted in types)
    return kind in _VAGUE and _named_type(url, disposition) in types


def media_type(content_type: str) -> str:
    """``text/html`` of ``Text/HTML; charset=gbk``."""
    return content_type[:500].partition(";")[0].strip().lower()


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
    head = body[:1024].lstrip().lower()
    return b"\0" not in head[:64] and any(mark in head for mark in _MARKUP)


def _named_type(url: str, disposition: str) -> str:
    path = unquote(url[:2083].partition("#")[0].partition("?")[0])
    found = _ENDING.search(path) or _FILE_NAME.search(unquote(disposition[:1000]))
    return _BY_ENDING[found[1].lower()] if found else ""


def _zip_kind(body: bytes) -> str:
    if b"application/epub+zip" in body[:200] or b"META-INF/container.xml" in body:
        return "epub"
    return "docx" if b"word/document.xml" in body else ""
