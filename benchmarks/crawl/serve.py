"""Measures the web page over HTTP against its targets: start, search, first paint and weight of each view, watchers, reconnects.

    python -m benchmarks.crawl.serve [--pages 100000] [--folder FOLDER] [--watchers-only]

Makes a store of so many pages in the words of a synthetic web (kept in FOLDER, with its index), serves it with `scrapy serve`, and sends
requests as a browser does: each once to warm up, then ROUNDS times. Measured are time and the server's CPU time (better on a busy machine);
a Chromium, if installed, measures the first paint. Then WATCHERS readers watch a crawl: their cost (CPU a page with and without them, in
turn, the least of each), and how the server's memory grows when they come back 1,000 times. The table has the worst.
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

from benchmarks.crawl.replayed import cpu_of
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
WATCHERS, PAGES_WATCHED, CRAWLS = 50, 600, 2
ROUNDS = 25
"""They make 200 searches, enough for a 95th percentile."""


def row(number: int) -> PageRow:
    """Page number ``number`` of the store; three of four are about travel and hits."""
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
    """The seconds that the answer took, and its size in bytes."""
    began = time.perf_counter()
    got = server.ask(path)
    assert got.status == 200, (path, got.text[-300:])
    return time.perf_counter() - began, len(got.body)


def memory_of(process: int) -> float:
    """The memory of a process, in MB."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_each(server: WebServer, paths: list[str], rounds: int) -> list[float]:
    """The server's CPU seconds for each path, means of ``rounds`` requests."""
    took = []
    for path in paths:
        began = cpu_of(server.process)
        for _round in range(rounds):
            seconds_of(server, path)
        took.append((cpu_of(server.process) - began) / rounds)
    return took


Row = tuple[str, float, str, float, str]
"""(what is measured, its target (at most), the unit, the measured value, a remark)."""


def percentile(seconds: list[float], share: float) -> float:
    """The percentile ``share`` of ``seconds``, in ms."""
    return 1000 * sorted(seconds)[int(share * (len(seconds) - 1))]


def started(folder: Path) -> tuple[float, float]:
    """The seconds until the server answers, and its CPU seconds by then."""
    began = time.perf_counter()
    with web_server(folder) as server:
        return time.perf_counter() - began, cpu_of(server.process)


def stored(folder: Path) -> Iterator[Row]:
    """The measurements on a store of many pages."""
    starts = [started(folder) for _round in range(3)]
    yield "server start", 1.5, "s", min(starts)[0], f"CPU {min(cpu for _took, cpu in starts):.2f} s"
    with web_server(folder) as server:
        server.log_in()
        began = time.perf_counter()
        while server.ask("/hits").status != 200:  # the first time, it is being indexed
            time.sleep(1.0)
        print(f"first search (opens all)  {time.perf_counter() - began:7.2f} s", flush=True)
        paths = [f"/hits?q={quote(query)}" for query in QUERIES]
        for path in paths:
            seconds_of(server, path)
        found = [seconds_of(server, path)[0] for _round in range(ROUNDS) for path in paths]
        cpu = cpu_each(server, paths, 10)
        more = f"p50 {percentile(found, 0.5):.0f} ms; CPU of a query {percentile(cpu, 0.5):.0f} ms, at most {percentile(cpu, 1.0):.0f} ms"
        yield "search p95", 100.0, "ms", percentile(found, 0.95), more
        shared = sum(seconds_of(server, f"/static/{name}")[1] for name in SCRIPTS)
        weights = {}
        for view in VIEWS:
            began = cpu_of(server.process)
            took, sizes = zip(*(seconds_of(server, f"/{view}") for _round in range(5)), strict=True)
            weights[view] = (sizes[0] + shared) / 1000
            cpu_taken = 1000 * (cpu_of(server.process) - began) / 5
            print(
                f"{view[:24]:25} {percentile([*took], 0.5):7.1f} ms (first {1000 * took[0]:.0f}, CPU {cpu_taken:.0f}) {weights[view]:7.1f} kB with styles and scripts",
                flush=True,
            )
        heaviest = max(weights, key=lambda view: weights[view])
        yield "page weight", 200.0, "kB", weights[heaviest], f"/{heaviest[:10]}, with styles and scripts"
        if paints := painted(server):
            slowest = max(paints, key=lambda view: paints[view])
            yield "first paint", 300.0, "ms", paints[slowest], f"/{slowest[:10]}"


def painted(server: WebServer) -> dict[str, float]:
    """By view: the ms until a browser first paints something, the least of three."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return {}
    from playwright.sync_api import sync_playwright

    paints = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = opened(browser, server, [])
        for view in VIEWS:
            taken = []
            for _round in range(3):
                tab.goto(f"http://{server.address}/{view}")
                taken.append(tab.evaluate(PAINTED))
            paints[view] = min(taken)
            print(f"first paint of {view[:10]:10} {paints[view]:8.1f} ms", flush=True)
        browser.close()
    return paints


def watched() -> Iterator[Row]:
    """What WATCHERS readers cost a crawl, and how its server's memory grows as readers come and go."""
    with small_web(endless_web) as web:
        runs = [(watchers, crawled(web, watchers)) for _round in range(CRAWLS) for watchers in (0, WATCHERS)]
    alone, beside = (
        min(cost for watchers, (cost, _grown) in runs if bool(watchers) is is_watched) for is_watched in (False, True)
    )
    yield (
        f"{WATCHERS} watchers",
        5.0,
        "%",
        100 * (beside / alone - 1),
        f"{beside:.1f} ms of the crawl's CPU a page, {alone:.1f} ms without",
    )
    yield (
        "growth in 1,000 reconnects",
        1.0,
        "MB",
        min(grown for _watchers, (_cost, grown) in runs[1::2]),
        "after 2,000 others",
    )


def crawled(web: Any, watchers: int) -> tuple[float, float]:
    """CPU ms a page (without the start) of a crawl of PAGES_WATCHED pages with so many watchers, and MB by which the server grows."""
    with tempfile.TemporaryDirectory() as folder, web_server(Path(folder), *QUICK, proxy=web.proxy) as server:
        server.log_in()
        order = {"topic": "tourism", "seeds": ENDLESS_SEED, "max_pages": str(PAGES_WATCHED)}
        process = server.tell("/start.json", order).data["process"]
        for _reader in range(watchers):
            Thread(target=_read_all, args=(server,), daemon=True).start()
        cpu = began = pages = 0.0
        while (told := server.json("/crawl.json?crawl=tourism").data)["state"] != "ended":
            with suppress(OSError):
                cpu = cpu_of(process)
            if not pages and told["status"].get("pages"):
                began, pages = cpu, told["status"]["pages"]
            time.sleep(0.2)
        cost = 1000 * (cpu - began) / (PAGES_WATCHED - pages)
        print(
            f"a crawl with {watchers:3} readers  {cost:7.1f} ms of its CPU a page; the server took {cpu_of(server.process):.1f} s",
            flush=True,
        )
        return cost, grown(server) if watchers else 0.0


def grown(server: WebServer) -> float:
    """The MB that 1,000 visits add after 2,000 others, by which Python has allocated the memory that it keeps."""
    sizes = []
    for count in (2_000, 1_000):
        for _visit in range(count):
            next(server.events("/crawl/events?crawl=tourism"))
        sizes.append(memory_of(server.process))
    return sizes[1] - sizes[0]


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
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    rows = [*watched()]
    if not given.watchers_only:
        with tempfile.TemporaryDirectory() as other:
            folder = given.folder or Path(other)
            if not (folder / "data").exists():
                folder.mkdir(parents=True, exist_ok=True)
                for start in range(0, given.pages, 2_000):
                    put(folder / "data", map(row, range(start, min(given.pages, start + 2_000))))
            rows += stored(folder)
    print(f"\n{given.pages:,} pages; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'':27} {'asked':>10}  {'measured':>10}")
    for name, most, unit, value, more in rows:
        print(
            f"{name:27} {f'< {most:g} {unit}':>10}  {f'{value:.1f} {unit}':>10}  {'yes' if value < most else 'NO '}  {more}"
        )


if __name__ == "__main__":
    main()
