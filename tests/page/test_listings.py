"""Sitemaps and feeds as lists of links: well made, in old encodings, broken, and hostile."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.sitemaps import MOST, Places, day_of, is_packed_listing, may_be_listing, read_listing

SITE = "http://lvyou.example/"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SITEMAP = f"""<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet href="s.xsl"?> <!-- made > by hand -->
<urlset {SPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> http://lvyou.example/guilin </loc><lastmod>2026-03-01</lastmod><image:image><image:loc>http://img.example/1.jpg</image:loc></image:image></url>
  <url><loc>http://lvyou.example/?a=1&amp;b=2</loc></url>
  <url><loc>/dali</loc><lastmod>2026-05-01T08:00:00+08:00</lastmod></url>
  <url><loc>mailto:a@b.example</loc></url>
  <url><lastmod>2026-05-01</lastmod></url>
  <url><loc>http://lvyou.example/guilin</loc></url>
</urlset>"""
RSS = """<?xml version="1.0" encoding="{encoding}"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>旅游&amp;美食</title><link>http://lvyou.example/</link>
<image><title>标志</title><link>http://lvyou.example/logo</link></image>
<item><title>桂林&nbsp;三日游</title><link>http://lvyou.example/1</link><media:title>图</media:title>
  <description><![CDATA[<p>漓江<b>竹筏</b> & 阳朔</p>]]></description><pubDate>Fri, 01 May 2026 08:00:00 +0800</pubDate></item>
<item><title>大理</title><link>http://lvyou.example/2</link><description>&lt;p&gt;洱海&lt;/p&gt;</description></item>
<item><title>没有链接</title></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><title type="text">游记</title><link rel="self" href="/feed"/>
<entry xml:base="2026/"><title>丽江</title><link rel="edit" href="/edit/1"/><link href="lijiang"/><updated>2026-02-01T00:00:00Z</updated>
  <author><name>张三</name></author><source><title>别处</title></source>
  <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">玉龙<em>雪山</em></div></content></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="http://lvyou.example/"><title>旅行</title><items><rdf:Seq><rdf:li rdf:resource="http://lvyou.example/9"/></rdf:Seq></items></channel>
<item rdf:about="http://lvyou.example/9"><title>敦煌</title><link>http://lvyou.example/9</link><dc:date>2026-01-09</dc:date></item></rdf:RDF>"""


def read(text, url=f"{SITE}feed.xml", encoding="utf-8", **options):
    body = text.encode(encoding) if isinstance(text, str) else text
    listing = read_listing(url, body, **options)
    assert listing is not None
    return listing


def shown(listing):
    return [(link.url, link.anchor, link.after) for link in listing.links]


def test_a_sitemap_lists_its_pages_newest_first():
    listing = read(SITEMAP, f"{SITE}sitemap.xml")
    assert listing.kind == "sitemap"
    assert shown(listing) == [
        ("http://lvyou.example/dali", "", ""),
        ("http://lvyou.example/guilin", "", ""),
        ("http://lvyou.example/?a=1&b=2", "", ""),
    ]
    assert listing.skipped == Counter(invalid=1, repeated=1)
    assert [link.position for link in listing.links] == [0, 1, 2]


def test_an_index_lists_sitemaps_newest_first_and_no_pages():
    parts = "".join(f"<sitemap><loc>{n}.xml.gz</loc><lastmod>2026-0{n}-01</lastmod></sitemap>" for n in (1, 3, 2))
    listing = read(f"<sitemapindex {SPACE}>{parts}</sitemapindex>", f"{SITE}sitemap.xml")
    assert listing.sitemaps == tuple(f"{SITE}{n}.xml.gz" for n in (3, 2, 1))
    assert listing.links == ()


def test_a_packed_sitemap_is_unpacked_with_all_its_members():
    packed = gzip.compress(SITEMAP[:400].encode()) + gzip.compress(SITEMAP[400:].encode())
    assert len(read(packed, f"{SITE}sitemap.xml.gz").links) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "big5", "utf-16"])
def test_an_rss_feed_in_any_encoding_has_titles_as_anchors_and_descriptions_as_context(encoding):
    text = (
        RSS
        if encoding != "big5"
        else RSS.replace("旅游", "旅遊")
        .replace("标志", "標誌")
        .replace("三日游", "三日遊")
        .replace("图", "圖")
        .replace("没有链接", "無")
        .replace("阳", "陽")
    )
    listing = read(text.format(encoding=encoding), encoding=encoding)
    assert listing.kind == "feed"
    assert listing.title in ("旅游&美食", "旅遊&美食")
    assert [(link.url, link.anchor.replace("遊", "游"), link.after.replace("陽", "阳")) for link in listing.links] == [
        ("http://lvyou.example/1", "桂林 三日游", "漓江 竹筏 & 阳朔"),
        ("http://lvyou.example/2", "大理", "洱海"),
    ]
    assert {link.heading for link in listing.links} == {listing.title}


def test_gbk_that_is_declared_as_utf_8_is_read_all_the_same():
    assert shown(read(RSS.format(encoding="utf-8"), encoding="gbk"))[0][1] == "桂林 三日游"


def test_atom_takes_the_page_not_the_editor_and_text_out_of_markup():
    listing = read(ATOM)
    assert listing.title == "游记"
    assert shown(listing) == [("http://lvyou.example/blog/2026/lijiang", "丽江", "玉龙雪山")]


def test_rss_1_has_its_items_beside_the_channel():
    listing = read(RDF)
    assert (listing.title, shown(listing)) == ("旅行", [("http://lvyou.example/9", "敦煌", "")])


@pytest.mark.parametrize(
    ("item", "url", "title"),
    [
        ("<link><![CDATA[/view?aid=1&tid=2]]></link><title>游</title>", "/view?aid=1&tid=2", "游"),
        ("<link>/1</link><title>海边&#xD83D;&#xDE00;&#55357;&#x26053;&#65;&#9999999;</title>", "/1", "海边😀\ufffd\U00026053A\ufffd"),
        ("<link>/1</link><title><![CDATA[What <!ENTITY says]]></title>", "/1", "What <!ENTITY says"),
        ("<guid>http://lvyou.example/1</guid>", "/1", ""),
        ("<guid isPermaLink='true'>http://lvyou.example/1</guid><link>/2</link>", "/2", ""),
        ("<guid isPermaLink='false'>http://lvyou.example/1</guid><link/>", "", ""),
        ("<guid>1</guid>", "", ""),
        ("<link xml:base='/blog/a/'>b</link>", "/blog/a/b", ""),
    ],
)  # fmt: skip
def test_items_as_feeds_write_them(item, url, title):
    listing = read(f"<rss><channel><item>{item}</item></channel></rss>")
    assert shown(listing) == ([(SITE + url[1:], title, "")] if url else [])


@pytest.mark.parametrize(
    "text",
    [
        "<html><body><p>旅游</p></body></html>",
        "<?xml version='1.0'?><!DOCTYPE html><html><urlset/></html>",
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "http://lvyou.example/1\nhttp://lvyou.example/2",
        "",
        "<",
        "<!-- <rss>",
        "\x1f\x8bno gzip",
    ],
)
def test_anything_else_is_no_listing(text):
    assert read_listing(SITE, text.encode("latin-1", "ignore")) is None


def test_only_the_kinds_that_are_wanted_are_read():
    assert read_listing(SITE, SITEMAP.encode(), kinds={"feed"}) is None
    assert read_listing(SITE, ATOM.encode(), kinds={"sitemap"}) is None
    assert read_listing(SITE, ATOM.encode(), kinds=()) is None


def test_entries_from_before_the_day_a_topic_asks_for_are_left_out():
    listing = read(SITEMAP, newer_than="2026-04-01")
    assert [link.url for link in listing.links] == ["http://lvyou.example/dali", "http://lvyou.example/?a=1&b=2"]
    assert listing.skipped["too_old"] == 1


def test_the_newest_are_kept_when_there_are_too_many():
    urls = "".join(f"<url><loc>/{n}</loc><lastmod>2026-01-{n % 28 + 1:02}</lastmod></url>" for n in range(500))
    listing = read(f"<urlset>{urls}</urlset>", max_links=10)
    assert [link.url.rpartition("/")[2] for link in listing.links[:2]] == ["27", "55"]
    assert (len(listing.links), listing.skipped["limit"]) == (10, 490)


BROKEN = {
    "cut off": (RSS.format(encoding="utf-8")[:-200].encode(), 1),
    "cut in a character": (RSS.format(encoding="utf-8").encode()[:560], 0),
    "bare ampersands": (b"<rss><channel><item><title>A & B</title><link>http://a.example/?x=1&y=2</link></item></channel></rss>", 1),
    "control characters": (b"<rss><channel><item><title>a\x00\x0bb</title><link>/1</link></item></channel></rss>", 1),
    "an unknown name": (b"<rss><channel><item><title>a&nosuch;b</title><link>/1</link></item></channel></rss>", 1),
    "an unclosed item": (b"<rss><channel><item><link>/1</link></item><item><link>/2</link></channel></rss>", 1),
    "an unknown prefix": (b"<rss><channel><item><link>/1</link></item><x:y/></channel></rss>", 1),
    "space before the declaration": (b"\n\n <?xml version='1.0'?><rss><channel><item><link>/1</link></item></channel></rss>", 1),
    "a document type of old": (b'<!DOCTYPE rss SYSTEM "http://my.netscape.com/rss-0.91.dtd"><rss><channel><item><link>/1</link></item></channel></rss>', 1),
}  # fmt: skip


@pytest.mark.parametrize("given", BROKEN, ids=str)
def test_broken_xml_gives_what_comes_before_the_fault(given):
    body, least = BROKEN[given]
    assert len(read(body).links) >= least


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "billion laughs": f'<!DOCTYPE rss [<!ENTITY l0 "哈">{LAUGHS}]><rss><channel><item><title>&l9;</title><link>/1</link></item></channel></rss>',
    "laughs behind a comment": f'<!-- <![CDATA[ --><!DOCTYPE rss [<!ENTITY l0 "哈">{LAUGHS}]><rss><channel><item><title a="&l9;"/><link>/1</link></item></channel></rss>',
    "a long base": f"<rss xml:base='http://{'a' * 2_000_000}/'><channel>{'<item><link>1</link></item>' * 40_000}",
    "a local file": '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel><title>&f;</title><item><link>/1</link></item></channel></rss>',
    "deep": "<rss>" + "<a>" * 100_000,
    "a long text": "<rss><channel><item><title>" + "旅" * 1_000_000 + "</title><link>/1</link></item></channel></rss>",
    "a long address": f"<urlset><url><loc>http://a.example/{'a' * 100_000}</loc></url></urlset>",
    "many elements": "<rss>" + "<a/>" * 700_000,
    "many entries": "<urlset>" + "".join(f"<url><loc>/{n}</loc></url>" for n in range(60_000)),
    "many attributes": "<rss " + " ".join(f"a{n}='1'" for n in range(50_000)) + "/>",
    "an endless prolog": "<!--" * 10_000 + "<rss/>",
    "open tags": "<rss><channel><item><title>" + "<" * 100_000,
    "many ampersands": "<rss><channel><item><title>" + "&" * 500_000,
}


@pytest.mark.parametrize("given", HOSTILE, ids=str)
def test_hostile_xml_is_bounded(given):
    listing = read_listing(SITE, HOSTILE[given].encode())
    if listing is not None:
        assert len(listing.links) <= 2000
        assert all(len(link.anchor) <= 300 and len(link.url) <= 2083 for link in listing.links)
        assert "root:" not in listing.title


def test_a_gzip_bomb_is_cut(monkeypatch):
    packed = gzip.compress(b"<urlset>" + b" " * 200_000_000)
    assert len(packed) < 300_000
    assert read_listing(SITE, packed) is not None  # 4 MiB of blanks


@given(st.binary(max_size=2000))
def test_no_bytes_raise(body):
    assert len(getattr(read_listing(SITE, body), "links", ())) <= len(body)
    read_listing(SITE, b"<rss><channel><item><title>" + body)
    may_be_listing(body)


@given(st.text(max_size=500))
def test_no_text_in_a_feed_raises_or_grows(text):
    body = f"<rss><channel><item><title>{text}</title><link>/1</link><description>{text}</description></item></channel></rss>"
    for link in read(body.encode("utf-8", "replace")).links:
        assert len(link.anchor) <= 300
        assert len(link.after) <= 150
        assert "\n" not in link.anchor + link.after


def test_what_comes_as_a_page_is_read_only_when_it_begins_like_a_listing():
    assert may_be_listing(SITEMAP.encode())
    assert may_be_listing(ATOM.encode())
    assert may_be_listing(b"anything", "application/xml")
    assert may_be_listing(gzip.compress(b"x"))
    assert not may_be_listing(b"<?xml version='1.0'?><html><rss/>", "text/html")
    assert not may_be_listing("旅游".encode(), "text/plain")


def test_packed_sitemaps_come_under_types_that_say_nothing():
    assert is_packed_listing(f"{SITE}Sitemap.XML.gz?a=1", "application/octet-stream")
    assert not is_packed_listing(f"{SITE}movie.gz", "application/octet-stream")
    assert not is_packed_listing(f"{SITE}sitemap.xml.gz", "image/png")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-05-01T08:00:00+08:00", "2026-05-01"),
        ("Fri, 01 May 2026 08:00:00 GMT", "2026-05-01"),
        ("2026年5月1日", ""),
        ("", ""),
        ("Fri, 99 May 99999999999 08:00:00", ""),
    ],
)
def test_days(text, day):
    assert day_of(text) == day


def test_a_host_is_asked_for_few_listings_and_for_none_twice():
    places = Places()
    urls = [f"{SITE}feed/{n}" for n in range(9)]
    assert places.take("feed", urls) == urls[: MOST["feed"]]
    assert places.take("feed", urls) == []
    assert places.take("sitemap", urls[:1]) == urls[:1]
    assert places.take("feed", ["http://meishi.example/feed"]) == ["http://meishi.example/feed"]


def test_few_hosts_are_remembered():
    places = Places(capacity=2)
    for host in "abc":
        places.take("feed", [f"http://{host}.example/feed"])
    assert places.take("feed", ["http://c.example/feed"]) == []
    assert places.take("feed", ["http://a.example/feed"]) == ["http://a.example/feed"]
