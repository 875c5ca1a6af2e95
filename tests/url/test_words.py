"""The words in a URL."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url.words import words_in_url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://www.example.com/lvyou/yuntai-shan/2011_05/index.html", ["lvyou", "yuntai", "shan", "index"]),
        ("http://example.com/TravelGuide/XMLFeed.aspx", ["travel", "guide", "xml", "feed"]),
        (f"http://example.com/{quote('旅游')}/{quote('景点', encoding='gbk')}.asp", ["旅游", "景点"]),
        (f"http://example.com/s?q={quote('云台山 门票')}&page=2", ["云台山", "门票", "page"]),
        ("http://example.com/s?kw=red+valley", ["kw", "red", "valley"]),
        ("http://example.com/旅游day3", ["旅游", "day"]),
        ("http://example.com/café", ["café"]),
        ("http://travel.example.com/", []),
        ("http://travel.example.com", []),
        ("http://example.com/a/1/#fragment", []),
        ("", []),
    ],
)
def test_words_of_path_and_query_are_found(url, words):
    assert words_in_url(url) == words


@given(st.text().map(lambda rest: "http://example.com/" + rest))
def test_no_url_raises_and_words_are_few_and_not_empty(url):
    words = words_in_url(url)
    assert len(words) <= 64
    assert all(words)
