"""Tells which kind of document a response is: by its first bytes, its content type, its address."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import unquote

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB = "application/epub+zip"
DOCUMENT_TYPES = (PDF, DOCX, EPUB)
"""The content types of documents, as a server should say them."""

KINDS = {
    PDF: "pdf",
    "application/x-pdf": "pdf",
    "application/acrobat": "pdf",
    "text/pdf": "pdf",
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
_ZIP = b"PK\x03\x04"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Word's format before 2007; also what a DOCX with a password is wrapped in."""


def kind_of(body: bytes, content_type: str = "") -> str:
    """pdf, docx, epub, or "" for anything else; what the bytes say goes before the content type."""
    declared = KINDS.get(media_type(content_type), "")
    if body[:1024].lstrip().startswith(b"%PDF-") or (declared == "pdf" and b"%PDF-" in body[:1024]):
        return "pdf"
    if body.startswith(_ZIP):
        return _zip_kind(body) or (declared if declared != "pdf" else "")
    if body.startswith(_OLD_OFFICE):
        return "docx" if declared == "docx" else ""
    return declared if declared and not _is_markup(body) else ""


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


def _named_type(url: str, disposition: str) -> str:
    path = unquote(url[:2083].partition("#")[0].partition("?")[0])
    found = _ENDING.search(path) or _FILE_NAME.search(unquote(disposition[:1000]))
    return _BY_ENDING[found[1].lower()] if found else ""


def _zip_kind(body: bytes) -> str:
    if b"application/epub+zip" in body[:200] or b"META-INF/container.xml" in body:
        return "epub"
    return "docx" if b"word/document.xml" in body else ""


def _is_markup(body: bytes) -> bool:
    """An error page may come under the type of the document that was asked for."""
    head = body[:1024].lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html"))
