"""Which responses are documents, what one becomes (markup, or the name of a failure), and what one may cost its reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from topicspider.errors import TopicSpiderError

MAX_TEXT = 400_000
"""Characters taken from a document: twice what a page's body keeps."""
MAX_MARKUP_BYTES = 4 * 1024 * 1024
"""``MAX_TEXT`` Chinese characters with their tags are about 1.3 MB."""
CPU_SECONDS = 4.0
"""A reader that has spent more stops, and what it has by then is the document; after twice as many the system ends the worker."""
WALL_SECONDS = 30.0
"""To start a worker, and for one document, on a busy machine; then the worker is ended."""
MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of the worker. Python and the readers take 150 MiB of it."""


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
    """``markup`` is UTF-8 HTML, b"" when ``failure`` says why there is none; ``kind`` is pdf or docx."""

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
