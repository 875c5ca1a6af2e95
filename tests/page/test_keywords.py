"""Ten keywords: the page's own where its text confirms them, then words by weight; or by (d) Xu 2007's rule alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.page.made import article
from topicspider.page.metadata import MAX_KEYWORDS, keywords_of, meta_keywords
from topicspider.page.page import Page
from topicspider.text.lexicon import idf


def page(head: str = "", rule: str = "weighed") -> Page:
    return Page(
        "http://www.example.cn/a.html",
        article(head=head).encode(),
        "text/html",
        extraction="published" if rule == "meta" else "default",
    )


def test_meta_keywords_count_only_when_the_text_has_them():
    read = page("<meta name='keywords' content='云台山，火锅、 门票;股票'>")
    assert read.keywords[:2] == ["云台山", "门票"]
    assert not {"火锅", "股票"} & set(read.keywords)


def test_keywords_are_at_most_ten_and_from_title_and_body():
    read = page()
    assert 5 <= len(read.keywords) <= MAX_KEYWORDS
    assert len(set(read.keywords)) == len(read.keywords)
    assert read.keywords[0] == "云台山"
    assert "一百二十元" not in read.keywords


@pytest.mark.parametrize("declared", ["雲臺山", "ＹＵＮＴＡＩ", "Yuntai"])
def test_declared_words_are_compared_without_width_case_and_traditional_forms(declared):
    words = ["云台山", "yuntai", "瀑布"]
    keywords = keywords_of(declared, [], words)
    assert keywords[0] == declared
    assert len(keywords) == 3  # the word that confirmed it does not come again


def test_a_declared_phrase_is_confirmed_by_words_in_a_row():
    assert keywords_of("云台山旅游", [], ["云台山", "旅游", "瀑布"])[0] == "云台山旅游"
    assert "云台山瀑布" not in keywords_of("云台山瀑布", [], ["云台山", "旅游", "瀑布"])


def test_words_said_once_come_last_but_title_words_are_not_such():
    assert keywords_of("", ["门票"], ["魑魅魍魉", "时间", "时间"]) == ["门票", "时间", "魑魅魍魉"]


def test_amounts_and_single_characters_are_no_keywords():
    assert keywords_of("", [], ["2024", "2024", "一百二十", "一百二十", "山", "山", "---", "---"]) == []


@pytest.mark.parametrize(
    ("language", "body", "keyword"),
    [
        ("de", "der kaffee und die bohnen und der kaffee", "kaffee"),
        ("el", "και το του της και το του καφεσ", "καφεσ"),
        ("ja", "おいしい コーヒー を ください を コーヒー", "コーヒー"),
        ("ru", "и для от и для от кофе кофе", "кофе"),
    ],
)
def test_small_words_of_other_languages_are_no_keywords(language, body, keyword):
    found = keywords_of("", [], body.split(), language)
    assert keyword in found
    assert not {"und", "der", "και", "του", "を", "ください", "и", "для"} & set(found)


def test_a_page_without_words_has_no_keywords():
    assert Page("http://e.cn/", b"", "text/html").keywords == []


def test_the_rule_of_paper_d_is_there_as_published():
    """(d) Xu 2007: key1 to key10 are the first ten words of meta keywords, else of the title."""
    assert meta_keywords("旅游,云台山", ["门票"]) == ["旅游", "云台山"]
    assert meta_keywords("", ["门票", "门票", "云台山"]) == ["门票", "云台山"]
    assert len(meta_keywords(",".join(f"词语{number}" for number in range(30)), [])) == 10


def test_the_rule_of_paper_d_alone_believes_the_page():
    assert page("<meta name='keywords' content='旅游,股票'>", "meta").keywords == ["旅游", "股票"]
    assert page("<meta name='keywords' content='旅游,股票'>").keywords[0] == "旅游"
    titled = page(rule="meta")
    assert titled.keywords == list(dict.fromkeys(titled.title_words))


@given(
    st.dictionaries(
        st.sampled_from(["山", "瀑布", "旅游", "时间", "hotel", "云台山", "的话", "é", "魑魅"]), st.integers(2, 60)
    )
)
def test_words_come_by_count_times_idf(counts):
    words = [word for word, count in counts.items() for _ in range(count)]
    plain = sorted((word for word in counts if len(word) > 1), key=lambda word: (-counts[word] * idf(word), word))
    assert keywords_of("", [], words) == plain


@given(st.text(max_size=80), st.lists(st.text(max_size=8), max_size=30))
def test_any_words_give_at_most_ten_different_bounded_keywords(declared, words):
    keywords = keywords_of(declared, words[:3], words)
    assert len(keywords) == len(set(keywords)) <= MAX_KEYWORDS
    assert all(1 < len(word) <= 30 for word in keywords)


def test_a_scrap_of_a_sentence_is_no_keyword():
    """慢慢地看 is cut into 慢慢 and 地看, which is no word; 地铁 is one."""
    assert keywords_of("", ["地看", "地铁"], ["地看", "地看", "得出去", "地铁", "得了"]) == ["地铁"]
