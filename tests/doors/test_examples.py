"""The examples do what their first lines say."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.crawling import ROOT, environment
from support.site import SPORT, TRAVEL, small_web, travel_web

START = "http://w0.example/p0.html"
QUICK = {"TOPICSPIDER_DELAY_MIN": "0", "TOPICSPIDER_DELAY_FACTOR": "0"}


def run(folder, *words, proxy="", **more):
    program = [] if words[0].endswith(".sh") else [sys.executable]
    command = [*program, str(ROOT / "examples" / words[0]), *words[1:]]
    env = environment(proxy, PYTHON=sys.executable, **QUICK)
    ended = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False, **more
    )
    assert "Traceback" not in ended.stderr
    assert not ended.returncode or len(words) == 1, ended.stderr
    return ended.stdout or ended.stderr


def test_a_crawl_from_a_script_and_a_corpus_of_its_hits(tmp_path):
    with small_web(travel_web(12)) as web:
        said = run(tmp_path, "first_crawl.py", "tourism", START, proxy=web.proxy)
    urls = [line.split()[-1] for line in said.splitlines()]
    assert START in urls
    run(tmp_path, "export_corpus.py", "tourism", "corpus.jsonl")
    texts = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(texts) == len({text["url"] for text in texts} & set(urls)) > 0
    assert all("旅游" in text["text"] for text in texts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl", "data"]


@pytest.mark.parametrize("example", ["export_corpus.py", "topic_from_texts.py", "two_nodes.sh", "first_crawl.py"])
def test_an_example_without_arguments_says_what_it_wants(tmp_path, example):
    assert {"first_crawl.py": "Connection refused"}.get(example, f"{example} ") in run(
        tmp_path, example, proxy="http://127.0.0.1:9"
    )


def test_two_nodes_fetch_each_page_once(tmp_path, redis_url):
    with small_web(travel_web(30, hosts=8), latency=0.05) as web:
        every = ("-a", f"seeds={START}", "-s", "TOPICSPIDER_LINK_POLICY=bfs")
        run(tmp_path, "two_nodes.sh", redis_url, "tourism", *every, proxy=web.proxy)
        assert sorted(web.pages()) == sorted(travel_web(30, hosts=8))
    assert (tmp_path / "data-one").is_dir()
    assert (tmp_path / "data-two").is_dir()


@pytest.mark.parametrize(("text", "said"), [(TRAVEL, "on topic"), (SPORT, "off topic")])
def test_a_topic_from_texts_judges_others(tmp_path, text, said):
    (tmp_path / "one.txt").write_text(TRAVEL, encoding="utf-8")
    assert run(tmp_path, "topic_from_texts.py", "旅行", "one.txt", input=text).startswith(said)
