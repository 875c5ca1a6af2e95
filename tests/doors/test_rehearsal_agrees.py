"""A rehearsal and a real crawl of the same web fetch the same pages (the real one through the replay server)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.crawling import crawl
from support.replaying import replay_server
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.evaluation.labels import find_labels
from topicspider.rehearsal.evaluation.reach import seed_sets
from topicspider.rehearsal.rehearse import RehearsalConfig, Task, Worker
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic

TOPIC = "tourism"
MADE = "made:pages=800,hosts=9,seed=5"  # without the tenth host, which answers slowly
LARGE = "made:pages=3000,hosts=30,seed=5"
# as without --polite: hosts do not rest
# the learned judge is fitted in a thread while a crawl runs: the page from which a fit counts is chance
OPTIONS = Options(topic=TOPIC, page_scorer="vsm", delay_min=0.0, delay_factor=0.0, delay_max=0.0)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Pages are read once for all tests of this file."""
    return tmp_path_factory.mktemp("read")


SEGMENTER = make_segmenter()
PROFILE = learn(load_topic(TOPIC), SEGMENTER)


def opened(cache, spec=MADE):
    """The web, the judge of its pages, and its seeds."""
    web = open_archived_web(spec, cache=cache, processes=2, own_words=SEGMENTER.own_words)
    judge = find_labels(None, spec, web, PROFILE, OPTIONS.page_scorer)
    (seeds,) = seed_sets(web, judge)
    return web, judge, seeds


def really_fetched(spec, policy, seeds, pages, connections, folder, web):
    """The pages of a real crawl, in the order in which they were answered; what is no page to a crawl left out."""
    listed = folder / "seeds.txt"
    listed.write_text("\n".join(seeds), encoding="utf-8")
    settings = {
        "TOPICSPIDER_LINK_POLICY": policy,
        "TOPICSPIDER_PAGE_SCORER": OPTIONS.page_scorer,
        "TOPICSPIDER_SEED": 0,
        "TOPICSPIDER_DELAY_MAX": 0,  # Crawl-delay too: rests depend on the clock
        "TOPICSPIDER_FRONTIER": "memory:",
        "TOPICSPIDER_STORE": "memory:",
        "CONCURRENT_REQUESTS": connections,
        "LOG_LEVEL": "WARNING",
    }
    limit = ("-a", f"max_pages={pages}")
    with replay_server(spec) as server:
        ended = crawl(folder, server.proxy_url, *limit, seeds=f"@{listed}", timeout=240, **settings)
        assert ended.exit_code == 0, ended.err[-2000:]
        log = sorted(server.log(), key=lambda line: line["end"])
    urls = [f"{line['scheme']}://{line['host']}{line['path']}" for line in log if line["status"] == 200]
    return [url for url in dict.fromkeys(urls) if web.answer(url).features is not None]


def rehearsed(spec, policy, seeds, pages, connections, cache, web):
    """The pages of a simulated crawl."""
    plan = RehearsalConfig(spec, replace(OPTIONS, link_policy=policy), cache=cache, connections=connections)
    run = Worker(plan, frozenset(), web)(Task(policy, 0, tuple(seeds), pages))
    return [one.url for one in run.fetched]


@pytest.mark.parametrize("policy", ["ipagerank", "best_first", "shark", "bfs"])
def test_one_connection_fetches_the_same_pages_in_the_same_order(policy, cache, tmp_path):
    web, _, seeds = opened(cache)
    real = really_fetched(MADE, policy, seeds, 200, 1, tmp_path, web)
    assert real == rehearsed(MADE, policy, seeds, 200, 1, cache, web)


@pytest.mark.slow
def test_sixteen_connections_harvest_as_much(cache, tmp_path):
    web, judge, seeds = opened(cache, LARGE)
    targets = set(judge.targets()) - set(seeds)
    real = really_fetched(LARGE, "ipagerank", seeds, 1000, 16, tmp_path, web)
    simulated, other = (rehearsed(LARGE, policy, seeds, 1000, 16, cache, web) for policy in ("ipagerank", "bfs"))
    rates = [len(targets.intersection(urls[:1000])) / 1000 for urls in (real, simulated, other)]
    assert abs(rates[0] - rates[1]) <= 0.04, rates
    assert abs(rates[0] - rates[1]) < abs(rates[0] - rates[2]), rates  # it is this policy's harvest, not another's
