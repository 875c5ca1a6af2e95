"""How long Scrapy's loop works in our scheduler's ``next_request``, in a crawl of the made web.

    python benchmarks/crawl/waits.py [--pages 500] [--redis redis://127.0.0.1:6379/9]

Of the calls that gave a request, by the CPU clock of the loop's thread: what other processes take of the processor is not in it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from replayed import replay, scratch, start_scrapy

from support.crawling import order
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.scheduler import TopicScheduler

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.internet.defer import Deferred


class TimedScheduler(TopicScheduler):
    """Says at its end how long each call took."""

    waits: list[float]

    def next_request(self) -> Request | None:
        began = time.thread_time()
        request = super().next_request()
        if request is not None:
            self.__dict__.setdefault("waits", []).append(1e6 * (time.thread_time() - began))
        return request

    def close(self, reason: str) -> Deferred[None]:
        cuts = quantiles(self.waits, n=100)
        print(f"next_request, us: median {cuts[49]:.0f}, 99th {cuts[98]:.0f}, of {len(self.waits)}", flush=True)
        return super().close(reason)


def main() -> None:
    """Crawl; the scheduler prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--redis", default="", help="the frontier lies there, else in a file")
    options = parser.parse_args()
    with (
        scratch() as work,
        replay(f"made:pages={20 * options.pages},hosts=40,seed=1", work / "replay.log") as proxy,
    ):
        settings = {
            "TOPICSPIDER_DATA": work / "data",
            "SCHEDULER": "benchmarks.crawl.waits.TimedScheduler",
            "TOPICSPIDER_FRONTIER": options.redis,
            "LOG_LEVEL": "WARNING",
        }
        crawl = order("-a", f"max_pages={options.pages}", seeds=f"http://{DIRECTORY_HOST}/", **settings)
        sys.exit(start_scrapy(crawl, proxy).wait())


if __name__ == "__main__":
    main()
