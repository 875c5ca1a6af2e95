"""Crawls of made webs whose processes and whose Redis are killed lose nothing and repeat nothing but what was leased (promises F1, F2, F3).

The same crawls as those of ``python -m benchmarks.crawl.kills``, only fewer.
"""

from __future__ import annotations

import pytest

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
