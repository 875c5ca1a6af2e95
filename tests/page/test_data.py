"""Typed data, summaries, and words cut once."""

from __future__ import annotations

import json

import pytest

from tests.page.made import PARAGRAPHS, article
from topicspider.page.keywords import sentences, summary_of
from topicspider.page.page import Page


def page(head: str) -> Page:
    return Page("http://www.example.cn/a.html", article(head=head).encode(), "text/html")


def with_json(value: object) -> Page:
    return page(f'<script type="application/ld+json">{json.dumps(value, ensure_ascii=False)}</script>')


def test_a_declared_book_is_read():
    offer = {"price": 35.5, "priceCurrency": "CNY"}
    book = {"@context": "http://schema.org", "@type": "Book", "name": "游记", "author": "王五", "isbn": "9787100000000"}
    read = {
        "kind": "book",
        "title": "游记",
        "author": "王五",
        "isbn": "9787100000000",
        "price": "35.5",
        "currency": "CNY",
    }
    assert with_json(book | {"offers": offer}).data == read
    typed = {"@type": ["Thing", "http://schema.org/Product"], "name": "龙井茶", "offers": [{"lowPrice": "88"}]}
    assert with_json({"@graph": [{"@type": "WebSite"}, typed]}).data == {
        "kind": "product",
        "name": "龙井茶",
        "price": "88",
    }
    assert with_json({"@type": "WebSite", "name": "山水网"}).data == {}


@pytest.mark.parametrize(
    "script",
    [
        '{"@type":"NewsArticle","headline":"云台山",}',
        '<!-- {"@type":"NewsArticle","headline":"云台山"} -->',
        '{"@type":"NewsArticle","headline":"云台山"};',
        '{"@type":"NewsArticle",\n"headline":"云\n台山"}'.replace("云\n", "云"),
        '{"@type":"NewsArticle","headline":"云台山","articleBody":"一\n二\t三"}',
    ],
)
def test_slightly_malformed_json_is_forgiven(script):
    assert page(f"<script type='application/ld+json'>{script}</script>").data["headline"] == "云台山"


@pytest.mark.parametrize(
    "script",
    [
        "",
        "{",
        "[" * 100_000,
        '{"@type": {"a": 1}}',
        "9" * 10_000,
        '"\\ud800"',
        '{"@type":"NewsArticle","headline":[[[[[[]]]]]]}',
    ],
)
def test_broken_json_gives_no_data_and_no_error(script):
    assert page(f"<script type='application/ld+json'>{script}</script>").data in ({}, {"kind": "news"})


def test_lone_surrogates_do_not_reach_a_field():
    script = '{"@type":"NewsArticle","headline":"云\\ud800台山","author":"\\udfff"}'
    read = page(f"<script type='application/ld+json'>{script}</script>")
    assert read.data["headline"] == "云台山"
    read.author.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("第一句。第二句！第三句？", ["第一句。", "第二句！", "第三句？"]),
        ("他说：“好的。”她走了。", ["他说：“好的。”", "她走了。"]),
        ("One. Two is 3.14 long. Three!", ["One.", "Two is 3.14 long.", "Three!"]),
        ("一行\n两行", ["一行", "两行"]),
        ("等等……好", ["等等……", "好"]),
        ("没有标点", ["没有标点"]),
        ("", []),
    ],
)
def test_sentences(text, wanted):
    assert sentences(text) == wanted


def test_the_summary_is_two_or_three_sentences_of_the_body():
    read = page("")
    assert read.summary == "".join(PARAGRAPHS)
    assert summary_of("短。" * 5 + PARAGRAPHS[0]) == PARAGRAPHS[0]


def test_words_are_cut_once_by_the_segmenter_given():
    class Counting:
        name = "counting"

        def __init__(self):
            self.calls = []

        def words(self, text):
            self.calls.append(text)
            return text.split("，")

    segmenter = Counting()
    read = Page("http://e.cn/", article().encode(), "text/html", segmenter)
    _ = (read.title_words, read.body_words, read.keywords, read.title_words, read.body_words, read.keywords)
    assert segmenter.calls == [read.title, read.body]
    assert isinstance(read.body_words, tuple)
