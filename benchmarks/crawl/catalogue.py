"""Measures a crawl of the whole catalogue: hits by class, classes reached, and CPU time a page, on a synthetic web and recorded ones.

    python -m benchmarks.crawl.catalogue [--classes 60] [--hosts 120] [--pages 1500] [--topic clc]
    python -m benchmarks.crawl.catalogue --webs sites-dev,sites-dev2 --pages 5000 [--keep FOLDER]
    python -m benchmarks.crawl.catalogue --drawn 20

The synthetic web uses the Chinese terms of a class, so it shows how fetches are shared among classes, not how well texts are distinguished.
Some recorded pages have labels; a hit is right when one of its classes is one that the label may mean
(benchmarks/quality/class_labels.json). Drawn classes are crawled one by one, by number alone; a starting point made for this leads to three
pages with the class's terms and texts. Delays are off, and no host is waited for; CPU time includes the start.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from benchmarks.crawl.replayed import START_PAGE
from benchmarks.quality.classes import allowed_classes
from benchmarks.quality.extraction import corpora
from support.crawling import NO_DELAYS, environment, scrapy
from support.replaying import replay_server, write_warc
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.topic import catalogue
from topicspider.topic.class_topics import class_topic, class_topics, topic_name
from topicspider.topic.profile import Topic
from topicspider.topic.seed_sources import source_addresses

SHOWN = 4  # classes shown for each letter
COLUMNS = "{:14}{:>8}{:>8}{:>12}{:>10}{:>10}{:>8}{:>8}{:>10}"


def main() -> None:
    """Print a row for each way to balance the classes; for each recorded web a table by letters."""
    options = _options()
    with tempfile.TemporaryDirectory() as work:
        for name in filter(None, options.webs.split(",")):
            _recorded(name, Path(options.keep or work) / name, options)
        if options.drawn:
            _drawn(Path(work), options.drawn)
        elif not options.webs:
            _made(Path(work), options)


def _made(work: Path, options: argparse.Namespace) -> None:
    spec = f"pages={100 * options.hosts},hosts={options.hosts},classes={options.classes}"
    web = SyntheticWeb.read(spec)
    print(f"made:{spec}, {options.topic}, {options.pages:,} pages")
    print(COLUMNS.format("balance", "pages", "hits", "right class", "classes", "fewest", "median", "most", "ms a page"))
    with replay_server(f"made:{spec}") as served:
        for balance in ("best", "even"):
            print(_row(balance, web, served.proxy_url, work / balance, options), flush=True)


def _row(balance: str, web: SyntheticWeb, proxy: str, folder: Path, options: argparse.Namespace) -> str:
    pages, hits, cost = _crawl(proxy, folder, options, "-a", f"balance={balance}")
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
        f"{cost:.1f}",
    )


def _recorded(name: str, folder: Path, options: argparse.Namespace) -> None:
    with replay_server(corpora() / f"{name}.warc") as served:
        pages, hits, cost = _crawl(served.proxy_url, folder, options)
    classes = Counter(topic for topic, _url in hits)
    lines = (corpora() / f"{name}.labels.jsonl").read_text(encoding="utf-8").splitlines()
    labels = {one["url"]: one["topics"] for one in map(json.loads, lines) if one["kind"] == "page" and one["topics"]}
    allowed, found = allowed_classes(), {url for _topic, url in hits if url in labels}
    right = {url for topic, url in hits for label in labels.get(url, ()) if topic in allowed.get(label, ())}
    print(
        f"{name}, {options.topic}: {pages:,} pages, {cost:.1f} ms a page; {len({url for _, url in hits}):,} hits of {len(classes)} classes"
    )
    print(
        f"  of {len(found):,} hits with a label {len(right) / max(1, len(found)):.0%} are of a class that it may mean"
    )
    for letter in (number for number in catalogue.classes() if len(number) == 1):
        below = {topic: count for topic, count in classes.most_common() if topic.startswith(letter)}
        first = ", ".join(f"{topic} {count:,}" for topic, count in list(below.items())[:SHOWN])
        print(f"  {letter} {sum(below.values()):>6,} hits in {len(below):>2} classes: {first}", flush=True)


def _drawn(work: Path, count: int) -> None:
    numbers = random.Random(0).sample([topic.clc for topic in class_topics(2)], count)
    (work / "seed_sources.yaml").write_text("zh:\n  search:\n    - http://seek.example/{query}\n", encoding="utf-8")
    pages = {url: page for number in numbers for url, page in _pages_of(class_topic(number), str(work)).items()}
    settings = [*NO_DELAYS, "-s", f"TOPICSPIDER_TOPICS_DIR={work}", "-L", "ERROR"]
    found = {}
    with replay_server(write_warc(work / "web.warc", pages)) as served:
        for number in numbers:
            ended = scrapy(
                ["crawl", "topic", "-a", f"topic={number}", *settings], work, environment(served.proxy_url), 900
            )
            (file,) = work.glob(f"data/{topic_name(number)}/pages.db") if not ended.exit_code else (None,)
            found[number] = _hits_in(file) if file else -1
    good = sum(hits > 0 for hits in found.values())
    print(f"{good} of {count} classes drawn at random have hits by their number alone: {found}")


def _pages_of(topic: Topic, folder: str) -> dict[str, tuple[str, bytes]]:
    """By URL: the first starting point of a class, and the three pages to which it leads, as (content type, body)."""
    title, words = topic.title["zh"], list(topic.terms)
    urls = [f"http://{topic.name.lower().replace('_', '-')}.example/{place}" for place in range(3)]
    links = "".join(f"<a href='{url}'>{title}{word}</a>" for url, word in zip(urls, words, strict=False))
    texts = "".join(f"<p>{text}</p>" for text in topic.texts)
    start = source_addresses(topic, folder)[0].url
    bodies = {
        url: f"<title>{title}：{words[place]}</title><article>{texts}</article>" for place, url in enumerate(urls)
    }
    bodies[start] = f"<title>{title}</title><p>{texts}</p>{links}"
    return {url: ("text/html; charset=utf-8", body.encode()) for url, body in bodies.items()}


def _hits_in(file: Path) -> int:
    with closing(sqlite3.connect(file)) as database:
        return int(database.execute("SELECT COUNT(*) FROM pages WHERE on_topic = 1").fetchone()[0])


def _crawl(
    proxy: str, folder: Path, options: argparse.Namespace, *more: str
) -> tuple[int, Sequence[tuple[str, str]], float]:
    """Run a crawl; returns its pages, (topic, URL) of each hit, and milliseconds of CPU a page."""
    folder.mkdir(parents=True)
    seeds = START_PAGE if options.webs else f"http://{DIRECTORY_HOST}/"
    given = [f"topic={options.topic}", f"seeds={seeds}", f"max_pages={options.pages}", "pace=fast"]
    arguments = [part for argument in given for part in ("-a", argument)]
    before = _seconds()
    ended = scrapy(["crawl", "topic", *arguments, *more, *NO_DELAYS, "-L", "WARNING"], folder, environment(proxy), 3600)
    if ended.exit_code:
        sys.exit(ended.err)
    (file,) = folder.glob("data/*/pages.db")
    with closing(sqlite3.connect(file)) as database:
        pages = database.execute("SELECT COUNT(DISTINCT url) FROM pages").fetchone()[0]
        hits = database.execute("SELECT topic, url FROM pages WHERE on_topic = 1").fetchall()
    return pages, hits, 1000 * (_seconds() - before) / max(1, pages)


def _seconds() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=60)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--topic", default="clc")
    parser.add_argument("--webs", default="", help="recorded webs, in place of the made one")
    parser.add_argument("--drawn", type=int, default=0, help="so many classes, in place of the made web")
    parser.add_argument("--keep", default="", help="where the folders of their crawls stay")
    return parser.parse_args()


if __name__ == "__main__":
    main()
