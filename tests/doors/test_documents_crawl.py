"""A crawl reads PDF, DOCX, plain text, GBK and Big5 pages, and the store has their text."""

from __future__ import annotations

import sqlite3

import pytest

from support.crawling import crawl, items, scrapy
from support.documents import docx, paragraph, pdf, printed
from support.project import BASE, TOPIC, WITHOUT_DELAYS, make_project, outside
from support.replaying import replay_server, write_warc
from support.site import TRAVEL, Answer, page, small_web
from topicspider.page.decode import DOCX, PDF

SEED = "http://w0.example/"
HTML = "text/html; charset=utf-8"
CREATOR = "<dc:creator>李四</dc:creator>"
LINES = [TRAVEL[start : start + 34] for start in range(0, len(TRAVEL), 34)]
TRADITIONAL = "我們去海邊旅遊，看了古鎮和雪山，住的酒店乾淨，景點門票不貴，導遊講得仔細。清晨出發，沿著石板路慢慢走，攻略裡推薦的觀景臺果然值得一去。"
BEHIND = "http://w1.example/behind.html"


def markup(title, text):
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text * 3}</p></body></html>"


def guide(heading, *facts):
    return pdf([[(heading, 200, 790, 20), *printed(LINES)]], *facts)


def files():
    """URL to (content type, body): one document of each kind, each about travel."""
    link = f'<w:p><w:r><w:t>{TRAVEL}更多旅游攻略见</w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>旅游景点门票攻略</w:t></w:r></w:hyperlink></w:p>'
    return {
        "http://w1.example/guide.pdf": (PDF, guide("海边旅游攻略", "海边旅游攻略", "张三")),
        "http://w2.example/down?file=2": ("application/octet-stream", guide("古镇旅游攻略")),
        "http://w1.example/guide.docx": (DOCX, docx(paragraph("雪山旅游攻略") + link, CREATOR, {"r1": BEHIND})),
        "http://w2.example/guide.docx": ("application/zip", docx(paragraph("温泉旅游攻略") + paragraph(TRAVEL * 2))),
        "http://w1.example/guide.txt": ("text/plain", f"海岛旅游攻略\n\n{TRAVEL}\n".encode("gb18030")),
        "http://w1.example/gbk.html": ("text/html", markup("草原旅游攻略", TRAVEL).encode("gbk")),
        "http://w1.example/big5.html": ("text/html", markup("臺灣旅遊攻略", TRADITIONAL).encode("big5")),
    }


def web():
    """The documents, the page that links to them, the page that one of them links to."""
    hidden = {"http://w2.example/down?file=2"}
    anchors = {url: f"旅游攻略 {url[-8:]}" for url in files() if url not in hidden}
    pages = {
        SEED: (HTML, page("旅游攻略下载", TRAVEL, {**anchors, "http://w2.example/down?file=2": "旅游攻略"}).payload),
        BEHIND: (HTML, page("旅游景点门票", TRAVEL).payload),
    }
    return {**pages, **files()}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    recorded = dict(web())
    recorded["http://w2.example/down?file=2"] = (
        200,
        {"Content-Type": "application/octet-stream", "Content-Disposition": 'attachment; filename="guide.pdf"'},
        recorded["http://w2.example/down?file=2"][1],
    )
    with replay_server(write_warc(folder / "web.warc", recorded)) as server:
        ended = crawl(folder, server.proxy_url, "-O", "hits.jsonl", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert "Traceback" not in ended.err
    with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
        rows = {url: (title, body) for url, title, body in database.execute("SELECT url, title, body FROM pages")}
    return {item["url"]: item for item in items(folder / "hits.jsonl")}, rows


@pytest.mark.parametrize(
    ("url", "title", "text", "kind", "encoding"),
    [
        ("http://w1.example/guide.pdf", "海边旅游攻略", TRAVEL, "document", ""),
        ("http://w2.example/down?file=2", "古镇旅游攻略", TRAVEL, "document", ""),
        ("http://w1.example/guide.docx", "雪山旅游攻略", TRAVEL, "document", ""),
        ("http://w2.example/guide.docx", "温泉旅游攻略", TRAVEL, "document", ""),
        ("http://w1.example/guide.txt", "海岛旅游攻略", TRAVEL, "document", "gb18030"),
        ("http://w1.example/gbk.html", "草原旅游攻略", TRAVEL, "article", "gb18030"),
        ("http://w1.example/big5.html", "臺灣旅遊攻略", TRADITIONAL, "article", "big5"),
    ],
)
def test_it_is_a_hit_and_the_store_has_its_text(crawled, url, title, text, kind, encoding):
    hits, rows = crawled
    assert rows[url][0] == title
    assert text in rows[url][1]
    item = hits[url]
    assert (item["title"], item["type"], item["language"]) == (title, kind, "zh")
    assert item["encoding"] in (encoding, "gbk") if encoding == "gb18030" else item["encoding"] == encoding
    content_type, body = web()[url]
    assert (item["content_type"], item["content_length"]) == (content_type, len(body))
    assert item["keywords"]
    assert item["summary"]


def test_authors_of_documents_are_known_and_their_links_are_followed(crawled):
    hits, rows = crawled
    assert hits["http://w1.example/guide.pdf"]["author"] == "张三"
    assert hits["http://w1.example/guide.docx"]["author"] == "李四"
    assert hits["http://w1.example/guide.docx"]["link_count"] == 1
    assert hits[BEHIND]["referrer"] == "http://w1.example/guide.docx"
    assert BEHIND in rows


BOMB = {"word/document.xml": "\0" * 50_000_000}


def bad_web():
    """What cannot be read stands among what can; every link promises travel."""
    odd = {
        "http://w1.example/half.pdf": Answer(b"%PDF-1.7\n" + b"\x93\x01" * 500, 200, {"Content-Type": PDF}),
        "http://w1.example/locked.pdf": Answer(pdf([printed(LINES)], password="x"), 200, {"Content-Type": PDF}),
        "http://w1.example/scan.pdf": Answer(pdf([[], []]), 200, {"Content-Type": PDF}),
        "http://w1.example/bomb.docx": Answer(docx("", **BOMB), 200, {"Content-Type": DOCX}),
        "http://w1.example/setup": Answer(b"MZ\x90\x00", 200, {"Content-Type": "application/octet-stream"}),
        "http://w1.example/error.pdf": Answer(page("旅游出错了", TRAVEL).payload, 200, {"Content-Type": "text/html"}),
        "http://w1.example/late.pdf": Answer(guide("旅游攻略"), 200, {"Content-Type": "text/html"}),
    }
    links = {url: f"旅游攻略 {url[17:]}" for url in odd}
    return {SEED: page("旅游攻略下载", TRAVEL, links), **odd}


def test_what_cannot_be_read_is_counted_by_name_and_ends_nothing(tmp_path):
    with small_web(bad_web()) as server:
        ended = crawl(tmp_path, server.proxy, "-s", "LOG_LEVEL=INFO", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert "Traceback" not in ended.err
    for name in ("document_damaged", "document_locked", "document_empty", "document_limit", "wrong_type"):
        assert f"'topicspider/ended/{name}': 1" in ended.err
    with sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db") as database:
        rows = {url for (url,) in database.execute("SELECT url FROM pages")}
    assert rows == {SEED, "http://w1.example/error.pdf", "http://w1.example/late.pdf"}


def test_the_setting_leaves_documents_alone(tmp_path):
    pages = {url: Answer(body, 200, {"Content-Type": kind}) for url, (kind, body) in web().items()}
    with small_web(pages) as server:
        ended = crawl(tmp_path, server.proxy, "-s", "TOPICSPIDER_DOCUMENTS=0", "-O", "hits.jsonl", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    kinds = {item["content_type"].partition(";")[0] for item in items(tmp_path / "hits.jsonl")}
    assert kinds == {"text/html", "text/plain"}


SPIDER = f"""
import scrapy


class FileSpider(scrapy.Spider):
    name = "files"
    start_urls = ["{SEED}guide.pdf"]

    def parse(self, response):
        yield {{"开头": response.body[:5].decode(), "长": len(response.body)}}
"""


def test_other_peoples_spiders_get_their_file(tmp_path):
    (_url, (_kind, body)), *_rest = files().items()
    make_project(tmp_path, BASE + TOPIC + WITHOUT_DELAYS, SPIDER)
    with small_web({f"{SEED}guide.pdf": Answer(body, 200, {"Content-Type": PDF})}) as server:
        ended = scrapy(["crawl", "files", "-O", "out.jsonl"], tmp_path, outside(server.proxy))
    assert ended.exit_code == 0, ended.err
    assert items(tmp_path / "out.jsonl") == [{"开头": "%PDF-", "长": len(body)}]
