"""What people type, read: words, phrases, exclusions and filters; nothing is an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.search.query import LONGEST_QUERY, Filter, Query, Term, read_query


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("桂林 漓江", [Term("桂林"), Term("漓江")]),
        ('"桂林 山水" 门票', [Term("桂林 山水", True), Term("门票")]),
        ("“桂林山水”", [Term("桂林山水", True)]),
        ("「臺灣旅遊」", [Term("台湾旅游", True)]),
        ("ＨＯＴＥＬ　Lake", [Term("hotel"), Term("lake")]),
        ('"never closed', [Term("never closed", True)]),
        ("http://a.example/x", [Term("http"), Term("//a.example/x")]),
        ("", []),
    ],
)
def test_words_and_phrases(text: str, terms: list[Term]) -> None:
    assert list(read_query(text).terms) == terms


def test_exclusions() -> None:
    query = read_query('桂林 -门票 -"free wifi" e-mail －广告')
    assert query.terms == (Term("桂林"), Term("e-mail"))
    assert query.excluded == (Term("门票"), Term("free wifi", True), Term("广告"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("site:News.Example.com", Filter("site", "news.example.com")),
        ("site:http://a.example:8080/x", Filter("site", "a.example")),
        ("site:例子.测试", Filter("site", "xn--fsqu00a.xn--0zwm56d")),
        ("站点：a.example", Filter("site", "a.example")),
        ("topic:Tea", Filter("topic", "tea")),
        ("主题:茶叶", Filter("topic", "茶叶")),
        ("lang:zh-TW", Filter("language", "zh")),
        ("-type:forum", Filter("type", "forum", True)),
        ("after:2026", Filter("after", "2026-01-01")),
        ("after:2026-5", Filter("after", "2026-05-01")),
        ("before:2026/05/09", Filter("before", "2026-05-09")),
        ("min:0.7", Filter("min", "0.7")),
        ("min:.7", Filter("min", "0.7")),
        ("min:70%", Filter("min", "0.7")),
    ],
)
def test_filters(text: str, expected: Filter) -> None:
    query = read_query(text)
    assert (query.filters, query.terms, query.ignored_filters) == ((expected,), (), ())


@pytest.mark.parametrize(
    "text", ["after:yesterday", "after:2026-13", "after:٢٠٢٦", "min:7", "site:///", "before:", "site: a.com", "类型："]
)  # fmt: skip
def test_what_looks_like_a_filter_and_is_none_is_taken_for_words(text: str) -> None:
    query = read_query(text)
    assert query.filters == ()
    assert query.terms
    assert query.ignored_filters


def test_a_query_is_bounded() -> None:
    assert len(read_query("桂林 " * 10_000).terms) < LONGEST_QUERY
    assert len(read_query("x" * 10 * LONGEST_QUERY).terms[0].text) == LONGEST_QUERY


@given(st.text() | st.text(alphabet="ab -:\"“”'()*^ \x00桂site:after"))
def test_nothing_raises(text: str) -> None:
    assert isinstance(read_query(text), Query)
