"""What the web page costs over HTTP: how soon it answers, a search, each view, its first paint and its weight.

    python -m benchmarks.crawl.serve [--pages 100000] [--folder FOLDER]

Makes a store of so many pages in the words of a made web (kept in the folder that is given, with its index), serves it with `scrapy serve`, and
asks as a browser does: everything once to warm up, then ROUNDS times. First paint is told by a Chromium, where one is installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from support.found import put
from support.serving import WebServer, opened, web_server
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
VIEWS = ("crawls", "hits", f"hits?q={quote('旅游')}", "changes", "map", "topics", "labels")
SCRIPTS = ("style.css", "found.css", "search.js", "answer.js")
SUBJECTS = ("tourism", *(name for name in CHINESE if name != "tourism"))
PAINTED = """new Promise((done) => new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (one.name === "first-contentful-paint") done(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
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
        shared = sum(seconds_of(server, f"/static/{name}")[1] for name in SCRIPTS)
        for view in VIEWS:
            took = [seconds_of(server, f"/{view}") for _round in range(5)]
            weight = (took[0][1] + shared) / 1000
            yield f"{view[:24]:25} {percentile([one for one, _size in took], 0.5)} {weight:7.1f} kB with styles and scripts"
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


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
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
