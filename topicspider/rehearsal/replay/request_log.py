"""Writes what a replay server was asked, one JSON object a line, for tests and charts."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TextIO

from topicspider.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class LoggedRequest:
    """One request. Times: ``start``/``end`` of the monotonic clock of the machine, ``*_wall`` of the Unix epoch; seconds.

    ``start``: its head was read; ``end``: the last byte of the answer left for the system's buffer.
    ``connection``: a number for each TCP connection. ``path`` has the query. ``status`` 0: no answer was sent
    (``fault``: reset, or gone when the client closed before the end).
    """

    connection: int
    method: str
    scheme: str
    host: str
    path: str
    status: int = 0
    fault: str = ""
    bytes: int = 0
    start: float = field(default_factory=time.monotonic)
    start_wall: float = field(default_factory=time.time)
    end: float = 0.0
    end_wall: float = 0.0


class RequestLog:
    """Appends to a file; each line is there as soon as its request is over."""

    def __init__(self, path: Path | None) -> None:
        self._file: TextIO | None = None
        if path is not None:
            try:
                self._file = path.open("w", encoding="utf-8", buffering=1)
            except OSError as error:
                raise ConfigError("--log", str(path), f"a file that can be written ({error.strerror})") from None

    def write(self, request: LoggedRequest) -> None:
        """The request ends now."""
        request.end, request.end_wall = time.monotonic(), time.time()
        if self._file is not None:
            self._file.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Close the file; what ends later is not written."""
        if self._file is not None:
            self._file.close()
            self._file = None
