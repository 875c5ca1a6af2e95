"""Measures the resident memory of a growing crawl of the synthetic web: a sample every so many pages.

    python -m benchmarks.crawl.memory [--pages 100000] [--step 10000] [--hosts 800] [--redis redis://127.0.0.1:6379/9] [--folder DIR]

One crawl without delays by the default link policy, at the pace that waits for no host; its web is three times as large. With
--folder, the crawl's data stay there, and the same command continues it where it was ended (pages are counted on).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.crawl.replayed import cpu_of, memory_of, start_scrapy
from support.crawling import order
from support.replaying import replay_server
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST

LOOK_SECONDS = 0.5


def main() -> None:
    """Print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--step", type=int, default=10_000)
    parser.add_argument("--hosts", type=int, default=800)
    parser.add_argument("--redis", default="", help="the frontier lies there, else in a file")
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    web = f"made:pages={3 * options.pages},hosts={options.hosts},seed=1"
    with tempfile.TemporaryDirectory() as work, replay_server(web) as served:
        process = _crawl(served.proxy_url, options.folder or Path(work), options)
        _watch(process, served.log_path, options.step)


def _crawl(proxy: str, folder: Path, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    settings = {"TOPICSPIDER_DATA": folder / "data", "TOPICSPIDER_LINK_THRESHOLD": 0, "LOG_LEVEL": "WARNING"}
    if options.redis:
        settings["TOPICSPIDER_FRONTIER"] = options.redis
    limits = ("-a", f"max_pages={options.pages}", "-a", "pace=fast")
    return start_scrapy(order(*limits, seeds=f"http://{DIRECTORY_HOST}/", **settings), proxy)


def _watch(process: subprocess.Popen[bytes], log: Path, step: int) -> None:
    print(f"{'answers':>10}{'resident MB':>13}{'CPU ms a page':>15}", flush=True)
    answers, due, offset = 0, step, 0
    while process.poll() is None:
        time.sleep(LOOK_SECONDS)
        with log.open("rb") as lines:
            lines.seek(offset)
            found = lines.read()
        offset += len(found)
        answers += found.count(b"\n")
        if answers >= due:
            cpu_ms = 1000 * cpu_of(process.pid) / answers
            print(f"{answers:>10,}{memory_of(process.pid):>13.0f}{cpu_ms:>15.1f}", flush=True)
            due += step
    sys.exit(process.returncode)


if __name__ == "__main__":
    main()
