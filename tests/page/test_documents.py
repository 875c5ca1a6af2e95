"""PDF, DOCX and plain text become simple markup, and from there a page with the same fields."""

from __future__ import annotations

import pytest

from support.documents import docx, paragraph, pdf, printed, zipped
from topicspider.page.decode import DOCX, PDF, is_wanted, kind_of
from topicspider.page.documents import docx as docx_reader
from topicspider.page.documents import pdf as pdf_reader
from topicspider.page.page import Page

URL = "http://www.example.cn/files/guide.pdf"
READERS = {"pdf": pdf_reader.markup_of, "docx": docx_reader.markup_of}
STYLES = (
    '<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="a3"><w:name w:val="Title"/></w:style>'
)


def page_of(kind, body):
    markup = READERS[kind](body, lambda: False)
    return Page(URL, markup, "text/html; charset=utf-8", document=kind)


def plain(text, encoding="utf-8", content_type="text/plain"):
    return Page("http://www.example.cn/a.txt", text.encode(encoding), content_type)


ARTICLE = [
    "　　黄山位于安徽省南部，以奇松、怪石、云海、温泉和冬雪著称，是中国最有",
    "名的山之一。每年有三百多万游客来到这里，住在山下的镇子里，清晨坐车上山。",
    "　　上山的路有两条，前山陡，后山缓。第一次来的人多半从后山上，从前山下。",
    "沿路有茶亭可以歇脚。",
    "　　山顶的客栈要早订，旺季时常常客满。",
]
BODY = [
    "黄山位于安徽省南部，以奇松、怪石、云海、温泉和冬雪著称，是中国最有名的山之一。每年有三百多万游客来到这里，住在山下的镇子里，清晨坐车上山。",
    "上山的路有两条，前山陡，后山缓。第一次来的人多半从后山上，从前山下。沿路有茶亭可以歇脚。",
    "山顶的客栈要早订，旺季时常常客满。",
]


def test_a_chinese_pdf_is_read_in_paragraphs():
    page = page_of("pdf", pdf([[("黄山旅游攻略", 200, 790, 20), *printed(ARTICLE)]], author="张三"))
    assert page.title == "黄山旅游攻略"
    assert page.body.split("\n") == BODY
    assert page.author == "张三"
    assert (page.type, page.document, page.encoding, page.language) == ("document", "pdf", "", "zh")
    assert page.published == page.modified == "2000-01-01"  # when the maker of the test says it was made
    assert page.keywords
    assert page.summary


def test_english_lines_are_joined_with_spaces_and_broken_words_are_whole_again():
    lines = [
        "The path climbs through pine woods for two hours before it comes to a nar-",
        "row ridge, from which both valleys can be seen. Most people walk it in early",
        "autumn.",
        "The hut at the top is open from May to October and has forty beds, which are",
        "taken weeks ahead.",
    ]
    page = page_of("pdf", pdf([printed(lines)]))
    first, second = page.body.split("\n")
    assert first == (
        "The path climbs through pine woods for two hours before it comes to a narrow ridge, "
        "from which both valleys can be seen. Most people walk it in early autumn."
    )
    assert second.startswith("The hut at the top")
    assert second.endswith("taken weeks ahead.")


def test_a_paragraph_goes_on_over_the_end_of_a_page_and_running_titles_are_left_out():
    first = "这一段文字从前一页的末行开始写起，一直写到页底也没有写完，接着就要翻到下一页去，"
    second = "然后在下一页的第一行里结束。"
    pages = [
        [
            ("旅游年鉴", 200, 810, 9),
            *printed([f"这是第{'甲乙丙丁'[number]}页。", second, f"{'甲乙丙丁'[number]}说，" + first]),
            (f"第 {number + 1} 页", 250, 30, 9),
        ]
        for number in range(4)
    ]
    page = page_of("pdf", pdf(pages))
    assert "旅游年鉴" not in page.body
    assert "第 2 页" not in page.body
    assert "这是第乙页。" in page.body
    assert "接着就要翻到下一页去，这是第乙页。" in page.body


@pytest.mark.parametrize(
    ("declared", "printed_title", "title"),
    [
        ("黄山旅游攻略", "黄山旅游攻略", "黄山旅游攻略"),
        ("Microsoft Word - 新建 Microsoft Word 文档.doc", "黄山旅游攻略", "黄山旅游攻略"),
        ("untitled", "A Walk in the Hills", "A Walk in the Hills"),
        ("去年的旧标题", "黄山旅游攻略", "黄山旅游攻略"),
        ("黄山", "黄山旅游攻略", "黄山"),
        ("guide_final2.indd", "", ""),
        ("黄山旅游攻略", "", "黄山旅游攻略"),
        ("黄山旅游攻略".encode("gbk").decode("latin-1"), "", "黄山旅游攻略"),
    ],
)
def test_a_declared_title_is_believed_as_far_as_the_first_page_agrees(declared, printed_title, title):
    large = [(printed_title, 120, 790, 20)] if printed_title else []
    assert page_of("pdf", pdf([[*large, *printed(ARTICLE)]], title=declared)).title == title


@pytest.mark.parametrize("author", ["Administrator", "微软用户", "user", "anonymous", "Lenovo"])
def test_what_programs_put_for_an_author_is_none(author):
    assert page_of("pdf", pdf([printed(ARTICLE)], author=author)).author == ""


def test_headings_are_larger_and_paragraphs_know_the_one_above():
    lines = [
        ("黄山旅游攻略", 90, 790, 20),
        *printed(ARTICLE[:2]),
        ("交通指南", 90, 690, 15),
        *printed(["坐高铁到黄山北站，再换大巴，详见 http://www.example.cn/bus.html 。"], 660),
    ]
    page = page_of("pdf", pdf([lines]))
    assert "交通指南" in page.body.split("\n")
    (link,) = page.links
    assert (link.url, link.heading) == ("http://www.example.cn/bus.html", "交通指南")


def test_a_docx_has_headings_lists_tables_links_and_what_it_says_about_itself():
    items = "".join(paragraph(text).replace("<w:p>", "<w:p><w:pPr><w:numPr/></w:pPr>") for text in ("雨伞", "登山鞋"))
    table = (
        "<w:tbl>"
        + "".join(
            f"<w:tr><w:tc>{paragraph(a)}</w:tc><w:tc>{paragraph(b)}</w:tc></w:tr>"
            for a, b in (("成人票", "190 元"), ("学生票", "95 元"))
        )
        + "</w:tbl>"
    )
    link = '<w:p><w:r><w:t>详见</w:t></w:r><w:hyperlink r:id="r7"><w:r><w:t>门票</w:t></w:r><w:r><w:t>页面</w:t></w:r></w:hyperlink></w:p>'
    deleted = paragraph(
        "留下的话。", inner="<w:del><w:r><w:delText>删去的话</w:delText><w:t>删去的话</w:t></w:r></w:del>"
    )
    twice = "<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>图中文字</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>图中文字</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    body = docx(
        paragraph("黄山旅游攻略", "a3")
        + paragraph("黄山以奇松、怪石、云海著称。" * 4)
        + paragraph("门票", "2")
        + table
        + link
        + items
        + deleted
        + twice,
        core="<dc:title>黄山旅游攻略</dc:title><dc:creator>李四</dc:creator><dcterms:created>2024-05-01T01:02:03Z</dcterms:created>"
        "<dcterms:modified>2024-06-02T01:02:03Z</dcterms:modified><cp:keywords>黄山,门票</cp:keywords>",
        relations={"r7": "http://www.example.cn/tickets.html"},
        styles=STYLES,
    )
    page = page_of("docx", body)
    assert (page.title, page.author, page.published, page.modified) == (
        "黄山旅游攻略",
        "李四",
        "2024-05-01",
        "2024-06-02",
    )
    assert page.type == "document"
    lines = page.body.split("\n")
    assert lines[0] == "黄山以奇松、怪石、云海著称。" * 4
    assert lines[1:] == ["门票", "成人票", "190 元", "学生票", "95 元", "详见门票页面", "雨伞", "登山鞋", "留下的话。", "图中文字"]  # fmt: skip
    assert [(link.url, link.anchor, link.heading) for link in page.links] == [
        ("http://www.example.cn/tickets.html", "门票页面", "门票")
    ]
    assert "黄山" in page.keywords


@pytest.mark.parametrize(
    ("body", "declared", "title"),
    [
        (paragraph("关于调整门票价格的通知") + paragraph("各景区：现通知如下。"), "", "关于调整门票价格的通知"),
        (paragraph("各景区：") + paragraph("关于门票的通知", "1"), "", "关于门票的通知"),
        (
            paragraph("某某局文件") + paragraph("关于门票的通知", "a3") + paragraph("正文", "1"),
            "文档1",
            "关于门票的通知",
        ),
        (paragraph("现将有关事项通知如下，请遵照执行。"), "", ""),
    ],
)
def test_the_title_of_a_docx(body, declared, title):
    assert page_of("docx", docx(body, f"<dc:title>{declared}</dc:title>", styles=STYLES)).title == title


def test_a_text_box_in_a_paragraph_does_not_swallow_it():
    inner = f"<w:r><w:txbxContent>{paragraph('框里的字')}</w:txbxContent></w:r><w:r><w:t>后面的字</w:t></w:r>"
    page = page_of("docx", docx(paragraph("先说一句。") + paragraph("前面的字。", inner=inner)))
    assert page.body.split("\n") == ["先说一句。", "框里的字", "前面的字。后面的字"]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16"])
def test_plain_text_is_decoded_like_a_page(encoding):
    text = "黃山旅遊攻略\n\n黃山位於安徽省南部，以奇松、怪石、雲海著稱，是中國最有名的山之一。\n\n上山的路有兩條。" * 3
    text = text if encoding == "big5" else text.replace("黃", "黄")
    page = plain(text, encoding)
    assert page.title.endswith("山旅遊攻略")
    assert "上山的路有兩條。" in page.body
    assert (page.type, page.document) == ("document", "text")
    assert page.is_readable
    assert not page.is_html


def test_wrapped_lines_are_joined_and_short_ones_are_not():
    wrapped = "The path climbs through pine woods for two hours before it\ncomes to a ridge, from which both valleys can be seen. The\nhut is open.\n\nRoses are red,\nviolets are blue,\nsugar is sweet."
    assert plain(wrapped).body.split("\n") == [
        "The path climbs through pine woods for two hours before it comes to a ridge, from which both valleys can be seen. The hut is open.",
        "Roses are red,",
        "violets are blue,",
        "sugar is sweet.",
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("黄山旅游攻略\n\n正文从这里开始。", "黄山旅游攻略"),
        ("黄山旅游攻略\n　　正文从这里开始，写得比标题长得多，因为它是正文。", "黄山旅游攻略"),
        ("# 黄山旅游攻略\n正文从这里开始。", "黄山旅游攻略"),
        ("A Walk\n======\nThe path climbs.", "A Walk"),
        ("正文从这里开始，没有标题。\n第二句。", ""),
        ("1. 第一条\n2. 第二条", ""),
        ("", ""),
    ],
)
def test_the_first_line_is_the_title_where_it_looks_like_one(text, title):
    page = plain(text)
    assert page.title == title
    assert title not in page.body.split("\n") or not title


def test_addresses_in_plain_text_are_links():
    (link,) = plain("班车时刻见 http://www.example.cn/bus?a=1&b=2。祝旅途愉快。").links
    assert link.url == "http://www.example.cn/bus?a=1&b=2"
    assert link.before.endswith("班车时刻见")


def test_markup_in_plain_text_is_text():
    page = plain("这里说的 <script>alert(1)</script> & <b>标签</b> 都是文字。" * 2)
    assert "<script>alert(1)</script> & <b>标签</b>" in page.body


@pytest.mark.parametrize(
    "body",
    [b"\x00\x01\x02\x03" * 100, b"\xff\xfe\xfd" * 50 + b"\x00" * 99, b"GIF89a\x01\x00\x01\x00\x80\x00\x00", b"   \n"],
)
def test_what_only_calls_itself_text_is_not_read(body):
    page = Page(URL, body, "text/plain")
    assert not page.is_readable
    assert (page.title, page.body, page.links) == ("", "", ())


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"%PDF-1.7 \x00", "application/pdf", "pdf"),
        (b"%PDF-1.7 \x00", "text/html", "pdf"),
        (b"\r\n%PDF-1.7", "application/octet-stream", "pdf"),
        (b"<p>%PDF-1.7</p>", "text/html", ""),
        (b"<html>no file here", "application/pdf", ""),
        (docx(paragraph("字")), "application/zip", "docx"),
        (zipped({"a.txt": "x"}), "application/zip", ""),
        (zipped({"xl/workbook.xml": "x"}), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ""),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", DOCX, "docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword", ""),
        ("黄山".encode("gbk"), "text/plain", ""),
        (b"", "application/pdf", "pdf"),
        (b"", "", ""),
    ],
)
def test_the_kind_of_a_document_goes_by_its_first_bytes_then_its_type(body, content_type, kind):
    assert kind_of(body, content_type) == kind


@pytest.mark.parametrize(
    ("content_type", "url", "disposition", "wanted"),
    [
        ("application/pdf", "http://a.cn/1", "", True),
        ("Application/PDF; x=y", "http://a.cn/1", "", True),
        ("application/octet-stream", "http://a.cn/files/攻略.PDF?v=1", "", True),
        ("application/octet-stream", "http://a.cn/get?id=1", 'attachment; filename="guide.docx"', True),
        (
            "application/octet-stream",
            "http://a.cn/get?id=1",
            "attachment; filename*=UTF-8''%E6%94%BB%E7%95%A5.docx",
            True,
        ),
        ("application/octet-stream", "http://a.cn/setup.exe", "", False),
        ("application/zip", "http://a.cn/all.zip", "", False),
        ("application/zip", "http://a.cn/a.docx", "", True),
        ("image/png", "http://a.cn/a.pdf", "", False),
        ("", "http://a.cn/", "", True),
        ("text/html", "http://a.cn/", "", True),
    ],
)
def test_documents_are_fetched_also_under_types_that_say_little(content_type, url, disposition, wanted):
    assert is_wanted(("text/html", PDF, DOCX), content_type, url, disposition) is wanted
    if wanted and content_type not in ("", "text/html"):
        assert not is_wanted(("text/html",), content_type, url, disposition)


@pytest.mark.parametrize("body", [b"%PDF-1.4 ...", b"PK\x03\x04..."])
def test_a_document_that_calls_itself_html_is_no_markup(body):
    assert not Page(URL, body, "text/html").is_html
    assert not Page(URL, body, "text/html").is_readable


def test_robots_txt_is_no_page():
    text = "User-agent: *\nDisallow: /旅游/\n".encode()
    assert not Page("http://www.example.cn/robots.txt", text, "text/plain").is_readable
    assert Page("http://www.example.cn/about-robots.txt", text, "text/plain").is_readable
