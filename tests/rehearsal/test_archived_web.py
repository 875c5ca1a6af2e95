"""A web is read once, whoever wrote it and whoever asks, and comes from its cache from then on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from support.crawling import ROOT
from topicspider.errors import RecordingError, TopicSpiderError
from topicspider.rehearsal.archive.archived_web import open_archived_web, read_warc
from topicspider.rehearsal.archive.feature_file import Answer, FeatureFile, packed
from topicspider.rehearsal.archive.page_reader import read_answers
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.text.segment import make_segmenter
from topicspider.url import fingerprint

HOME, GBK, OLD, GONE = (f"http://www.gucheng.example/{name}" for name in ("", "gbk.html", "old", "gone"))
HTML = ("Content-Type", "text/html; charset=utf-8")


MADE = "made:pages=216,hosts=3"


class Writer(WARCWriter):
    """warcio's, whose temporary files are left open."""

    _create_temp_file = staticmethod(io.BytesIO)


def _html(title, *links):
    return f"<html><title>{title}</title><body><p>古镇的石板路</p>{''.join(f'<a href={link}>{link}</a>' for link in links)}"


def _records(writer, revisit_of=""):
    """What a crawler's WARC holds: warcinfo, requests, responses, metadata, a revisit."""

    def add(url, body, *headers, status="200 OK", kind="response", **more):
        http = StatusAndHeaders(status, list(headers or (HTML,)), protocol="HTTP/1.1")
        record = writer.create_warc_record(url, kind, payload=io.BytesIO(body), http_headers=http, **more)
        writer.write_record(record)

    def ask(url):
        http = StatusAndHeaders("GET / HTTP/1.1", [("Host", "www.gucheng.example")], is_http_request=True)
        writer.write_record(writer.create_warc_record(url, "request", http_headers=http))

    writer.write_record(writer.create_warcinfo_record("web.warc", {"software": "by test"}))
    robots = "http://www.gucheng.example/robots.txt"
    add(robots, b"User-agent: *\nDisallow: /no\n", ("Content-Type", "text/plain"))
    ask(GBK)
    add(GBK, _html("古城住宿", "/").encode("gbk"), ("Content-Type", "text/html; charset=gbk"))
    ask(HOME)
    add(HOME, _html("古城", "/gbk.html", "/old", "https://www.gucheng.example/gbk.html", "/gbk.html").encode())
    writer.write_record(
        writer.create_warc_record(
            HOME, "metadata", payload=io.BytesIO(b"fetchTimeMs: 5\r\n"), warc_content_type="application/warc-fields"
        )
    )
    add(OLD, b"", ("Location", "gbk.html#x"), status="302 Found")
    add(GONE, b"gone", status="404 Not Found")
    revisit = writer.create_revisit_record(
        "http://www.gucheng.example/again.html", "sha1:none", GBK, "2024-01-01T00:00:00Z",
        http_headers=StatusAndHeaders("200 OK", [HTML], protocol="HTTP/1.1"),
    )  # fmt: skip
    writer.write_record(revisit)


@pytest.fixture(params=["web.warc", "web.warc.gz"])
def warc(request, tmp_path):
    """A WARC by warcio, plain as wget can write it, or packed record by record as browsertrix does."""
    path = tmp_path / request.param
    with path.open("wb") as file:
        _records(Writer(file, gzip=path.suffix == ".gz"))
    return path


@pytest.fixture
def web(warc, tmp_path):
    opened = open_archived_web(str(warc), cache=tmp_path / "cache")
    yield opened
    opened.close()


CUTTINGS = [(), ("古城住宿",), ("古镇的石板路",)]


def test_read_once_for_several_topics_it_is_as_if_read_for_each(warc, tmp_path):
    read_warc(warc, CUTTINGS, tmp_path / "once", 1, lambda _line: None)
    words = set()
    for cutting in CUTTINGS:
        webs = [
            open_archived_web(str(warc), cache=tmp_path / name, own_words=cutting, say=said)
            for name, said in (("once", lambda line: pytest.fail(line)), ("each", lambda _line: None))
        ]
        once, each = webs
        assert (once.digest, once.start_pages, [*once.urls()]) == (each.digest, each.start_pages, [*each.urls()])
        assert [once.answer(url) for url in each.urls()] == [each.answer(url) for url in each.urls()]
        assert once.robots("www.gucheng.example:80") == each.robots("www.gucheng.example:80")
        words.add(once.answer(GBK).features.subject_words + once.answer(GBK).features.body_words)
        for one in webs:
            one.close()
    assert len(words) == len(CUTTINGS)


def test_pages_redirects_and_dead_links_of_a_warc(web):
    assert web.answer(HOME).features.title == "古城"
    assert web.answer(GBK).features.title == "古城住宿"
    assert (web.answer(OLD).status, web.answer(OLD).target) == (302, GBK)
    assert (web.answer(GONE).status, web.answer(GONE).features) == (404, None)
    assert web.answer("http://www.gucheng.example/never") == Answer("http://www.gucheng.example/never")


def test_the_web_begins_at_the_home_page_of_the_first_host(web):
    assert list(web.start_pages) == [HOME]
    assert len(web) == 3


def test_robots_of_a_recorded_host(web):
    assert web.robots("www.gucheng.example:80") == b"User-agent: *\nDisallow: /no\n"
    assert web.robots("www.gucheng.example:443") is None
    assert web.robots("other.example:80") is None


def test_the_graph_has_every_page_and_redirect(web):
    graph = web.graph()
    secure = "https://www.gucheng.example/gbk.html"
    assert list(graph[fingerprint(HOME)]) == [fingerprint(url) for url in (GBK, OLD, secure)]
    assert list(graph[fingerprint(OLD)]) == [fingerprint(GBK)]
    assert fingerprint(GONE) not in graph


def test_opened_again_nothing_is_read(warc, web, tmp_path, monkeypatch):
    monkeypatch.setattr("topicspider.rehearsal.archive.archived_web.WarcWeb", None)
    again = open_archived_web(str(warc), cache=tmp_path / "cache")
    assert again.digest == web.digest
    assert again.answer(GBK) == web.answer(GBK)
    again.close()


def test_the_digest_is_of_the_content_not_of_the_file(warc, web, tmp_path):
    os.utime(warc, (1, 1))
    other = open_archived_web(str(warc), cache=tmp_path / "other")
    assert other.digest == web.digest
    other.close()
    own = open_archived_web(str(warc), cache=tmp_path / "other", own_words=["古镇的石板路"])
    assert web.digest != own.digest
    assert "古镇的石板路" in own.answer(HOME).features.body_words
    own.close()


def test_a_changed_file_is_read_anew(warc, web, tmp_path):
    with warc.open("ab") as file:
        writer = Writer(file, gzip=warc.suffix == ".gz")
        http = StatusAndHeaders("200 OK", [HTML], protocol="HTTP/1.1")
        new = "http://www.gucheng.example/new.html"
        body = io.BytesIO(_html("新页").encode())
        writer.write_record(writer.create_warc_record(new, "response", payload=body, http_headers=http))
    again = open_archived_web(str(warc), cache=tmp_path / "cache")
    assert again.answer(new).features.title == "新页"
    assert again.digest != web.digest
    again.close()


def test_a_damaged_cache_is_one_line_that_says_what_to_do(warc, tmp_path):
    open_archived_web(str(warc), cache=tmp_path / "cache").close()
    (path,) = (tmp_path / "cache").glob("*.db")
    path.write_bytes(b"no database at all" * 300)
    with pytest.raises(RecordingError, match="delete it, and it is made anew"):
        open_archived_web(str(warc), cache=tmp_path / "cache")


def test_a_made_web_is_read_as_a_whole(tmp_path):
    web = open_archived_web(MADE, cache=tmp_path)
    made, segmenters = SyntheticWeb.read(MADE.partition(":")[2]), [make_segmenter()]
    for url, _truth in made.labels():
        assert web.answer(url) == read_answers(url, made.find(url), segmenters)[0], url
    assert list(web.start_pages) == ["http://start.made.example/"]
    web.close()


def test_several_processes_read_what_one_reads(tmp_path):
    spec = "made:pages=1100,hosts=12"
    alone = open_archived_web(spec, cache=tmp_path / "one", processes=1)
    said = []
    together = open_archived_web(spec, cache=tmp_path / "two", processes=2, say=said.append)
    urls = set(alone.urls())
    assert set(together.urls()) == urls
    assert all(alone.answer(url) == together.answer(url) for url in sorted(urls)[::10])
    assert any(line.endswith("of 1,113 pages") for line in said)
    for one in (alone, together):
        one.close()


_READS = """
import sys
from pathlib import Path
from topicspider.rehearsal.archive.archived_web import open_archived_web
if __name__ == "__main__":
    try:
        open_archived_web("made:pages=3000,hosts=30", cache=Path(sys.argv[1]), processes=2)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_broken_off_it_leaves_no_process_and_no_half_a_web(tmp_path, how, code):
    script = tmp_path / "reads.py"
    script.write_text(_READS, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "cache")], env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    _wait_until(lambda: any((tmp_path / "cache").glob("*/*.db")))
    os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode == code
    _wait_until(lambda: not _has_members(process.pid))
    assert not list((tmp_path / "cache").glob("*.db"))


def _has_members(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_until(is_so):
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def _no_html(tmp_path):
    with (tmp_path / "picture.warc").open("wb") as file:
        writer = Writer(file, gzip=False)
        http = StatusAndHeaders("200 OK", [("Content-Type", "image/png")], protocol="HTTP/1.1")
        record = writer.create_warc_record(
            "http://a.example/x.png", "response", payload=io.BytesIO(b"\x89PNG"), http_headers=http
        )
        writer.write_record(record)
    return "picture.warc"


def _no_warc(tmp_path):
    (tmp_path / "notes.txt").write_text("旅游笔记", encoding="utf-8")
    return "notes.txt"


def _log(tmp_path, pages, **facts):
    file = FeatureFile(tmp_path / "crawl.db", is_new=True)
    file.add([packed(page) for page in pages])
    file.set_meta({"started": "2026-01-01T00:00:00+00:00", **facts})
    file.finish()
    return "crawl.db"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda _folder: "none.warc", "There is no such file"),
        (_no_html, "holds no HTML page"),
        (_no_warc, "not a WARC file"),
        (lambda folder: _log(folder, [Answer(HOME, 200)]), "has not ended.*go on with it"),
        (lambda folder: _log(folder, [Answer(HOME, 404)], ended="2026-01-01T00:00:01+00:00"), "holds no page"),
        (lambda folder: _log(folder, [], started=""), "is not the log of a crawl"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_line(tmp_path, make, words):
    with pytest.raises(TopicSpiderError, match=words) as raised:
        open_archived_web(str(tmp_path / make(tmp_path)), cache=tmp_path / "cache")
    assert "\n" not in str(raised.value)
