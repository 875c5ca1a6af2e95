"""``scrapy read``: every field and why, of files, folders, recordings and URLs."""

from __future__ import annotations

import json
import os

import pytest

from support.crawling import environment, scrapy
from support.replaying import write_warc
from support.site import Answer, small_web
from tests.page.made import PARAGRAPHS, article
from topicspider.cli.pages import FIELDS
from topicspider.text.terminal import width

NAMES = {"file", "url", "error", *FIELDS}


def read(folder, *arguments, proxy="", **env):
    """``scrapy read`` in ``folder``."""
    return scrapy(["read", *arguments], folder, environment(proxy, **env))


def lines(ended):
    """The JSON lines, each with all names."""
    assert ended.exit_code == 0, ended.err
    found = [json.loads(line) for line in ended.out.splitlines()]
    assert all(set(line) == NAMES for line in found)
    return found


def test_a_folder_is_a_line_a_page_in_name_order(tmp_path):
    folder = tmp_path / "pages"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "1.html").write_bytes(article(title="乙").encode("gb18030"))
    (folder / "a.html").write_text(article(title="云台山旅游"), "utf-8")
    (folder / "c.html").write_bytes(b"")
    (folder / "d.bin").write_bytes(b"\x00\x01\x02" * 500)
    (folder / ".hidden").write_text("x")
    os.mkfifo(folder / "e.pipe")
    found = lines(read(tmp_path, "--json", "pages"))
    assert [line["file"] for line in found] == [
        "pages/a.html",
        "pages/b/1.html",
        "pages/c.html",
        "pages/d.bin",
        "pages/e.pipe",
    ]
    assert [line["url"] for line in found] == [None] * 5
    assert [bool(line["error"]) for line in found] == [False, False, True, True, True]
    assert found[0]["title"] == "云台山旅游"
    assert PARAGRAPHS[1] in found[0]["body"]
    assert PARAGRAPHS[1] in found[1]["body"]
    assert found[1]["encoding"]["used"] == "gb18030"
    assert {(line["title"], line["body"]) for line in found[2:]} == {("", "")}


def test_why_is_told(tmp_path):
    page = article(
        head="<meta name='keywords' content='云台山,旅游'><meta property='article:published_time' content='2024-05-01'>"
    )
    (tmp_path / "a.html").write_text(page, "utf-8")
    (found,) = lines(read(tmp_path, "--json", "a.html"))
    assert "title" in found["why"]["title"]
    assert found["published"] == "2024-05-01"
    assert found["why"]["published"]
    assert found["encoding"] == {"declared": "", "used": "utf-8", "why": "utf-8", "repaired": 0}
    assert "云台山" in found["keywords"]


def test_pages_of_a_recording_have_their_urls(tmp_path):
    pages = {f"http://a.example/{n}": ("text/html", article(title=f"第{n}页旅游指南").encode()) for n in (1, 2)}
    write_warc(tmp_path / "web.warc", pages)
    found = lines(read(tmp_path, "--json", "web.warc"))
    assert [(line["file"], line["url"]) for line in found] == [("web.warc", f"http://a.example/{n}") for n in (1, 2)]
    assert [line["title"] for line in found] == ["第1页旅游指南", "第2页旅游指南"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_terminal_of_80_columns_is_enough(tmp_path, language):
    (tmp_path / "a.html").write_text(article(), "utf-8")
    ended = read(tmp_path, "-s", f"TOPICSPIDER_LANGUAGE={language}", "a.html", COLUMNS="80")
    assert ended.exit_code == 0, ended.err
    assert "云台山春季旅游指南" in ended.out
    assert ("标题" if language == "zh" else "title") in ended.out
    assert max(map(width, ended.out.splitlines())) <= 80


def test_a_url_is_fetched_as_a_crawl_does(tmp_path):
    url = "http://a.example/guilin.html"
    with small_web({url: Answer(article())}) as web:
        (found,) = lines(read(tmp_path, "--json", url, proxy=web.proxy))
        assert [one.url for one in web.asked] == ["http://a.example/robots.txt", url]
    assert (found["file"], found["url"], found["title"]) == (None, url, "云台山春季旅游指南")


def test_what_robots_forbids_is_not_read(tmp_path):
    url = "http://a.example/guilin.html"
    robots = Answer("User-agent: *\nDisallow: /", headers={"Content-Type": "text/plain"})
    with small_web({url: Answer(article()), "http://a.example/robots.txt": robots}) as web:
        ended = read(tmp_path, "--json", url, proxy=web.proxy)
        assert web.pages() == []
    assert ended.exit_code == 3
    assert "robots" in json.loads(ended.out)["error"]
    assert "robots" in ended.err


def test_a_page_that_cannot_be_had_is_one_line_and_no_empty_form(tmp_path):
    ended = read(tmp_path, "http://127.0.0.1:9/")
    assert (ended.exit_code, ended.out) == (3, "")
    assert "private_address. Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing-there.html"], "nothing-there.html"),
        (["ftp://a.example/"], "ftp://a.example/"),
        (["http://[::bad/"], "http://[::bad/"),
        (["http://a.example/", "http://b.example/"], "one URL at a time"),
    ],
)
def test_a_wrong_argument_is_one_line(tmp_path, arguments, words):
    ended = read(tmp_path, *arguments)
    assert ended.exit_code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err
