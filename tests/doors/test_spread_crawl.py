"""Several processes at one crawl over two Redis masters: each page once, each host by one at a time, one master away and back."""

from __future__ import annotations

import time

import pytest
import redis

from support.crawling import stored
from support.site import small_web, travel_web
from tests.doors.test_redis_crawl import ended, node, overlaps
from tests.frontier.masters import running_masters

FEW = ("-s", "CONCURRENT_REQUESTS=4")


@pytest.fixture
def masters():
    with running_masters() as masters:
        yield masters


def setting(masters):
    return ",".join(master.url for master in masters)


def totals_of(masters):
    found = []
    for master in masters:
        with redis.Redis.from_url(master.url) as client:
            found.append(
                {key.decode(): value for key, value in client.hgetall("topicspider:{tourism}:v1:totals").items()}
            )
    return found


def calls_of(masters):
    calls = 0
    for master in masters:
        with redis.Redis.from_url(master.url) as client:
            calls += client.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0)
    return calls


def test_f2_f6_two_processes_share_a_crawl_over_two_masters(tmp_path, masters):
    web = travel_web(160, hosts=20)
    with small_web(web, latency=0.1) as served:
        processes = [
            node(tmp_path / "one", served.proxy, setting(masters), *FEW),
            node(tmp_path / "two", served.proxy, setting(masters[::-1]), *FEW),
        ]
        for process in processes:
            ended(process)
        fetched = served.pages()
        assert sorted(fetched) == sorted(set(fetched))
        assert len(fetched) > 120
        assert not overlaps(served.asked)
    assert all(stored(tmp_path / name) for name in ("one", "two")), "both have fetched"
    totals = totals_of(masters)
    assert sum(int(one["pages"]) for one in totals) == len(fetched)
    assert all(int(one["pages"]) > 20 for one in totals), "both masters have hosts"
    assert [(int(one["waiting"]), int(one["leased"])) for one in totals] == [(0, 0)] * 2
    assert calls_of(masters) <= 2.2 * len(fetched), "at most one a page and master"


@pytest.mark.slow
def test_f8_max_pages_is_exact_over_processes_and_masters(tmp_path, masters):
    with small_web(travel_web(160, hosts=20), latency=0.1) as served:
        arguments = (*FEW, "-a", "max_pages=60")
        for process in [node(tmp_path / name, served.proxy, setting(masters), *arguments) for name in ("one", "two")]:
            ended(process)
        assert len(served.pages()) == 60


@pytest.mark.slow
def test_f1_one_master_is_killed_and_comes_back_while_the_other_goes_on(tmp_path, masters):
    web = travel_web(160, hosts=20)
    with small_web(web, latency=0.1) as served:
        processes = [node(tmp_path / name, served.proxy, setting(masters), *FEW) for name in ("one", "two")]
        wait_for(lambda: len(served.pages()) >= 40, processes)
        masters[1].kill()
        before = len(served.pages())
        wait_for(lambda: len(served.pages()) >= before + 25, processes)  # more than was in flight: hosts of the other
        masters[1].start()
        said = "".join(ended(process) for process in processes)
        fetched = served.pages()
        assert len(set(fetched)) > 120
        assert len(fetched) - len(set(fetched)) <= 10, "what was in flight"
        assert not overlaps(served.asked)
    assert "Traceback" not in said
    assert f"127.0.0.1:{masters[1].port}" in said
    assert "its hosts wait for it, those of the other servers go on" in said
    assert "answers again" in said
    assert sum(int(one["pages"]) for one in totals_of(masters)) == len(set(fetched))


def test_another_set_of_masters_is_refused_by_one_line(tmp_path, masters):
    with small_web(travel_web(12, hosts=4)) as served:
        ended(node(tmp_path / "one", served.proxy, setting(masters), *FEW))
        refused = node(tmp_path / "one", served.proxy, masters[0].url, *FEW)
        _, err = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "has part 1 of 2" in err or "has part 2 of 2" in err
    assert "Traceback" not in err


def wait_for(condition, processes):
    deadline = time.monotonic() + 60
    while not condition():
        assert all(process.poll() is None for process in processes), processes[0].communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
