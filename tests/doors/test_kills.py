"""Crawls of made webs whose processes and whose Redis are killed lose nothing and repeat nothing but what was leased (F1, F2, F3).

The same crawls as those of ``python -m benchmarks.crawl.kills``, only fewer.
"""

from __future__ import annotations

import pytest

from support.kill_checks import Reachable, judge
from support.kill_rounds import EMBEDDED, REDIS, WORKER, Plan, run_round
from support.servers import NoServerError, give_up

SMALL = "pages=216,hosts=3"


@pytest.mark.slow
@pytest.mark.parametrize("attacks", [[WORKER, REDIS, WORKER], [EMBEDDED, EMBEDDED]], ids=["two nodes", "embedded"])
def test_f1_f2_f3_killed_crawls(tmp_path, attacks):
    plan = Plan(7, attacks, SMALL, latency="lognormal:0.05", longest_pause=1.0)
    try:
        result = run_round(plan, tmp_path)
    except NoServerError as missing:
        give_up(str(missing))
    assert result.faults == []
    assert result.kills == attacks
    assert result.refetched <= result.leased
    assert (result.overlaps, result.missing) == (0, 0)


# --- what the checks see --------------------------------------------------------------------------


def asked(path: str, start: float, end: float, host: str = "旅游.example", status: int = 200) -> dict:
    return {"scheme": "http", "host": host, "path": path, "start": start, "end": end, "status": status}


def wanted(*paths: str) -> Reachable:
    urls = frozenset(f"http://旅游.example{path}" for path in paths)
    return Reachable(urls, urls)


def test_f2_requests_of_one_host_that_were_open_at_once_are_seen():
    log = [
        asked("/robots.txt", 0.0, 2.0),
        asked("/a", 1.9, 2.5),
        asked("/b", 2.5, 9.0),
        asked("/c", 3.0, 3.5),
        asked("/d", 8.0, 8.5),
        asked("/e", 2.0, 3.0, host="else.example"),
        asked("/f", 9.0, 9.5),
    ]
    verdict = judge(log, set(), wanted())
    assert verdict.overlaps == ("http://旅游.example/a", "http://旅游.example/c", "http://旅游.example/d")


def test_f1_f3_what_is_missing_and_what_came_twice_is_seen():
    log = [
        asked("/a", 0.0, 1.0),
        asked("/a", 1.0, 2.0),
        asked("/robots.txt", 2.0, 3.0),
        asked("/robots.txt", 3.0, 4.0),
        asked("/cut", 4.0, 5.0, status=0),
        asked("/other", 5.0, 6.0),
    ]
    verdict = judge(log, {"http://旅游.example/cut"}, wanted("/a", "/cut", "/页"))
    assert (verdict.requests, verdict.refetched) == (4, 1)
    assert verdict.missing == ("http://旅游.example/cut", "http://旅游.example/页")
    assert verdict.unstored == ("http://旅游.example/a", "http://旅游.example/页")
    assert verdict.foreign == ("http://旅游.example/other",)
    assert len(verdict.faults) == 5
