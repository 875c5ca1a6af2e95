"""Reads every hostile page in a process of its own and writes what it cost, a JSON object a line.

CPU seconds of everything a page has, growth of the peak memory in MiB, and the longest time that a crawl's reading keeps an event
loop from its next tick, both as multiples of what an ordinary page of 100 kB costs at the same time: busy cores make any clock lie.
What comes near its budget is held against the best of three such pages, what is over it measured once more, and the better counts.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable

from support.hostile_pages import PAGES, PAGES_OF_100_KB
from tests.page.asking import CRAWL_FIELDS, ask, check
from topicspider.page.page import Page

URL = "http://www.example.cn/"
PARAGRAPH = "<p>云台山位于河南省，是旅游胜地，<a href='/{0}.html'>第{0}处景点</a>的门票每人一百二十元。</p>"
ORDINARY = ("<title>云台山</title>" + "".join(map(PARAGRAPH.format, range(700)))).encode()


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds_of_everything(page: Page) -> float:
    started = time.process_time()
    ask(page)
    return time.process_time() - started


async def stall(body: bytes) -> float:
    """The longest gap between two ticks of a loop on which a page is read as a crawl reads it."""
    longest, last, is_read = 0.0, time.process_time(), False

    async def tick() -> None:
        nonlocal longest, last
        while not is_read:
            await asyncio.sleep(0)
            now = time.process_time()
            longest, last = max(longest, now - last), now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.001)
    ask(Page(URL, body, "text/html"), CRAWL_FIELDS)
    await asyncio.sleep(0)
    is_read = True
    await ticking
    return longest


def seconds_of_an_ordinary_page() -> float:
    return seconds_of_everything(Page(URL, ORDINARY, "text/html"))


def cost(body: bytes) -> dict[str, float]:
    ordinary, before, page = seconds_of_an_ordinary_page(), peak_mib(), Page(URL, body, "text/html")
    seconds = seconds_of_everything(page)
    grown = peak_mib() - before
    check(page)
    del page
    waited = asyncio.run(stall(body))
    if max(seconds, waited) > PAGES_OF_100_KB / 2 * ordinary:  # too near to trust one measurement of each
        ordinary = min(ordinary, *(seconds_of_an_ordinary_page() for _ in range(2)))
        budget = PAGES_OF_100_KB * ordinary
        seconds = within(budget, seconds, lambda: seconds_of_everything(Page(URL, body, "text/html")))
        waited = within(budget, waited, lambda: asyncio.run(stall(body)))
    return {"pages": seconds / ordinary, "mib": grown, "stall": waited / ordinary}


def within(budget: float, first: float, measure: Callable[[], float]) -> float:
    return first if first < budget else min(first, measure())


def in_a_child(body: bytes) -> dict[str, float]:
    """``cost`` in a fork of this warm process, so that one page's memory is not the next one's."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writer, json.dumps(cost(body)).encode())
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test has to see it
            os.write(writer, json.dumps({"error": repr(error)[:1000]}).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        written = answer.read()
    os.waitpid(child, 0)
    return json.loads(written or b'{"error": "the process died"}')


def main() -> None:
    plain = "<title>云台山</title><p>" + "云台山位于河南省，是旅游胜地。" * 20
    for codec in ("utf-8", "gbk"):  # tables, patterns and dictionaries are loaded before anything is measured
        ask(Page(URL, plain.encode(codec), "text/html"))
    seconds_of_an_ordinary_page()
    gc.collect()
    gc.freeze()  # as a crawl does: what is loaded is not looked through while a page is measured
    for name, make in PAGES.items():
        markup = make()
        body = markup if isinstance(markup, bytes) else markup.encode("utf-8", "ignore")
        del markup
        sys.stdout.write(json.dumps({"name": name} | in_a_child(body)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
