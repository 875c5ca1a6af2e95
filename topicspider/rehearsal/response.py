"""A recorded HTTP response."""

from __future__ import annotations

from dataclasses import dataclass

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
