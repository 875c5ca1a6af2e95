"""``scrapy topics tune``, as it is typed: keys on a terminal, lines elsewhere, labels from a file."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from support.crawling import environment
from support.store_rows import page
from topicspider.store.location import open_store
from topicspider.store.rows import Batch

SETTINGS = ("-s", "TOPICSPIDER_PAGE_SCORER=vsm")


@pytest.fixture
def crawled(tmp_path):
    """A folder with 60 judged pages of tourism; half of the hits are none: their titles say so."""
    store = open_store("", tmp_path / "data" / "tourism" / "pages.db")
    rows = []
    for place in range(60):
        is_hit = place >= 30
        title = f"古镇旅游攻略{place}" if place >= 45 else f"联赛战报{place}"
        row = page(f"http://a.example/{place}", is_hit, title=title, relevance=place / 60, duplicate_of="")
        rows.append(replace(row, threshold=0.5, scorer="vsm"))
    store.write(Batch(pages=rows))
    store.close()
    return tmp_path


def tune(folder, *arguments, typed=None, **env):
    command = [sys.executable, "-m", "scrapy", "topics", "tune", *SETTINGS, *arguments]
    given = (typed or "").encode()
    ended = subprocess.run(
        command, cwd=folder, env=environment(**env), input=given, capture_output=True, check=False, timeout=60
    )
    assert b"Traceback" not in ended.stderr
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def tuned(folder):
    return json.loads((folder / "data" / "tourism" / "tuned.json").read_text(encoding="utf-8"))


def test_the_next_crawl_judges_by_it(crawled):
    code, out, err = tune(crawled, "tourism", typed="y\nn\n" * 5)
    assert (code, err) == (0, "")
    assert "10 labels (5 yes, 5 no)" in out
    threshold = tuned(crawled)["threshold"]
    score = [sys.executable, "-m", "scrapy", "topics", "score", "tourism", "-", *SETTINGS]
    line = subprocess.run(score, cwd=crawled, env=environment(), input="旅游".encode(), capture_output=True, check=True)
    assert json.loads(line.stdout)["threshold"] == pytest.approx(threshold, abs=1e-6)


def test_labels_come_from_a_file_too(crawled):
    rows = [f"http://a.example/{place},{'是' if place >= 45 else '否'}" for place in range(20, 60, 2)]
    (crawled / "标注.csv").write_text(
        "\n".join([*rows, "http://nowhere.example/,yes", "黄山自由行,1"]), encoding="utf-8"
    )
    code, out, err = tune(crawled, "旅游", "--labels", "标注.csv", LC_ALL="zh_CN.UTF-8")
    assert (code, err) == (0, "")
    assert "跳过 1 个没有抓过的网址" in out
    assert "21 个标注" in out
    assert "收获率" in out
    assert 0.65 < tuned(crawled)["threshold"] < 0.8


def test_the_scorer_that_learns_scores_by_the_labels_and_keeps_its_threshold(tmp_path):
    rows = ["钓鱼技巧,yes", "夜钓装备,yes", "路亚钓鱼,yes", "古镇旅游攻略,no", "景区门票,no", "三亚旅游,no"] * 3
    (tmp_path / "labels.csv").write_text("\n".join(f"{row}" for row in rows), encoding="utf-8")
    learned = ("-s", "TOPICSPIDER_PAGE_SCORER=learned")

    def score():
        command = [sys.executable, "-m", "scrapy", "topics", "score", "tourism", "-", "--crawl", *learned]
        text = "夜钓技巧".encode()
        return json.loads(
            subprocess.run(command, cwd=tmp_path, env=environment(), input=text, capture_output=True, check=True).stdout
        )["score"]

    before = score()
    code, out, err = tune(tmp_path, "tourism", "--labels", "labels.csv", *learned)
    assert (code, err) == (0, "")
    assert "move the scores themselves" in out
    assert tuned(tmp_path)["threshold"] is None
    assert score() > before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sport"], ("'sport'", "a topic that was crawled", "scrapy crawl topic -a topic=sport")),
        (["turism"], ("turism", "Did you mean tourism?")),
        (["tourism", "--labels", "nosuch.csv"], ("--labels", "nosuch.csv")),
        (["tourism", "-s", "TOPICSPIDER_PAGE_SCORER=bm25"], ("bm25", "vsm", "set TOPICSPIDER_PAGE_SCORER")),
    ],
)
def test_what_cannot_be_tuned_is_one_line(crawled, arguments, words):
    code, out, err = tune(crawled, *arguments)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert [word for word in words if word not in line] == [], line
