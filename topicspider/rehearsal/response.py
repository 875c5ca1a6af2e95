"""A recorded HTTP response, and what a web of such responses can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One answer, as it goes over the wire.

    ``headers`` are latin-1 text without those of the connection (hop-by-hop), Content-Length and Content-Encoding: ``body`` is
    unpacked. ``chunked``: sent in chunks, its length unsaid. ``delay_seconds``: how long the server takes before it answers.
    """

    url: str
    status: int
    reason: str
    headers: Headers
    body: bytes
    chunked: bool = False
    delay_seconds: float = 0.0


class RecordedWeb(Protocol):
    """A web of recorded or synthetic responses. All methods may be called from one thread only."""

    def find(self, url: str) -> RecordedResponse | None:
        """What ``url`` (absolute, http or https) answers; None when it is not there. Raises RecordingError."""

    def knows(self, host: str) -> bool:
        """Whether ``host`` (lower case, with its port unless it is the usual one) has pages."""

    def hosts(self) -> Iterator[str]:
        """Every host that has pages."""

    def __len__(self) -> int:
        """How many pages there are."""
