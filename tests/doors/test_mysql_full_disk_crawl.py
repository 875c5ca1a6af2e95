"""A whole crawl into a real MariaDB whose disk fills up: it goes on, and nothing is lost, doubled or fetched again (S1, S2).

The same crawl as that of ``python -m benchmarks.crawl.outages``, only smaller; that MariaDB may hang, be shut down and be killed is
tested in test_mysql_outage_crawl.
"""

from __future__ import annotations

import pytest

from support.outage_rounds import FULL, NoDiskError, Plan, run_round
from support.servers import NoServerError, give_up


@pytest.mark.slow
def test_a_crawl_goes_on_while_the_disk_of_mariadb_is_full():
    plan = Plan(FULL, seed=7, seconds=3.0, web="pages=216,hosts=3,topic=tourism,topic_hosts=3", latency="lognormal:0.1")
    try:
        result = run_round(plan)
    except NoDiskError as missing:
        pytest.skip(f"NOT TESTED: {missing}")
    except NoServerError as missing:
        give_up(str(missing))
    assert result.faults == []
    assert (result.missing, result.doubled, result.refetched) == (0, 0, 0)
    assert result.stored == result.expected > 100
