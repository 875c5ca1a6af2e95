"""A recorded HTTP response."""

from __future__ import annotations

from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One recorded response, as it is sent again.

    ``headers``: latin-1 text, without hop-by-hop headers, Content-Length and Content-Encoding, because ``body`` is decompressed.
    ``chunked``: sent in chunks, without its length. ``delay_seconds``: how long the server waits before it answers.
    """

    url: str
    status: int
    reason: str
    headers: Headers
    body: bytes
    chunked: bool = False
    delay_seconds: float = 0.0
