"""A document (PDF, DOCX) after its conversion to markup, the failures of conversion, and the limits on time and memory for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from topicspider.errors import TopicSpiderError

MAX_TEXT = 400_000
"""Most characters taken from a document: twice what a page's body keeps."""
MAX_MARKUP_BYTES = 4 * 1024 * 1024
"""Most bytes of markup; ``MAX_TEXT`` Chinese characters with their tags are about 1.3 MB."""
CPU_SECONDS = 4.0
"""After this CPU time a reader stops, and what it has read so far is the document; after twice as long the system kills the worker."""
WALL_SECONDS = 30.0
"""Time for starting a worker and reading one document, on a busy machine; then the worker is killed."""
MEMORY_BYTES = 512 * 1024 * 1024
"""Most address space of the worker; Python and the readers take 150 MiB of it."""


class Failure(StrEnum):
    """Why a document has no markup; also the names by which crawls count it."""

    DAMAGED = "document_damaged"  # broken, or not what its type says
    LOCKED = "document_locked"  # a password, DRM
    EMPTY = "document_empty"  # no text in it: scanned pages, pictures
    LIMIT = "document_limit"  # too much time or memory, a bomb, or it broke its reader
    UNREAD = "document_unread"  # no reader could be started


class Unreadable(TopicSpiderError):
    """Raised when there is nothing to read; the worker returns its failure."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.value)


@dataclass(frozen=True, slots=True)
class Document:
    """A converted document. ``kind``: pdf or docx. ``markup``: UTF-8 HTML, or b"", and then ``failure`` says why."""

    kind: str
    markup: bytes = b""
    failure: str = ""

    @property
    def content_type(self) -> str:
        """The content type of the markup; application/octet-stream, which nothing reads, when there is none."""
        return "application/octet-stream" if self.failure else "text/html; charset=utf-8"

    @property
    def readable_kind(self) -> str:
        """The kind, "" when there is nothing to read."""
        return "" if self.failure else self.kind
