"""A rehearsal and a real crawl of the same web fetch the same pages (the real one through the replay server)."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from support.crawling import NO_DELAYS, environment, scrapy
from support.replaying import replay_server
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.archive.warc import WarcFile
from topicspider.rehearsal.evaluation.labels import find_labels
from topicspider.rehearsal.evaluation.seed_sets import seed_sets
from topicspider.rehearsal.simulator.workers import RunConfig, Task, Worker
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.url import host_key

TOPIC = "tourism"
MADE = "made:pages=3000,hosts=30,seed=5"
# as without --polite: hosts do not rest
# the learned judge is fitted in a thread while a crawl runs: the page from which a fit counts is chance
OPTIONS = Options(topic=TOPIC, page_scorer="vsm", delay_min=0.0, delay_factor=0.0, delay_max=0.0)
CORPORA = Path(os.environ.get("TOPICSPIDER_CORPORA") or Path.home() / ".cache" / "topicspider-corpora")
RECORDED = CORPORA / "sites-dev.warc"
LABELS = CORPORA / "sites-dev.labels.jsonl"
LARGEST_SITE = 600  # recorded pages: the other 16 sites are as different, and are read in a seventh of the time
needs_corpora = pytest.mark.skipif(not RECORDED.is_file(), reason=f"no sites-dev.warc in {CORPORA}")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Pages are read once for all tests of this file."""
    return tmp_path_factory.mktemp("read")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording of the smaller sites."""
    path = tmp_path_factory.mktemp("recorded") / "sites.warc"
    recording = WarcFile(RECORDED)
    records = [(host_key(record.uri) if record.uri else "", record.offset) for record in recording.records()]
    ends = [*(offset for _host, offset in records[1:]), RECORDED.stat().st_size]
    sizes = Counter(host for host, _ in records)
    with RECORDED.open("rb") as whole, path.open("wb") as part:
        for (host, offset), end in zip(records, ends, strict=True):
            if sizes[host] <= LARGEST_SITE:
                whole.seek(offset)
                part.write(whole.read(end - offset))
    return str(path)


SEGMENTER = make_segmenter(OPTIONS.segmenter)
PROFILE = learn(load_topic(TOPIC), SEGMENTER)


def opened(spec, cache):
    return open_archived_web(spec, OPTIONS.segmenter, cache=cache, processes=2, own_words=SEGMENTER.own_words)


def judge_of(spec, web):
    labels = None if spec == MADE else LABELS
    return find_labels(labels, spec, web, PROFILE, OPTIONS.page_scorer)


def really_fetched(spec, policy, seeds, seed, pages, connections, folder, web):
    """The pages of a real crawl, in the order in which they were answered; what is no page to a crawl left out."""
    listed = folder / "seeds.txt"
    listed.write_text("\n".join(seeds), encoding="utf-8")
    settings = {
        "TOPICSPIDER_LINK_POLICY": policy,
        "TOPICSPIDER_PAGE_SCORER": OPTIONS.page_scorer,
        "TOPICSPIDER_SEED": seed,
        "TOPICSPIDER_DELAY_MAX": 0,  # Crawl-delay too: rests depend on the clock
        "TOPICSPIDER_FRONTIER": "memory:",
        "TOPICSPIDER_STORE": "memory:",
        "CONCURRENT_REQUESTS": connections,
        "LOG_LEVEL": "WARNING",
    }
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    crawl = ["crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds=@{listed}", "-a", f"max_pages={pages}"]
    with replay_server(spec) as server:
        ended = scrapy([*crawl, *NO_DELAYS, *given], folder, environment(server.proxy_url), timeout=240)
        assert ended.exit_code == 0, ended.err[-2000:]
        log = sorted(server.log(), key=lambda line: line["end"])
    urls = [f"{line['scheme']}://{line['host']}{line['path']}" for line in log if line["status"] == 200]
    return [url for url in dict.fromkeys(urls) if web.answer(url).features is not None]


def rehearsed(spec, policy, seeds, repeat, pages, connections, cache, web):
    """The pages of a simulated crawl."""
    stage = RunConfig(spec, cache, replace(OPTIONS, link_policy=policy), frozenset(), connections)
    run = Worker(stage, web).run(Task(policy, OPTIONS.server_policy, repeat, tuple(seeds), pages))
    return [one.url for one in run.fetched]


@pytest.mark.parametrize("policy", ["ipagerank", "best_first", "bfs"])
def test_one_connection_fetches_the_same_pages_in_the_same_order(policy, cache, tmp_path):
    web = opened(MADE, cache)
    (seeds,) = seed_sets(web, judge_of(MADE, web))
    real = really_fetched(MADE, policy, seeds, 0, 300, 1, tmp_path, web)
    assert real == rehearsed(MADE, policy, seeds, 0, 300, 1, cache, web)


@needs_corpora
@pytest.mark.parametrize("policy", ["ipagerank", "shark"])
def test_one_connection_fetches_the_same_recorded_pages_in_the_same_order(policy, recorded, cache, tmp_path):
    web = opened(recorded, cache)
    (seeds,) = seed_sets(web, judge_of(recorded, web))
    real = really_fetched(recorded, policy, seeds, 0, 300, 1, tmp_path, web)
    assert real == rehearsed(recorded, policy, seeds, 0, 300, 1, cache, web)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "repeat"), [("made", 0), pytest.param("recorded", 1, marks=needs_corpora)])
def test_sixteen_connections_harvest_as_much(kind, repeat, cache, tmp_path, request):
    spec = MADE if kind == "made" else request.getfixturevalue("recorded")
    web = opened(spec, cache)
    judge = judge_of(spec, web)
    seeds = seed_sets(web, judge, 2)[repeat]
    targets = set(judge.targets()) - set(seeds)
    real = really_fetched(spec, "ipagerank", seeds, repeat, 1000, 16, tmp_path, web)
    simulated, other = (rehearsed(spec, policy, seeds, repeat, 1000, 16, cache, web) for policy in ("ipagerank", "bfs"))
    rates = [len(targets.intersection(urls[:1000])) / 1000 for urls in (real, simulated, other)]
    assert abs(rates[0] - rates[1]) <= 0.04, rates
    assert abs(rates[0] - rates[1]) < abs(rates[0] - rates[2]), rates  # it is this policy's harvest, not another's
