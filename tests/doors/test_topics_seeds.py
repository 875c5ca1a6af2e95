"""``scrapy topics seeds``, as it is typed: from saved results, from a URL, from stored hits."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.crawling import environment
from support.site import page, small_web
from support.store_rows import page as row
from topicspider.store.location import open_store
from topicspider.store.rows import Batch

ENGINE = "http://search.example/s?wd=x"
GOOD, OTHER = "http://trip.example.com/", "http://cars.example.net/"
TOPIC = "title: 旅游 # 我的\nterms: [旅游, 古镇, 门票]\nseeds:\n  - http://old.example.com/\n"
QUICK = ("-s", "TOPICSPIDER_DELAY_MIN=0", "-s", "TOPICSPIDER_DELAY_FACTOR=0")


def pages():
    text = "介绍门票、民宿和自驾游路线，一篇讲清楚，适合第一次去的游客。"
    return {
        ENGINE: page("搜索", text, {GOOD: "古镇旅游攻略", OTHER: "二手车报价", "http://search.example/about": "关于"})
    }


@pytest.fixture(scope="module")
def web():
    with small_web(pages()) as served:
        yield served


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.yaml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "results.html").write_text(pages()[ENGINE].body, encoding="utf-8")
    return tmp_path


def seeds(folder, web, *arguments, typed="", **env):
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "topics",
        "seeds",
        *arguments,
        *QUICK,
        "-s",
        "TOPICSPIDER_TOPICS_DIR=own",
    ]
    more = {"cwd": folder, "env": environment(web.proxy, **env), "input": typed.encode(), "timeout": 80}
    ended = subprocess.run(command, **more, capture_output=True, check=False)
    assert b"Traceback" not in ended.stderr
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def kept(out):
    return [line for line in out.splitlines() if line.startswith("http")]


@pytest.mark.parametrize("source", ["results.html", ENGINE])
def test_the_best_are_kept_and_printed(folder, web, source):
    code, out, err = seeds(folder, web, "mine", "--from", source, "--top", "1")
    assert (code, err) == (0, "")
    assert kept(out) == [GOOD]
    assert "-a seeds=@FILE" in out
    assert (folder / "own" / "mine.yaml").read_text(encoding="utf-8") == TOPIC


def test_yes_and_no_choose_and_write_changes_the_seeds_only(folder, web):
    code, out, err = seeds(
        folder, web, "mine", "--from", "results.html", "--write", "--save", "种子.txt", typed="n\ny\n"
    )
    assert (code, err) == (0, "")
    assert kept(out) == [OTHER]
    assert (folder / "own" / "mine.yaml").read_text(encoding="utf-8") == TOPIC.replace("  - ", f"  - {OTHER}\n  - ")
    assert (folder / "种子.txt").read_text(encoding="utf-8") == f"{OTHER}\n"


def test_stored_hits_of_any_topic_are_found_by_words(folder, web):
    store = open_store("", folder / "data" / "sport" / "pages.db")
    hits = [
        row(GOOD, topic="sport", title="古镇马拉松", body="旅游 门票", duplicate_of=""),
        row(OTHER, topic="sport", title="联赛", body="旅游", duplicate_of=""),
    ]
    store.write(Batch(pages=hits))
    store.close()
    code, out, err = seeds(folder, web, "mine", "--from", "hits", "古镇", "门票", "--top", "9", LC_ALL="zh_CN.UTF-8")
    assert (code, err) == (0, "")
    assert kept(out) == [GOOD]
    assert "1 个候选" in out


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["mine", "--from", "nosuch.html"], 2, ("nosuch.html",)),
        (["mine", "--from", "hits"], 2, ("hits", "words")),
        (["mine", "--from", "results.html", "--top", "0"], 2, ("--top", "1 to 50")),
        (["mine", "--from", "http://search.example/nosuch"], 3, ("http://search.example/nosuch", "404")),
        (["mein", "--from", "results.html"], 2, ("'mein'", "mine")),
    ],
)
def test_what_is_wrong_is_one_line(folder, web, arguments, exit_code, words):
    code, out, err = seeds(folder, web, *arguments)
    assert (code, out) == (exit_code, "")
    (line,) = err.splitlines()
    assert [word for word in words if word not in line] == [], line
