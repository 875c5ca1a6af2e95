"""What the web page costs over HTTP: how soon it answers, a search, each view, its first paint and its weight.

    python -m benchmarks.crawl.serve [--pages 100000] [--folder FOLDER] [--watchers-only]

Makes a store of so many pages in the words of a made web (kept in the folder that is given, with its index), serves it with `scrapy serve`, and
asks as a browser does: everything once to warm up, then ROUNDS times, in time and in CPU of the server, which says more on a busy machine. First
paint is told by a Chromium, where one is installed. Then WATCHERS readers look at a crawl of a made web: what it costs the crawl (its CPU a page,
with and without them), and whether the server's memory grows when readers come back 1,000 times.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

from support.found import put
from support.serving import ENDLESS_SEED, QUICK, WebServer, endless_web, opened, web_server
from support.site import small_web
from support.store_rows import page
from topicspider.rehearsal.synthetic.text import CHINESE, Writer
from topicspider.store.rows import PageRow

QUERIES = (
    "旅游",
    "桂林 漓江",
    "古镇",
    "门票 住宿 -自驾",
    "海南岛自由行",
    "雪山 site:s007.example",
    "瀑布 after:2020",
    "",
)
VIEWS = ("crawls", "hits", f"hits?q={quote('旅游')}", "changes", "map", "topics", "catalogue", "labels")
SCRIPTS = ("style.css", "found.css", "search.js", "answer.js")
SUBJECTS = ("tourism", *(name for name in CHINESE if name != "tourism"))
PAINTED = """new Promise((done) => new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (one.name === "first-contentful-paint") done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
WATCHERS, PAGES_WATCHED = 50, 600
ROUNDS = 25
"""200 searches tell a p95."""


def row(number: int) -> PageRow:
    """Three pages of four are about travel and hits."""
    writer = Writer(number, SUBJECTS[0 if number % 4 else number // 4 % len(SUBJECTS)], english=False)
    title, host = writer.title(), f"www.s{number % 800:03}.example"
    body = "\n".join(writer.paragraph(5, 0.6) for _paragraph in range(3))
    fields: dict[str, Any] = {"title": title, "body": body, "host": host, "relevance": 0.3 + number % 700 / 1000}
    fields |= {
        "duplicate_of": "",
        "snapshot": "",
        "referrer": f"http://www.s{number % 97:03}.example/1.html",
        "data": {},
    }
    made = page(f"http://{host}/{number}.html", number % 4 > 0, published=f"{2010 + number % 16}-05-01", **fields)
    return replace(made, threshold=0.3, scorer="learned")


def seconds_of(server: WebServer, path: str) -> tuple[float, int]:
    """How long the answer took, and how large it was."""
    began = time.perf_counter()
    got = server.ask(path)
    assert got.status == 200, (path, got.text[-300:])
    return time.perf_counter() - began, len(got.body)


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has taken; those of a server are of its threads, too."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process: int) -> float:
    """MB that it has in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_each(server: WebServer, paths: list[str], rounds: int) -> list[float]:
    """Seconds of CPU of each path, the mean of ``rounds``."""
    took = []
    for path in paths:
        began = cpu_of(server.process)
        for _round in range(rounds):
            seconds_of(server, path)
        took.append((cpu_of(server.process) - began) / rounds)
    return took


def percentile(seconds: list[float], share: float) -> str:
    return f"{1000 * sorted(seconds)[int(share * (len(seconds) - 1))]:7.1f} ms"


def started(folder: Path) -> float:
    began = time.perf_counter()
    with web_server(folder):
        return time.perf_counter() - began


def report(folder: Path) -> Iterator[str]:
    yield f"answers after             {min(started(folder) for _round in range(3)):7.2f} s"
    with web_server(folder) as server:
        server.log_in()
        began = time.perf_counter()
        while server.ask("/hits").status != 200:  # being indexed, the first time
            time.sleep(1.0)
        yield f"first search (opens all)  {time.perf_counter() - began:7.2f} s"
        paths = [f"/hits?q={quote(query)}" for query in QUERIES]
        for path in paths:
            seconds_of(server, path)
        found = [seconds_of(server, path)[0] for _round in range(ROUNDS) for path in paths]
        yield f"search p50, p95           {percentile(found, 0.5)} {percentile(found, 0.95)}"
        cpu = cpu_each(server, paths, 10)
        yield f"CPU of a search, p50, max {percentile(cpu, 0.5)} {percentile(cpu, 1.0)}"
        shared = sum(seconds_of(server, f"/static/{name}")[1] for name in SCRIPTS)
        for view in VIEWS:
            began = cpu_of(server.process)
            took = [seconds_of(server, f"/{view}") for _round in range(5)]
            (first, *_later), cpu = took, (cpu_of(server.process) - began) / 5
            weight = (took[0][1] + shared) / 1000
            yield f"{view[:24]:25} {percentile([one for one, _size in took], 0.5)} (first {1000 * first[0]:.0f}, CPU {1000 * cpu:.0f}) {weight:7.1f} kB with styles and scripts"
        yield from painted(server)


def painted(server: WebServer) -> Iterator[str]:
    """When a browser first paints something of each view."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = opened(browser, server, [])
        for view in VIEWS:
            paints = []
            for _round in range(3):
                tab.goto(f"http://{server.address}/{view}")
                paints.append(tab.evaluate(PAINTED))
            yield f"first paint of {view[:10]:10} {min(paints):8.1f} ms"
        browser.close()


def watched(watchers: int) -> Iterator[str]:
    """What a crawl of PAGES_WATCHED pages takes with so many readers, then the memory of the server as readers come and go."""
    with (
        tempfile.TemporaryDirectory() as folder,
        small_web(endless_web) as web,
        web_server(Path(folder), *QUICK, proxy=web.proxy) as server,
    ):
        server.log_in()
        order = {"topic": "tourism", "seeds": ENDLESS_SEED, "max_pages": str(PAGES_WATCHED)}
        process = server.tell("/start.json", order).data["process"]
        readers = [Thread(target=_read_all, args=(server,), daemon=True) for _reader in range(watchers)]
        for reader in readers:
            reader.start()
        cpu = 0.0
        while server.json("/crawl.json?crawl=tourism").data["state"] != "ended":
            with suppress(OSError):
                cpu = cpu_of(process)
            time.sleep(0.2)
        yield f"a crawl with {watchers:3} readers  {1000 * cpu / PAGES_WATCHED:7.1f} ms of its CPU a page, with its start; the server took {cpu_of(server.process):.1f} s"
        if not watchers:
            return
        for count in (100, 1_000):
            for _visit in range(count):
                next(server.events("/crawl/events?crawl=tourism"))
            yield f"after {count:5} more visits   {memory_of(server.process):7.1f} MB"


def _read_all(server: WebServer) -> None:
    with suppress(OSError, HTTPException, AssertionError):
        for _text in server.events("/crawl/events?crawl=tourism"):
            pass


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--watchers-only", action="store_true")
    given = parser.parse_args()
    for watchers in (0, WATCHERS):
        for line in watched(watchers):
            print(line, flush=True)
    if given.watchers_only:
        return
    with tempfile.TemporaryDirectory() as other:
        folder = given.folder or Path(other)
        if not (folder / "data").exists():
            folder.mkdir(parents=True, exist_ok=True)
            for start in range(0, given.pages, 2_000):
                put(folder / "data", map(row, range(start, min(given.pages, start + 2_000))))
        print(f"{given.pages:,} pages; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for line in report(folder):
            print(line, flush=True)


if __name__ == "__main__":
    main()
