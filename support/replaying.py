"""Offline webs for tests: a replay server in a process of its own, and small WARC files."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.rehearsal.replay.server import replay_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Stored = tuple[str, bytes] | tuple[int, dict[str, str], bytes]


@dataclass(frozen=True, slots=True)
class RunningReplay:
    """A running replay server; ``proxy_url`` is for http_proxy and https_proxy, which ``environment`` has."""

    proxy_url: str
    log_path: Path

    @property
    def environment(self) -> dict[str, str]:
        """The variables that send every client through the server."""
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
        return {**dict.fromkeys(names, self.proxy_url), "no_proxy": "", "NO_PROXY": ""}

    def log(self, at_least: int = 0) -> list[dict[str, Any]]:
        """The requests so far, in the order in which they ended; the fields are those of request_log.LoggedRequest.

        A line may be written a moment after the client has its answer: waits up to 10 s for ``at_least`` lines.
        """
        deadline = time.monotonic() + 10
        while True:
            lines = self.log_path.read_text(encoding="utf-8").splitlines()
            if len(lines) >= at_least or time.monotonic() > deadline:
                return [json.loads(line) for line in lines]
            time.sleep(0.01)


@contextmanager
def replay_server(
    spec: str | Path,
    *,
    latency: float | str = 0,
    errors: float = 0,
    robots: str | None = None,
    seed: int = 0,
) -> Iterator[RunningReplay]:
    """Serve ``spec`` (a WARC or made:…) while the block runs; ``robots``: the text of every host's robots.txt."""
    with tempfile.TemporaryDirectory(prefix="topicspider-replay-") as folder:
        log = Path(folder) / "requests.jsonl"
        options = ["--latency", str(latency), "--errors", str(errors), "--log", str(log), "--seed", str(seed)]
        if robots is not None:
            file = Path(folder) / "robots.txt"
            file.write_text(robots, encoding="utf-8")
            options += ["--robots", str(file)]
        with replay_process(str(spec), *options) as proxy_url:
            yield RunningReplay(proxy_url, log)


def write_warc(path: Path, pages: Mapping[str, Stored], *, gzip: bool = False) -> Path:
    """Record ``{url: (content_type, body)}`` or ``{url: (status, headers, body)}`` in a WARC at ``path``."""
    with path.open("wb") as file:
        for url, stored in pages.items():
            record = _record(url, *((200, {"Content-Type": stored[0]}, stored[1]) if len(stored) == 2 else stored))
            file.write(compress(record) if gzip else record)
    return path


def _record(url: str, status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} Recorded", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    block = "\r\n".join(lines).encode() + body
    head = ["WARC/1.1", "WARC-Type: response", f"WARC-Target-URI: {url}", f"Content-Length: {len(block)}", "", ""]
    return "\r\n".join(head).encode() + block + b"\r\n\r\n"
