"""Runs a real Scrapy crawl of given URLs in a process of its own, and tells how each ended."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TIMES = (
    "connect_seconds",
    "response_seconds",
    "requests_per_connection",
    "topicspider_download_seconds",
    "topicspider_rest_seconds",
)


@dataclass(frozen=True)
class Crawl:
    """``ends`` in the order they came: url, outcome, the times in meta."""

    ends: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str
    peak_mib: float

    def end(self, url: str) -> dict[str, Any]:
        return next(end for end in self.ends if end["url"] == url)

    def outcome(self, url: str) -> str:
        return str(self.end(url)["outcome"])


def crawl(
    urls: list[str], *, ready: bool = False, env: dict[str, str] | None = None, seconds: float = 60, **settings: Any
) -> Crawl:
    """Fetch ``urls``; ``ready``: with a scheduler that hands out only hosts that are ready."""
    order = json.dumps({"urls": urls, "ready": ready, "settings": settings})
    clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", str(Path(__file__)), order],
        capture_output=True,
        text=True,
        timeout=seconds,
        cwd=ROOT,
        env={**clean, "PYTHONPATH": str(ROOT), **(env or {})},
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr[-4000:])
    told = json.loads(done.stdout)
    return Crawl(told["ends"], told["stats"], done.stderr, told["peak_mib"])


def settings_for(order: dict[str, Any]) -> dict[str, Any]:
    chain: dict[str, Any] = {
        "topicspider.middlewares.guard.GuardMiddleware": 745,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "topicspider.middlewares.politeness.PolitenessMiddleware": 760,
    }
    handler = "topicspider.download.handler.GuardedDownloadHandler"
    return {
        "DOWNLOADER_MIDDLEWARES": chain,
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler, "file": None, "ftp": None, "s3": None, "data": None},
        "USER_AGENT": "topicspider/0.1 (+https://crawler.example/)",
        "RETRY_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "ROBOTSTXT_OBEY": False,
        "TOPICSPIDER_ALLOW_PRIVATE": True,
        "TOPICSPIDER_DELAY_MIN": 0,
        "TOPICSPIDER_DELAY_FACTOR": 0,
        **({"SCHEDULER": "tests.download.ready_scheduler.ReadyScheduler"} if order["ready"] else {}),
        **order["settings"],
    }


def main() -> None:
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess

    from topicspider.download.outcome import outcome_of_exception, outcome_of_status

    order = json.loads(sys.argv[1])
    ends: list[dict[str, Any]] = []

    def note(request: Request, outcome: str) -> None:
        meta = request.meta
        ends.append({"url": meta["first"], "outcome": outcome, **{name: meta.get(name) for name in TIMES}})

    class Probe(Spider):
        name = "probe"
        handle_httpstatus_all = True

        async def start(self) -> Any:
            for url in order["urls"]:
                yield Request(url, self.parse, errback=self.failed, dont_filter=True, meta={"first": url})

        def parse(self, response: Any) -> None:
            note(response.request, outcome_of_status(response.status))

        def failed(self, failure: Any) -> None:
            outcome = outcome_of_exception(failure.value)
            if outcome != "postponed":  # no end: it comes back
                note(failure.request, outcome)

    process = AsyncCrawlerProcess({**settings_for(order), "HTTPERROR_ALLOW_ALL": True})
    crawler = process.create_crawler(Probe)
    process.crawl(crawler)
    process.start()
    stats = {key: value for key, value in crawler.stats.get_stats().items() if isinstance(value, (int, float, str))}
    # not getrusage: on Linux its peak is inherited from the process that started this one
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    peak = int(found[1]) / 1024 if found else 0.0
    print(json.dumps({"ends": ends, "stats": stats, "peak_mib": peak}))


if __name__ == "__main__":
    main()
