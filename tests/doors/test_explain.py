"""``scrapy explain URL``: why a page and its links score as they do, from the store or fetched."""

from __future__ import annotations

import json
import re

import pytest

from support.crawling import crawl, environment, scrapy
from support.site import TRAVEL, Answer, page, small_web, travel_web
from support.terminal import widest
from topicspider.cli.explain import LinkScore

SEED = "http://w0.example/p0.html"
MISS = "http://w1.example/p1.html"
MORE = "http://w3.example/more.html"
GONE = "http://w2.example/gone.html"
FORBIDDEN = "http://w2.example/private/"
QUICK = ("-s", "TOPICSPIDER_DELAY_MIN=0", "-s", "TOPICSPIDER_DELAY_FACTOR=0")


def pages():
    web = travel_web(12)
    web[MORE] = page("友情链接", TRAVEL, {SEED: "古镇旅游", "http://w2.example/used": "二手车报价"})
    web["http://w2.example/robots.txt"] = Answer(
        "User-agent: *\nDisallow: /private", 200, {"Content-Type": "text/plain"}
    )
    web[FORBIDDEN] = page("旅游", TRAVEL)
    web[GONE] = Answer("<title>旅游</title><h1>抱歉，您访问的页面不存在</h1>")
    return web


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A folder with a finished crawl, and the web that it crawled."""
    folder = tmp_path_factory.mktemp("explain")
    with small_web(pages()) as web:
        ended = crawl(folder, web.proxy, seeds=SEED)
        assert ended.exit_code == 0, ended.err
        yield folder, web


def data_files(folder):
    """What lies there, without what SQLite makes for whoever reads."""
    return {path: path.read_bytes() for path in folder.glob("data/**/*.*") if "-" not in path.suffix}


def explain(crawled, *arguments, proxy=None, **env):
    folder, web = crawled
    ended = scrapy(["explain", *QUICK, *arguments], folder, environment(web.proxy if proxy is None else proxy, **env))
    assert "Traceback" not in ended.err
    return ended


def test_a_crawled_page_is_explained_from_the_store_without_the_network(crawled):
    _folder, web = crawled
    before = len(web.asked)
    ended = explain(crawled, SEED, proxy="http://127.0.0.1:1")
    assert (ended.exit_code, ended.err) == (0, "")
    assert len(web.asked) == before
    assert re.search(r"tourism: a hit: [01]\.\d{4} \(threshold 0\.\d{4}, \w+\)", ended.out)
    assert all(re.search(rf"\b{part}=\d", ended.out) for part in ("boolean", "vsm", "A", "B", "C"))
    assert re.search(r"^ *\+0\.\d{4}  body:旅游$", ended.out, re.MULTILINE)
    score = re.search(r"a hit: ([01]\.\d{4})", ended.out)[1]
    assert re.search(rf"^= {score}  the sum of \d+ parts$", ended.out, re.MULTILINE)
    assert "moved on" not in ended.out
    assert ended.out.startswith("judged by what its crawl has learned: model 1\n")
    assert widest(ended.out.splitlines()) <= 80
    assert "links kept: 4" in ended.out
    assert re.search(r"^0\.\d{4} .*旅游攻略3 .*http://w3\.example/p3\.html$", ended.out, re.MULTILINE)


def test_a_miss_is_explained_too(crawled):
    ended = explain(crawled, "--topic", "tourism", MISS)
    assert ended.exit_code == 0
    assert "联赛战报第1篇" in ended.out
    assert "a miss" in ended.out
    assert "misses are stored without their text" in ended.out
    assert f"found on {SEED} (depth 1)" in ended.out


@pytest.mark.parametrize(("url", "more"), [(SEED, ()), (MISS, ()), (MORE, ()), (SEED, ("--fetch",)), (GONE, ())])
def test_json_says_the_same_as_the_tables(crawled, url, more):
    ended = explain(crawled, "--topic", "tourism", "--json", *more, url, "-s", "TOPICSPIDER_PAGE_SCORER=vsm")
    assert (ended.exit_code, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert bool(found["condition"]) == (url == GONE) == (not found["pages"])
    for page_found in found["pages"]:
        assert page_found["url"] == url
        assert page_found["on_topic"] == (page_found["score"] >= page_found["threshold"])
        if page_found["words"] is None:
            assert url == MISS
        else:
            assert sum(part["value"] for part in page_found["words"]) == pytest.approx(page_found["score"], abs=1e-9)
    if url == MISS:
        assert found["pages"][0]["stored"]["link"]["url"] == MISS


def test_an_unknown_page_is_fetched_through_the_proxy_with_robots_asked_first(crawled):
    folder, web = crawled
    before, files = len(web.asked), data_files(folder)
    ended = explain(crawled, "--topic", "tourism", MORE, "-s", "TOPICSPIDER_LINK_POLICY=rw")
    assert (ended.exit_code, ended.err) == (0, "")
    assert [one.url for one in web.asked[before:]] == ["http://w3.example/robots.txt", MORE]
    assert re.search(r"^ *\+0\.\d{4}  body:旅游$", ended.out, re.MULTILINE)
    assert "links kept: 1" in ended.out
    assert re.search(r"links pruned: 1\n.*二手车报价", ended.out)
    assert explain(crawled, "--topic", "sport", MORE).exit_code == 0
    assert data_files(folder) == files


def test_an_answer_that_is_no_page_is_said_to_be_none(crawled):
    ended = explain(crawled, "--topic", "tourism", GONE)
    assert ended.exit_code == 0
    assert "no page" in ended.out
    assert "soft_not_found (text: 抱歉" in ended.out


def test_several_topics_each_say_their_own(crawled):
    ended = explain(crawled, "--topic", "tourism,sport", MISS)
    assert ended.exit_code == 0, ended.err
    assert re.search(r"^tourism: a miss", ended.out, re.MULTILINE)
    assert re.search(r"^sport: a hit", ended.out, re.MULTILINE)


def test_it_speaks_chinese(crawled):
    stored = explain(crawled, "--topic", "旅游", SEED, "-s", "TOPICSPIDER_LANGUAGE=zh")
    fetched = explain(crawled, "--topic", "旅游", MORE, LC_ALL="zh_CN.UTF-8")
    for ended in (stored, fetched):
        assert ended.exit_code == 0, ended.err
        for words in ("命中：", "（阈值 ", "保留链接：", "剪掉的链接："):
            assert words in ended.out
        assert not re.search(r"links kept|\b(semantic|learned|prior|body|title|anchor|parent)\b[ :=]", ended.out)


@pytest.mark.parametrize(
    ("arguments", "proxy", "exit_code", "words"),
    [
        (["--topic", "tourism", "http://w3.example/nosuch"], None, 3, ("w3.example/nosuch", "not_found", "doctor")),
        (["--topic", "tourism", FORBIDDEN], None, 3, (FORBIDDEN, "robots")),
        (["--topic", "tourism", "http://nothing.invalid/"], "", 3, ("http://nothing.invalid/", "dns")),
        (["--topic", "tourism", "http://127.0.0.1:1/"], "", 2, ("http://127.0.0.1:1/", "TOPICSPIDER_ALLOW_PRIVATE")),
        (["--topic", "tourism", "旅游"], "", 2, ("URL: '旅游'", "http:// or https://")),
    ],
    ids=["404", "robots.txt", "no such host", "private", "no URL"],
)
def test_what_cannot_be_explained_is_one_line(crawled, arguments, proxy, exit_code, words):
    ended = explain(crawled, *arguments, proxy=proxy)
    assert ended.exit_code == exit_code, ended.err
    (line,) = ended.err.splitlines()
    assert line.startswith("topicspider: ")
    assert [word for word in words if word not in line] == [], line
    assert ended.out == ""


def test_a_link_to_a_page_that_was_fetched_before_has_no_score_of_nothing():
    (line,) = LinkScore("http://a.example/", "首页", 0.0, "", {}).lines()
    assert line == f"-       首页{' ' * 16}  fetched before  http://a.example/"
