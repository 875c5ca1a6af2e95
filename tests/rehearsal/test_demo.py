"""The demo's judge, its table and its command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.crawling import Ended, environment, scrapy
from support.terminal import run_on_terminal
from topicspider.cli.command import INTERRUPTED
from topicspider.cli.crawl_data import DEMO, STORE
from topicspider.cli.demo import FOCUSED, QUERY, RUNS, comparison, crawl, judge, judged
from topicspider.errors import TopicSpiderError
from topicspider.i18n import gettext, use_language
from topicspider.rehearsal.replay.request_log import Harvest, count_harvest
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.store.sqlite import SqliteDatabase
from topicspider.text.terminal import width


def asked(url: str, status: int = 200, at: float = 0.0) -> dict[str, Any]:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    return {"scheme": scheme, "host": host, "path": "/" + path, "status": status, "start": at, "end": at + 0.5}


def test_pages_count_once_and_only_when_they_were_answered() -> None:
    log = [
        asked("http://a.example/robots.txt"),
        asked("http://a.example/旅游", at=1),
        asked("http://a.example/旅游", at=2),
        asked("http://a.example/gone旅游", 404),
        asked("http://b.example/moved", 302),
        asked("http://b.example/refresh"),
        asked("http://c.example/股票", at=3),
    ]
    verdicts = {"http://b.example/refresh": None}
    harvest = count_harvest(log, lambda url: verdicts.get(url, "旅游" in url))
    assert harvest == Harvest(pages=2, on_topic=1, hosts=2, hosts_on_topic=1, last=1, seconds=3.5)
    assert (harvest.rate, harvest.last_rate) == (0.5, 0.5)


def test_the_last_hundred_pages_are_counted_apart() -> None:
    log = [asked(f"http://a.example/{i}", at=i) for i in range(150)]
    harvest = count_harvest(log, lambda url: int(url.rpartition("/")[2]) >= 100)
    assert (harvest.on_topic, harvest.last) == (50, 50)
    assert (harvest.rate, harvest.last_rate) == (pytest.approx(1 / 3), 0.5)


def test_a_crawl_is_judged_by_the_truth_of_the_made_web(tmp_path: Path) -> None:
    web = SyntheticWeb.read("pages=600,hosts=6,seed=2")
    labels = dict(web.labels())
    lines = [json.dumps(asked(url)) for url in labels] + [json.dumps(asked("http://start.made.example/robots.txt"))]
    (tmp_path / "requests.jsonl").write_text("\n".join(lines), encoding="utf-8")
    harvest = judge(tmp_path, web)
    assert harvest.pages == sum(truth.kind != "redirect" for truth in labels.values())
    assert harvest.on_topic == sum("tourism" in truth.topics for truth in labels.values()) > 0


@pytest.mark.parametrize("chinese", [True, False])
def test_the_table_shows_both_runs_and_fits_eighty_columns(chinese: bool) -> None:
    harvests = [Harvest(1_000_000, 654_321, 12_345, 2_345, 87, 123_456.7), Harvest(300, 12, 80, 5, 3, 9.4)]
    use_language("zh" if chinese else "en")
    text = comparison(harvests, [(600_000, 54_000, 321), (1, 0, 2)])
    assert all(width(line) <= 80 for line in text.splitlines())
    for part in ("654,321", "65%", "87%", "12", "4%", "654,321", "3", *map(gettext, RUNS)):
        assert part in text
    widths = {width(line) for line in text.strip("\n").splitlines()}
    assert len(widths) == 1


def test_a_crawl_that_fails_is_an_error_with_its_exit_code(tmp_path: Path) -> None:
    with pytest.raises(TopicSpiderError, match="exit code 2"):
        crawl(FOCUSED, tmp_path, "made:pages=300,hosts=3", 5, ["TOPICSPIDER_PAGE_SCORER=guess"])


def test_ctrl_c_says_that_the_demo_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "data" / "demo" / FOCUSED / "requests.jsonl"
    screen = run_on_terminal(
        ["demo", "--made", "pages=600,hosts=6,seed=2"],
        tmp_path,
        environment(),
        press_ctrl_c=lambda: log.exists() and log.read_text(encoding="utf-8").count("\n") > 5,
    )
    assert screen.exit_code == INTERRUPTED, screen.raw
    assert screen.lines[-2:] == ["stopped; `scrapy demo` begins anew", ""]
    assert [line for line in screen.lines if "goes on" in line or line.startswith("next")] == []


def test_a_small_demo_crawl_begins_anew_and_its_counts_add_up(tmp_path: Path) -> None:
    spec = "pages=600,hosts=6,seed=2"
    folder = tmp_path / "data" / DEMO
    for pages in (20, 25):
        assert crawl(FOCUSED, folder, f"made:{spec}", pages, ["LOG_LEVEL=ERROR"]) == 0
    harvest = judge(folder, SyntheticWeb.read(spec))
    hits = [json.loads(line) for line in (folder / "hits.jsonl").read_text(encoding="utf-8").splitlines()]
    assert 20 <= harvest.pages <= 25
    assert harvest.on_topic > 0
    new, copies, _lists = judged(folder)
    assert len(hits) == new + copies
    url = next(hit["url"] for hit in hits if not hit["duplicate_of"])

    def run(*words: str) -> Ended:
        return scrapy(list(words), tmp_path, environment(COLUMNS="80"))

    assert run("hits").out.startswith(f"{new} hits")
    assert "(--limit)" in run("hits", *QUERY.split(), "--limit", "1").out
    for words in (("explain", url), ("read", "--snapshot", url), ("topics", "coverage", "tourism")):
        ended = run(*words)
        assert (ended.exit_code, ended.err) == (0, ""), ended.err
    assert f"{harvest.pages} pages, {new} hits" in run("sites").out
    assert f"tourism ({DEMO})" in run("crawls").out
    assert run("doctor").out.endswith("All is well.\n")
    assert f"`scrapy read --snapshot {url}`" in run("explain", "--fetch", url).err
    assert "is simulated" in run("recrawl").err

    # a crawl that did not begin hides nothing, and leaves nothing behind
    ended = run("crawl", "topic", "-a", "topic=tourism", "-a", "seeds=http://nothing.invalid/")
    assert (ended.exit_code, [path.name for path in (tmp_path / "data").iterdir()]) == (3, ["demo"])
    SqliteDatabase(tmp_path / "data" / "tourism" / STORE).close()
    assert run("hits", "--topic", "tourism").out.startswith(f"{new} hits")
