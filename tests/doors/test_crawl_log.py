"""Every crawl writes down what it fetched and thought; the file is a web that can be crawled again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.crawling import crawl, stored
from support.replaying import replay_server, write_warc
from support.site import TRAVEL, small_web, travel_web
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.archive.feature_file import FeatureFile
from topicspider.steering.compiled_topics import compile_topics
from topicspider.topic.loading import load_topic
from topicspider.url import fingerprint

HOST = "http://www.gucheng.example"
SEED = f"{HOST}/"
UTF8, GBK = "text/html; charset=utf-8", "text/html; charset=gbk"


def _html(title: str, *links: tuple[str, str], head: str = "") -> str:
    anchors = "".join(f'<li><a href="{target}">{anchor}</a> 值得一去</li>' for target, anchor in links)
    return f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><p>{TRAVEL * 2}</p><ul>{anchors}</ul></body></html>"


def _recorded() -> dict:
    """A small Chinese web: GBK pages, a redirect, a meta refresh, a dead link, a picture that is said to be a page."""
    refresh = '<meta http-equiv="refresh" content="0; url=/xinye.html">'
    home = _html(
        "古城旅游",
        ("/gbk.html", "古城攻略"),
        ("/jiu.html", "旧地址"),
        ("/shuaxin.html", "跳转"),
        ("/meiyou.html", "没有的旅游页"),
        ("/tu", "旅游图片"),
        ("https://www.gucheng.example/gbk.html", "加密的"),
    )
    return {
        SEED: (UTF8, home.encode()),
        f"{HOST}/gbk.html": (GBK, _html("古城住宿", ("/", "首页"), ("/xinye.html", "新页")).encode("gbk")),
        f"{HOST}/jiu.html": (301, {"Location": "/gbk.html"}, b""),
        f"{HOST}/shuaxin.html": (UTF8, _html("跳转", head=refresh).encode()),
        f"{HOST}/xinye.html": (GBK, _html("新页：门票与交通", ("/gbk.html", "住宿")).encode("gbk")),
        f"{HOST}/tu": ("image/png", b"\x89PNG\r\n"),
    }


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """One crawl of the recorded web to its end: its folder, the WARC, and the web that its log is."""
    folder = tmp_path_factory.mktemp("log")
    warc = write_warc(folder / "web.warc", _recorded())
    with replay_server(warc) as server:
        ended = crawl(folder, server.proxy_url, "-s", "TOPICSPIDER_LINK_POLICY=bfs", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    web = open_archived_web(str(folder / "data/tourism/crawl.db"))
    yield folder, warc, web, ended
    web.close()


def _file(folder, topic="tourism"):
    return FeatureFile(folder / "data" / topic / "crawl.db")


def test_the_log_is_the_same_web_as_the_recording(logged, tmp_path):
    _folder, warc, web, _ended = logged
    learned = compile_topics([load_topic("tourism")], Options())
    direct = open_archived_web(str(warc), cache=tmp_path, own_words=learned.segmenter.own_words)
    for url in _recorded():
        expected = direct.answer(url)
        if url.endswith("/tu"):  # the crawl ends a download that is no page at its headers: no answer came
            expected = replace(expected, status=0)
        assert replace(web.answer(url), seconds=None) == expected, url
    twin = "https://www.gucheng.example/gbk.html"
    assert replace(web.answer(twin), seconds=None) == direct.answer(twin)
    graph, whole = web.graph(), direct.graph()
    assert graph == {mark: whole[mark] for mark in graph}
    assert set(graph) == {fingerprint(url) for url in [*_recorded(), twin] if not url.endswith("/tu")}
    direct.close()


def test_a_resumed_crawl_goes_on_in_its_log_and_a_fresh_one_starts_anew(tmp_path):
    def logged(*given):
        crawl(tmp_path, web.proxy, *given, seeds="http://w0.example/p0.html")
        return _file(tmp_path).urls()

    with small_web(travel_web()) as web:
        first, second = logged("-a", "max_pages=5"), logged("-a", "max_pages=12")
        anew = logged("-a", "max_pages=3", "-a", "fresh=1")
    assert (len(first), len(second), len(anew)) == (5, 12, 3)
    assert second[:5] == first


def test_a_log_that_cannot_be_written_does_not_end_the_crawl(tmp_path):
    folder = tmp_path / "data/tourism"
    folder.mkdir(parents=True)
    (folder / "crawl.db").write_bytes(b"this is no database" * 100)
    with small_web(travel_web()) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "max_pages=5", seeds="http://w0.example/p0.html")
    assert ended.exit_code == 0, ended.err
    assert len(stored(tmp_path)) == 5
    assert ended.err.count("log is off") == 1
