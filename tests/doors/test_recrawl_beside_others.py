"""``scrapy recrawl`` on a store that others use: on MySQL from end to end, and never two at a time, whoever dies."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from threading import Event

import pytest

from support.crawling import NO_DELAYS, crawl, environment, start, stop_after, wait_until
from support.recrawling import CHANGED, GONE, HUB, NEW, OVERDUE, PLAIN, a_while_later, recrawl, told, travel_site
from support.servers import run_sql
from support.site import Answer, small_web
from topicspider.frontier.heartbeat import machine_name

HELD = 300.0  # longer than any test; whoever is held is killed, or let go
PATIENT = [part for name in ("READ", "PAGE") for part in ("-s", f"TOPICSPIDER_{name}_TIMEOUT={HELD}")]


class Gate:
    """Answers so many pages of a site, and the others once it is opened."""

    def __init__(self, site: Mapping[str, Answer], passes: int) -> None:
        self._site = site
        self._left = passes
        self.opened = Event()

    def close_after(self, passes: int) -> None:
        """So many more pass."""
        self._left = passes

    def __call__(self, url: str) -> Answer | None:
        if not url.endswith("robots.txt"):
            self._left -= 1
            if self._left < 0:
                self.opened.wait(HELD)
        return self._site.get(url)


def into(url: str) -> tuple[str, ...]:
    return ("-s", f"TOPICSPIDER_STORE={url}")


def only_line(err: str) -> str:
    """What is said beside Scrapy's log."""
    (line,) = (line for line in err.splitlines() if line.startswith("topicspider: "))
    return line


@pytest.mark.slow
def test_a_recrawl_into_mysql_killed_with_kill_9_goes_on_and_nobody_else_begins_meanwhile(tmp_path, mysql_database):
    site = travel_site()
    gate = Gate(site, 100)
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    with small_web(gate) as web:
        first = crawl(here, web.proxy, *into(mysql_database), seeds=HUB)
        a_while_later(site)
        before = len(web.asked)
        gate.close_after(3)
        given = ["recrawl", "tourism", *NO_DELAYS, *OVERDUE, "-s", "CONCURRENT_REQUESTS=1", *PATIENT]
        process = start([*given, *into(mysql_database)], here, environment(web.proxy))
        wait_until(lambda: run_sql(mysql_database, "SELECT COUNT(*) FROM changes")[0][0] >= 2)
        second = recrawl(there, web.proxy, *OVERDUE, *into(mysql_database))
        killed = stop_after(process, lambda: True, signal.SIGKILL)
        gate.opened.set()
        again = recrawl(here, web.proxy, *into(mysql_database))
        asked = [one.url for one in web.asked[before:] if not one.url.endswith("robots.txt")]
    assert (first.exit_code, second.exit_code, killed.exit_code, again.exit_code) == (0, 4, -9, 0), again.err
    assert " recrawls it since 20" in only_line(second.err)
    assert "goes on with the round" in again.out
    assert set(asked) == {*travel_site(), NEW}
    assert len(asked) <= 8 + 2  # what was in work when it was killed

    words = told(again.out)
    assert (words["changed"], words["gone"], words["new pages"], words["new hits"]) == ("1", "1", "1", "1")
    assert (words["unchanged (with 304)"], words["failed"]) == ("5", "0")
    rows = run_sql(mysql_database, "SELECT url, status, body FROM pages")
    pages = {str(url): (status, str(body)) for url, status, body in rows}
    assert len(rows) == len(pages) == 8
    assert pages[GONE][0] == 404
    assert "沿海步道" in pages[CHANGED][1]
    assert "345 次" in pages[PLAIN][1]
    ((count,),) = run_sql(mysql_database, "SELECT COUNT(*) FROM changes")
    assert count == 7
    cycles = dict(run_sql(mysql_database, "SELECT url, update_cycle FROM pages"))
    assert cycles[HUB] != 604800.0  # settled
    ((totals,),) = run_sql(mysql_database, "SELECT totals FROM crawls ORDER BY id DESC LIMIT 1")
    assert json.loads(totals)["pages"] <= 5
    ((until, owner),) = run_sql(mysql_database, "SELECT held_until, owner FROM claims")
    assert until == 0.0
    assert str(owner).endswith(f"@{machine_name()}")  # a copy of the folder is another's elsewhere
