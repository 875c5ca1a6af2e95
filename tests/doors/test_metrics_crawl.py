"""A running crawl tells Prometheus how it goes: real crawls, scraped while they run."""

from __future__ import annotations

import json
import re
import signal
from contextlib import ExitStack
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from support.crawling import begin, crawl, wait_until
from support.site import small_web, travel_web
from topicspider.metrics.exposition import FIGURES, PREFIX

SEED = "http://w0.example/p0.html"
TOPIC = "name: 测试旅行\ntitle: {zh: 旅行}\nterms: {旅游: 1.0, 景点: 0.8, 酒店: 0.5}\n"
TOKEN = "a-token-of-24-characters"
PATIENCE = 90  # seconds; a start takes 2 on an idle machine


def begin_with_figures(folder, proxy, *arguments):
    """A crawl with figures on a free port and its log in a file."""
    folder.mkdir()
    (folder / "测试旅行.yaml").write_text(TOPIC, encoding="utf-8")
    own = {"TOPICSPIDER_METRICS": 0, "LOG_FILE": "log"}
    return begin(folder, proxy, "-a", "topic=测试旅行.yaml", *arguments, seeds=SEED, **own)


def address(folder, process):
    """What the log says."""
    log = folder / "log"

    def said():
        return log.exists() and re.search(r"metrics at (http://\S+)\n", log.read_text(encoding="utf-8"))

    wait_until(said, process)
    return said()[1]


def ask(url, token=""):
    """The text, scraped as Prometheus does."""
    with urlopen(Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})) as answer:
        return answer.read().decode()


def samples(text):
    return {
        (sample.name, *(value for name, value in sorted(sample.labels.items()) if name != "crawl")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def end(process):
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=PATIENCE)


def test_two_crawls_on_one_machine_are_scraped_while_they_run(tmp_path):
    """One with a token that stands in a file, one without; each on a port of its own, named in the log and to Prometheus."""
    secret = tmp_path / "token"
    secret.write_text(f"{TOKEN}\n", encoding="utf-8")
    targets = tmp_path / "targets"
    with ExitStack() as stack, small_web(travel_web(900, hosts=30), latency=0.1) as web:
        one = stack.enter_context(
            begin_with_figures(tmp_path / "甲", web.proxy, "-s", f"TOPICSPIDER_METRICS_TARGETS={targets}")
        )
        two = stack.enter_context(
            begin_with_figures(tmp_path / "乙", web.proxy, "-s", f"TOPICSPIDER_METRICS_TOKEN=@{secret}")
        )
        open_url, closed_url = address(tmp_path / "甲", one), address(tmp_path / "乙", two)
        wait_until(lambda: samples(ask(open_url))["topicspider_pages_total",] >= 20, one)
        seen = samples(text := ask(open_url))
        named = [json.loads(path.read_text(encoding="utf-8")) for path in targets.glob("*.json")]
        for token in ("", TOKEN[:-1], "密码".encode().decode("latin-1")):
            with pytest.raises(HTTPError, match="401"):
                ask(closed_url, token)
        other = samples(ask(closed_url, TOKEN))
        with pytest.raises(HTTPError, match="404"):
            ask(open_url.replace("/metrics", "/"))
        end(one), end(two)
    assert open_url != closed_url
    assert named == [[{"targets": [open_url.split("/")[2]]}]]
    assert list(targets.glob("*")) == []  # it is over
    assert ("topicspider_pages_total",) in other
    assert 'crawl="测试旅行"' in text
    assert ".example" not in text
    assert 0 < seen["topicspider_hits_total",] <= seen["topicspider_pages_total",]
    assert 0 < seen["topicspider_harvest_ratio",] < 1
    assert seen["topicspider_queue_urls", "queued"] > 0
    assert seen["topicspider_queue_urls", "done"] >= 10
    assert seen["topicspider_download_seconds_count",] >= seen["topicspider_pages_total",]
    assert seen["topicspider_download_seconds_sum",] >= 0.1 * seen["topicspider_pages_total",]
    assert seen["topicspider_store_rows_total", "written"] > 0
    assert seen["topicspider_store_rows_waiting", "outbox"] == 0
    assert seen["topicspider_frontier_calls_total",] > 0
    assert seen["topicspider_links_kept_total",] > 0
    assert seen["topicspider_downloaded_bytes_total",] > 1000
    assert seen["topicspider_loop_lag_seconds",] >= 0
    assert seen["process_resident_memory_bytes",] > 1e7
    assert {PREFIX + one.name for one in FIGURES} <= {family.name for family in text_string_to_metric_families(text)}


def test_a_port_that_another_has_costs_the_figures_only(tmp_path):
    with small_web(travel_web(6)) as web:
        ended = crawl(tmp_path, web.proxy, seeds=SEED, TOPICSPIDER_METRICS=web.proxy.rpartition(":")[2])
    assert ended.exit_code == 0
    assert "the crawl goes on, but its metrics cannot be had" in ended.err
