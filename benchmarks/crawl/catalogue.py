"""A crawl of the whole catalogue on a made web of many classes: its hits by the web's own truth, the classes reached, and processor time a page.

    python -m benchmarks.crawl.catalogue [--classes 60] [--hosts 120] [--pages 1500] [--topic clc]

The web writes about a class with the Chinese terms of its topic, so this says how a crawl shares its fetches among classes, not how well texts are told
apart. Delays are off; the time is the processor's, with the start of the crawl.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from support.crawling import NO_DELAYS, environment, scrapy
from support.replaying import replay_server
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb

COLUMNS = "{:14}{:>8}{:>8}{:>12}{:>10}{:>10}{:>8}{:>8}{:>10}"


def main() -> None:
    """One row for each way to balance the classes."""
    options = _options()
    spec = f"pages={100 * options.hosts},hosts={options.hosts},classes={options.classes}"
    web = SyntheticWeb.read(spec)
    print(f"made:{spec}, {options.topic}, {options.pages:,} pages")
    print(COLUMNS.format("balance", "pages", "hits", "right class", "classes", "fewest", "median", "most", "ms a page"))
    with replay_server(f"made:{spec}") as served, tempfile.TemporaryDirectory() as work:
        for balance in ("best", "even"):
            print(_row(balance, web, served.proxy_url, Path(work) / balance, options), flush=True)


def _row(balance: str, web: SyntheticWeb, proxy: str, folder: Path, options: argparse.Namespace) -> str:
    folder.mkdir()
    arguments = [
        f"topic={options.topic}",
        f"seeds=http://{DIRECTORY_HOST}/",
        f"max_pages={options.pages}",
        f"balance={balance}",
    ]
    given = [part for argument in arguments for part in ("-a", argument)]
    before = _seconds()
    ended = scrapy(["crawl", "topic", *given, *NO_DELAYS, "-L", "WARNING"], folder, environment(proxy), 600)
    if ended.exit_code:
        sys.exit(ended.err)
    (file,) = folder.glob("data/*/pages.db")
    with closing(sqlite3.connect(file)) as database:
        pages = database.execute("SELECT COUNT(DISTINCT url) FROM pages").fetchone()[0]
        hits = database.execute("SELECT topic, url FROM pages WHERE on_topic = 1").fetchall()
    right = Counter(topic for topic, url in hits if (truth := web.truth(url)) and topic in truth.topics)
    by_class = [right[topic] for topic in web.scale.topics]
    return COLUMNS.format(
        balance,
        f"{pages:,}",
        f"{len({url for _topic, url in hits}):,}",
        f"{right.total() / max(1, len(hits)):.0%}",
        f"{sum(map(bool, by_class))}/{len(by_class)}",
        min(by_class),
        f"{median(by_class):g}",
        max(by_class),
        f"{1000 * (_seconds() - before) / max(1, pages):.1f}",
    )  # fmt: skip


def _seconds() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=60)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--topic", default="clc")
    return parser.parse_args()


if __name__ == "__main__":
    main()
