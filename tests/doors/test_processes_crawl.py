"""A whole crawl whose pages are read by processes beside it: the same as without, and nothing is lost when one is killed or the crawl is stopped."""

from __future__ import annotations

import ctypes
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from support.crawling import LONGEST_RUN, begin, children_of, crawl, items, stop_after, stored, wait_until
from support.site import small_web, travel_web
from topicspider.reading_processes import DIED

PR_SET_CHILD_SUBREAPER = 36
SEED = "http://w0.example/p0.html"


@pytest.fixture(autouse=True)
def _adopter():
    """What loses its parent becomes a child of the test, which waits for none: a zombie stays."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    yield
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)


def readers_of(pid: int) -> list[int]:
    """The process that reads for the crawl ``pid``, and those that it has forked."""
    return [one for reader in children_of(pid) for one in (reader, *children_of(reader))]


def test_r5_verdicts_and_order_are_those_of_one_process(tmp_path):
    order, hits, values = [], [], []
    for number in (0, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with small_web(travel_web(30, hosts=1)) as web:
            ended = crawl(
                folder, web.proxy, "-O", "hits.jsonl", seeds=SEED, TOPICSPIDER_PROCESSES=number, timeout=4 * LONGEST_RUN
            )
            assert ended.exit_code == 0, ended.err
            order.append(web.pages())
        timed = ("fetched_at", "download_time", "date")
        found = items(folder / "hits.jsonl")
        hits.append([{key: value for key, value in item.items() if key not in timed} for item in found])
        with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
            values.append(list(database.execute("SELECT url, on_topic, relevance FROM pages ORDER BY url")))
    assert order[0] == order[1]
    assert hits[0] == hits[1]
    assert values[0] == values[1]


def test_a_crawl_that_is_killed_leaves_no_process_but_the_first_for_pid_1_to_wait_for(tmp_path):
    with small_web(travel_web(120), latency=0.05) as web:
        process = begin(tmp_path, web.proxy, seeds=SEED, TOPICSPIDER_PROCESSES=3)
        wait_until(lambda: len(readers_of(process.pid)) == 3, process)
        readers = readers_of(process.pid)
        process.kill()
        process.communicate()
    os.waitpid(readers[0], 0)
    assert not [pid for pid in readers if Path(f"/proc/{pid}").exists()]


def test_a_killed_process_costs_no_page_and_ctrl_c_leaves_none_behind(tmp_path):
    pages = travel_web(120)
    with small_web(pages, latency=0.05) as web:
        process = begin(tmp_path, web.proxy, seeds=SEED, TOPICSPIDER_PROCESSES=3)
        wait_until(lambda: len(web.pages()) > 20, process)
        readers = readers_of(process.pid)
        os.kill(readers[1], signal.SIGKILL)
        asked = len(web.pages())
        wait_until(lambda: len(web.pages()) > asked + 10, process)
        assert not Path(f"/proc/{readers[1]}").exists()  # nor is it a zombie
        readers += readers_of(process.pid)
        ended = stop_after(process, lambda: True, signal.SIGINT)
        assert ended.exit_code == 130, ended.err
        assert not [pid for pid in readers if Path(f"/proc/{pid}").exists()]
        again = crawl(tmp_path, web.proxy, seeds=SEED, TOPICSPIDER_PROCESSES=2, timeout=4 * LONGEST_RUN)
    assert again.exit_code == 0, again.err
    assert set(stored(tmp_path)) == set(pages)
    assert f"reading_processes/{DIED}" in ended.err or "A process that reads pages ended" in ended.err
