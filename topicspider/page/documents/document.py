"""The record of a document that was turned into simple markup, or of why it was not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """Why a document has no markup; also the names by which crawls count it."""

    DAMAGED = "document_damaged"  # broken, or not what its type says
    LOCKED = "document_locked"  # a password, DRM
    EMPTY = "document_empty"  # no text in it: scanned pages, pictures
    LIMIT = "document_limit"  # too much time or memory, a bomb, or it broke its reader
    UNREAD = "document_unread"  # no reader could be started


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
