"""JSON-LD with mistakes, and words cut once."""

from __future__ import annotations

import pytest

from tests.page.made import article
from topicspider.page.page import Page


def page(head: str) -> Page:
    return Page("http://www.example.cn/a.html", article(head=head).encode(), "text/html")


@pytest.mark.parametrize(
    "script",
    [
        '{"@type":"Book","name":"云台山",}',
        '<!-- {"@type":"Book","name":"云台山"} -->',
        '{"@type":"Book","name":"云台山"};',
        '{"@type":"Book",\n"name":"云\n台山"}'.replace("云\n", "云"),
        '{"@type":"Book","name":"云台山","description":"一\n二\t三"}',
    ],
)
def test_slightly_malformed_json_is_forgiven(script):
    assert page(f"<script type='application/ld+json'>{script}</script>").data["title"] == "云台山"


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
    assert page(f"<script type='application/ld+json'>{script}</script>").data == {}


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
