"""Which pages a query finds, in which order."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.search.conftest import Library, hit
from topicspider.search.query import kind_asked
from topicspider.search.search import JointSearch, SearchRequest
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.text.normalise import is_cjk
from topicspider.text.segment import Segmenter
from topicspider.text.vocabulary import CHINESE, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("桂林", {"1"}),
        ("桂林旅游攻略", {"1"}),
        ("旅游", {"1", "2"}),
        ("旅遊", {"1", "2"}),
        ("台湾", {"2"}),
        ("abc", {"2"}),
        ("ＡＢＣ", {"2"}),
        ("hotel", {"3"}),
        ("HOTELS", {"3"}),
        ("cafe", {"3"}),
        ("研究生", {"4"}),  # cut as 研究 and 生命
        ("研究", {"4"}),
        ("王小波", {"4"}),
        ("小波", {"4"}),
        ("旅游 -桂林", {"2"}),
        ("-旅游", {"3", "4"}),
        ('"坐竹筏最好"', {"1"}),
        ('"竹筏坐最好"', set()),
        ('"near the lake"', {"3"}),
        ('"near lake"', set()),
        ("near lake", {"3"}),
        ("我们", {"1"}),
        ("茶", {"4"}),
        ("不在任何页面", set()),
        ("???", set()),
    ],
)
def test_what_is_found(library: Library, text: str, found: set[str]) -> None:
    library.put(
        hit("1", "桂林山水", "漓江两岸的风景，我们坐竹筏最好。旅游攻略"),
        hit("2", "臺灣旅遊", "ＡＢＣ高鐵"),
        hit("3", "A café", "The hotel near the lake"),
        hit("4", "北京大学", "研究生命的起源，王小波喝茶叶"),
        hit("5", "桂林旅游", "hotel lake", on_topic=False),
    )
    answer = library.answer(text)
    assert {one.row.item.url[-1] for one in answer.hits if not answer.is_relaxed} == found
    assert answer.total == len(answer.hits)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("커피", "맛있는 커피를 내리는 방법"),
        ("футбол", "О футболе"),
        ("قهوة", "تحضير القهوة"),
        ("コーヒー", "おいしいコーヒーを"),
        ("커피까지", "커피 한 잔"),
        ("слоями", "Слой за слоем"),
        ("Flaechen", "Die Fläche"),
        ("GROSSE BILD", "Große Bilder"),
    ],
)
def test_other_cases_of_a_word_are_found(library: Library, text: str, body: str) -> None:
    library.put(hit("1", "", body, language="de"), hit("2", "", "旅游 कोका फीस ฟุตบอล"))
    assert library.find(text) == ["1"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("site:a.example", ["3", "1"]),
        ("site:example.com", ["2"]),
        ("site:news.example.com 桂林", ["2"]),
        ("site:new_.example.com", []),
        ("-site:a.example", ["2"]),
        ("topic:food", ["3"]),
        ("type:forum", ["2"]),
        ("language:en", ["3"]),
        ("after:2026-05-01", ["3", "2"]),
        ("before:2026-05", ["1"]),
        ("min:0.5", ["3", "2"]),
        ("桂林 -type:forum", ["3", "1"]),
        ("min:70% after:2027", []),
    ],
)
def test_filters(library: Library, text: str, found: list[str]) -> None:
    library.put(
        hit("1", "桂林", relevance=0.2, published="2026-04-30"),
        hit("2", "桂林", relevance=0.6, type="forum", host="x.news.example.com"),
        hit("3", "桂林", relevance=0.9, topic="food", language="en", published="2026-11-01T08:00:00Z"),
    )
    assert sorted(library.find(text)) == sorted(found)


def test_a_page_without_a_day_of_its_own_has_that_of_last_modified_else_of_the_fetch(library):
    library.put(
        replace(hit("old", "桂林", published=""), last_modified="Sun, 02 Aug 2015 08:00:00 GMT"),
        replace(hit("new", "桂林", published=""), last_modified="gestern"),
    )
    assert (library.find("after:2015-08-02 before:2016"), library.find("after:2026-11-21")) == (["old"], ["new"])


def test_a_title_counts_more_than_a_body_and_many_words_more_than_few(library: Library) -> None:
    rest = "其他 的 文字 " * 20
    library.put(
        hit("body", "别的", f"漓江 {rest}", relevance=0.5),
        hit("title", "漓江", rest, relevance=0.5),
        hit("often", "别的", f"漓江 漓江 漓江 {rest}", relevance=0.5),
        *(hit(f"more{number}", "别的", rest) for number in range(5)),
    )
    assert library.find("漓江") == ["title", "often", "body"]


def test_sorts(library: Library) -> None:
    library.put(
        hit("a", "漓江", relevance=0.9, link_count=3, published="2025-01-01"),
        hit("b", "漓江", relevance=0.5, link_count=200, published="2026-01-01"),
        hit("c", "漓江", relevance=0.7, link_count=40, published="2026-06-01"),
    )
    assert library.find("漓江", sort="score") == library.find("") == ["a", "c", "b"]
    assert library.find("漓江", sort="date") == ["c", "b", "a"]
    assert library.find("漓江", sort="priority") == ["b", "c", "a"]
    assert library.find("漓江", sort="date", limit=1, offset=1) == ["b"]
    assert library.answer("漓江", limit=1).total == 3


def test_copies_are_shown_once_and_counted(library: Library) -> None:
    first = "http://a.example/1"
    library.put(hit("1", "漓江"), hit("2", "漓江", duplicate_of=first), hit("3", "漓江 漓江", duplicate_of=first))
    answer = library.answer("漓江", facets=True)
    assert ([one.copies for one in answer.hits], answer.total) == ([2], 1)
    assert answer.facets["topic"] == [("tourism", 1)]
    every = library.answer("漓江", copies=True, facets=True)
    assert (every.total, len(every.hits), every.facets["topic"]) == (3, 3, [("tourism", 3)])


def test_when_no_page_has_all_words_those_with_some_are_shown(library: Library) -> None:
    library.put(hit("1", "桂林"), hit("2", "漓江"))
    answer = library.answer("桂林 漓江")
    assert (answer.is_relaxed, answer.total) == (True, 2)
    assert list(library.search.rows(SearchRequest("桂林 漓江"))) == []
    assert not library.answer("桂林 -漓江").is_relaxed


def test_facets(library: Library) -> None:
    library.put(
        hit("1", "桂林", host="news.example.com", published="2025-01-01", type="article"),
        hit("2", "桂林", host="www.example.com", published="2026-01-01", type="forum"),
        hit("3", "桂林", topic="food", published="2026-02-01", type="article"),
        hit("4", "漓江"),
    )
    assert library.answer("桂林", facets=True).facets == {
        "topic": [("tourism", 2), ("food", 1)],
        "site": [("example.com", 2), ("a.example", 1)],
        "year": [("2026", 2), ("2025", 1)],
        "type": [("article", 2), ("news", 2), ("forum", 1)],
        "language": [("zh", 3)],
    }


def test_two_hundred_words_of_two_characters_are_found_wherever_they_stand(
    library: Library, segmenter: Segmenter
) -> None:
    """Between random words, without a blank: the segmenter cuts some of them otherwise."""
    rng = random.Random(7)
    every = [word for word in words(CHINESE) if is_cjk(word[0])]
    chosen = rng.sample([word for word in every if len(word) == 2 and is_cjk(word[1])], 200)
    bodies = ["".join([*rng.choices(every, k=9), word, *rng.choices(every, k=9)]) for word in chosen]
    library.put(*(hit(str(number), "", body) for number, body in enumerate(bodies)))
    assert [word for number, word in enumerate(chosen) if str(number) not in library.find(word, limit=200)] == []
    cut_otherwise = [word for word, body in zip(chosen, bodies, strict=True) if word not in segmenter.cut(body)]
    assert len(cut_otherwise) > 4


def test_kinds_are_found_by_their_type(library):
    library.put(
        hit("news", "茶市开业", type="article", published="2026-05-01"),
        hit("essay", "茶话", type="article", published=""),
        hit("book", "茶经", type="product", data={"kind": "book", "isbn": "1"}),
        hit("shop", "茶厂", type="article", data={"kind": "company"}),
        hit("tea", "龙井", type="product", data={"kind": "product"}),
        hit("pdf", "茶业年报", type="document", published="2026-05-01"),
        hit("hub", "茶 标签", type="hub", data={"kind": "product"}),
    )
    for kind in ("news", "book", "product"):
        assert library.find(f"type:{kind}") == [{"product": "tea"}.get(kind, kind)]
    assert library.find("类型:company") == ["shop"]
    assert library.find("type:document") == ["pdf"]
    assert library.find("type:hub") == ["hub"]
    assert sorted(library.find("-type:article")) == ["book", "pdf", "tea"]
    assert sorted(library.find("type:article")) == ["essay", "news", "shop"]
    counts = library.answer("", facets=True).facets["type"]
    assert {kind for kind, _count in counts} == {"article", "book", "company", "document", "news", "product"}
    assert [(kind, len(library.find(f"type:{kind}"))) for kind, _count in counts] == list(counts)


def test_words_are_suggested_by_their_beginning(library):
    library.put(hit("1", "旅游 旅途"), hit("2", "旅游"), hit("3", "tea trade"))
    assert library.search.words_like("旅", 5) == ["旅游", "旅途"]
    assert library.search.words_like("ＴＥ", 5) == ["tea"]
    assert library.search.words_like(" ", 5) == library.search.words_like("%", 5) == []


def test_several_stores_are_one_also_for_export(library, segmenter):
    other = Library(Store(SqliteDatabase(":memory:")), None, segmenter)
    library.put(hit("1", relevance=0.9), hit("3", relevance=0.5), hit("copy", duplicate_of="http://a.example/1"))
    other.put(hit("2", relevance=0.7), hit("4", relevance=0.3))
    joint = JointSearch([library.search, other.search])
    rows = joint.rows(SearchRequest("", "score"))
    assert [row.item.url[-1] for row in rows] == ["1", "2", "3", "4"]
    assert set(joint.copies("tourism", "http://a.example/1")) == {"http://a.example/1", "http://a.example/copy"}
    other.index.close()
    other.store.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [("茶 type:book", "book"), ("类型:news", "news"), ("type:article", ""), ("-type:book", ""), ("", "")],
)
def test_the_kind_that_is_asked_for_is_told(text, kind):
    assert kind_asked(text) == kind
