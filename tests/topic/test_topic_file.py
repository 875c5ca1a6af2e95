"""Topic files are a small, safe part of YAML; each key is checked; errors name file, line, key, value and what is allowed."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.errors import TopicError
from topicspider.topic.profile import Limits, Topic
from topicspider.topic.schema import KEYS, read_topic
from topicspider.topic.yaml_node import MAX_BYTES, YamlNode, read_yaml

FULL = """\
name: 茶叶
title: {zh: 茶叶, en: Tea}
class: s57
scope: specific
language: [zh, en]
terms: {绿茶: 10, 红茶: 2.5, green tea: 1}
synonyms: {绿茶: [龙井, 碧螺春]}
negative: {茶几: 0.5}
texts:
  - |
    春天的龙井
    最好喝。

    Second paragraph.
seeds: HTTPS://Tea.example.com:443
thresholds: {page: 0.2, link: 1}
limits:
  depth: 5
  pages: 1_000
  pages_per_host:
  allow_hosts: [Tea.Example.COM, 茶.example]
  deny_hosts: [ads.example.com]
  content_types: [text/html, application/pdf]
  max_bytes: 100000
  newer_than: 2020-02-29
"""


def errors_of(text: str) -> list[str]:
    return [str(error) for error in read_topic(text.encode(), "t.yaml", "t")[1]]


def topic_of(text: str) -> Topic:
    topic, errors = read_topic(text.encode(), "t.yaml", "t")
    assert errors == []
    return topic


def test_thresholds_may_be_given_by_scorer_and_policy() -> None:
    topic = topic_of("title: 茶\nthresholds: {page: {learned: 0.5, vsm: 0.05}, link: {rw: 0.4}}")
    assert (topic.page_threshold, topic.page_thresholds) == (None, {"learned": 0.5, "vsm": 0.05})
    assert (topic.link_threshold, topic.link_thresholds) == (None, {"rw": 0.4})


def test_every_key_is_read() -> None:
    assert topic_of(FULL) == Topic(
        name="茶叶",
        title={"zh": "茶叶", "en": "Tea"},
        clc="S57",
        scope="specific",
        languages=("zh", "en"),
        terms={"绿茶": 10.0, "红茶": 2.5, "green tea": 1.0},
        synonyms={"绿茶": ("龙井", "碧螺春")},
        negative={"茶几": 0.5},
        texts=("春天的龙井最好喝。\n\nSecond paragraph.",),
        seeds=("https://tea.example.com/",),
        page_threshold=0.2,
        link_threshold=1.0,
        limits=Limits(
            depth=5,
            pages=1000,
            allow_hosts=("tea.example.com", "xn--cl1a.example"),
            deny_hosts=("ads.example.com",),
            content_types=("text/html", "application/pdf"),
            max_bytes=100_000,
            newer_than=date(2020, 2, 29),
        ),
        source="t.yaml",
    )


@pytest.mark.parametrize(
    "text", ["terms: [绿茶]", "texts: 春天的龙井最好喝", "title: 茶叶", "title: {en: Tea}", "title: {de: Tee}"]
)
def test_one_of_terms_texts_and_title_is_enough(text: str) -> None:
    assert topic_of(text).name == "t"


@pytest.mark.parametrize(
    ("written", "language"),
    [("茶叶", "zh"), ("Tea", "en"), ("커피", "ko"), ("お茶", "ja"), ("云 by Kubernetes", "zh"), ("C++", "en")],
)
def test_a_title_may_be_one_text(written: str, language: str) -> None:
    assert topic_of(f"title: {written}").title == {language: written}


@pytest.mark.parametrize(
    "text", ["", "scope: broad\nseeds: [http://a.cn/]", "terms: {}", "texts: []\nterms:\n", "title: {}"]
)
def test_a_topic_of_nothing_is_an_error(text: str) -> None:
    (error,) = errors_of(text)
    assert "empty topic" in error
    assert "at least one of terms, texts, title" in error


def test_every_error_is_found_with_its_line() -> None:
    text = "terms: {茶: -1, 茗: x}\nseeds:\n  - ftp://a.cn/\n  - no url\nlimits: {deep: 3, depth: x}\n"
    found = [error.removeprefix("t.yaml:").partition(" is not")[0] for error in errors_of(text)]
    limits = ["5: limits: key: 'deep'", "5: limits.depth: 'x'"]
    assert found == ["1: terms.茶: '-1'", "1: terms.茗: 'x'", "3: seeds: 'ftp://a.cn/'", "4: seeds: 'no url'", *limits]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("terns: [茶]", "1: key: 'terns' is not valid; allowed: name, title, class"),
        ("terns: [茶]", "Did you mean terms?"),
        ("title: 茶\nlimits: {deep: 3}", "2: limits: key: 'deep' is not valid; allowed: depth, pages"),
        ("title: {zn: 茶}", "1: title: key: 'zn' is not valid; allowed: zh, en, de, fr"),
        ("title: 茶\nname: a/b", "2: name: 'a/b' is not valid"),
        ("title: 茶\nclass: 茶", "2: class: '茶' is not valid; allowed: a class number"),
        ("title: 茶\nscope: wide", "2: scope: 'wide' is not valid; allowed: broad, specific"),
        ("title: 茶\nlanguage: 中文", "2: language: '中文' is not valid"),
        ("terms:\n  绿茶: -1", "2: terms.绿茶: '-1' is not valid; allowed: a number above 0 and up to 1000"),
        ("terms:\n  绿茶: nan", "2: terms.绿茶: 'nan' is not valid"),
        ("terms:\n  绿茶: [1]", "2: terms.绿茶: ['1'] is not valid"),
        ("terms:\n  茶叶:10\n  绿茶：8", "1: terms: '茶叶:10 绿茶：8' is not valid; allowed: a word and its weight"),
        ("terms: [绿茶, '！']", "1: terms: '！' is not valid; allowed: a word or phrase"),
        (f"terms: [{'茶' * 65}]", "allowed: a word or phrase of 1 to 64 characters"),
        (
            "terms: " + str([f"茶{i}" for i in range(5001)]),
            "1: terms: '5,001 values' is not valid; allowed: a list of at most 5,000",
        ),
        (
            "terms: [茶]\nnegative: {茶几: 2}",
            "2: negative.茶几: '2' is not valid; allowed: a number above 0 and up to 1",
        ),
        (
            "terms: [茶]\nnegative: [tea table]",
            "2: negative: 'tea table' is not valid; allowed: one word, without spaces",
        ),
        ("terms: [茶]\nsynonyms: {茶: [tea leaf]}", "2: synonyms.茶: 'tea leaf' is not valid; allowed: one word"),
        ("title: 茶\nnear: {冲泡: 1.5}", "2: near.冲泡: '1.5' is not valid; allowed: a number from 0 to 1"),
        ("texts: {a: 1}", "1: texts: 'keys with values' is not valid; allowed: a list"),
        (
            "title: 茶\nseeds:\n  - http://a.cn/\n  - www.b.cn",
            "4: seeds: 'www.b.cn' is not valid; allowed: an http or https URL. It begins with",
        ),
        ("title: 茶\nseeds: ['javascript:alert(1)']", "2: seeds: 'javascript:alert(1)' is not valid"),
        ("title: 茶\nthresholds: {page: 1.5}", "2: thresholds.page: '1.5' is not valid; allowed: a number from 0 to 1"),
        (
            "title: 茶\nthresholds: {page: {learnt: 0.5}}",
            "2: thresholds.page: key: 'learnt' is not valid; allowed: boolean, vsm, a4bc, bm25, learned. Did you mean learned?",
        ),
        (
            "title: 茶\nlimits: {depth: -1}",
            "2: limits.depth: '-1' is not valid; allowed: a whole number from 1 to 10,000. Leave the key out",
        ),
        (f"title: 茶\nlimits: {{pages: {'9' * 9999}}}", "2: limits.pages: '9999"),
        (
            "title: 茶\nlimits: {newer_than: 2023-02-29}",
            "2: limits.newer_than: '2023-02-29' is not valid; allowed: a date",
        ),
        ("title: 茶\nlimits: {content_types: ['text/*']}", "2: limits.content_types: 'text/*' is not valid"),
        ("title: 茶\nlimits: {allow_hosts: ['http://a.cn/']}", "Only the host, without http:// and path."),
        (
            "title: 茶\nlimits: {allow_hosts: ['a.cn:80']}",
            "2: limits.allow_hosts: 'a.cn:80' is not valid; allowed: a host name as",
        ),
    ],
)
def test_a_bad_value_names_line_key_value_and_what_is_allowed(text: str, says: str) -> None:
    (error, *_more) = errors_of(text)
    assert error.startswith("t.yaml:")
    assert says in error
    assert "\n" not in error


@pytest.mark.parametrize(
    "text",
    [
        "title: 茶\nsites: {a.cn: {user: li, password: s3cret}}",
        "title: 茶\nsites: {a.cn: 'li:s3cret'}",
        "title: 茶\nseeds: ['http://li:s3cret@a.cn/']",
    ],
)
def test_no_error_shows_a_password(text: str) -> None:
    (error,) = errors_of(text)
    assert "s3cret" not in error


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("near: {茶几: 0, 冲泡: 0.6}", {"茶几": 0.0, "冲泡": 0.6}),
        ("near: [冲泡, steep]", {"冲泡": 0.5, "steep": 0.5}),
        ("near:", {}),
        ("near: {茶: 0}\nterms: [茶]", {"茶": 0.0}),
    ],
)
def test_near_words_have_weights_from_0_on(text: str, near: dict[str, float]) -> None:
    assert topic_of(f"title: 茶\n{text}").near == near


def test_all_bad_keys_of_a_file_are_listed() -> None:
    errors = errors_of("titel: 茶\nscope: wide\nlimits: {pages: 0}\nterms: [茶]\n")
    assert [error.split(": ")[0] for error in errors] == ["t.yaml:1", "t.yaml:2", "t.yaml:3"]


def test_a_file_whose_name_cannot_name_a_topic_needs_a_name() -> None:
    errors = read_topic("title: 茶".encode(), "my tea.yaml", "my tea")[1]
    assert "The file has no `name`" in str(errors[0])
    assert read_topic("title: 茶\nname: tea".encode(), "my tea.yaml", "my tea")[1] == []


_LINES = st.sampled_from(
    [*KEYS, "绿茶", "- x", "a: b", "  c: 1", "[", "{", "'", '"', "&a", "*a", "!t", "|", ">", "%", "\t", "---", "0", "~"]
)


@given(st.lists(st.tuples(_LINES, st.sampled_from(["", ": ", ":\n  ", " [", "}"]), _LINES), max_size=8))
def test_whatever_a_file_holds_is_a_topic_or_errors_of_one_line(parts: list[tuple[str, str, str]]) -> None:
    topic, errors = read_topic("\n".join(map("".join, parts)).encode(), "t.yaml", "t")
    assert isinstance(topic, Topic)
    assert all(isinstance(error, TopicError) and "\n" not in str(error) for error in errors)


LAUGHS = "a: &a [哈, 哈, 哈]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


def read(text: str) -> YamlNode:
    return read_yaml(text.encode(), "茶叶.yaml")


@pytest.mark.parametrize("text", ["", "\n\n", "# 只有注释\n", "---\n", "~"])
def test_an_empty_file_is_an_empty_mapping(text: str) -> None:
    assert read(text).value == {}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("title: 茶\nterms: a: b\n", 2, "broken YAML: 'terms: a: b'"),
        ("terms:\n\t绿茶: 1\n", 2, "a tab; indent with blanks"),
        ("a: 1\nb: \x07\n", 2, "broken YAML"),
        ("title: 茶\ntitle: 叶\n", 2, "each key once. The first is in line 1."),
        ("只是一句话", 1, "keys with values"),
        ("a: 1\n---\nb: 2\n", 2, "one document"),
        ("a: !!python/object/apply:os.system [id]\n", 1, "no tags"),
        ("a: &x 1\nb: *x\n", 1, "no anchors"),
        ("? [a, b]\n: 1\n", 1, "a word as key"),
        (LAUGHS, 1, "no anchors"),
        ("a: " + "[" * 400_000, 1, "at most 8 levels"),
        ("a: " + "{a: " * 100_000, 1, "at most 8 levels"),
    ],
)
def test_what_is_not_allowed_names_its_line_in_one_line_at_once(text: str, line: int, says: str) -> None:
    started = time.monotonic()
    with pytest.raises(TopicError) as caught:
        read(text)
    assert str(caught.value).startswith(f"茶叶.yaml:{line}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - started < 5


def test_a_file_of_more_than_a_megabyte_is_refused() -> None:
    with pytest.raises(TopicError, match="at most 1,000,000 bytes"):
        read_yaml(b"#" * (MAX_BYTES + 1), "t.yaml")


def test_gbk_is_refused_with_its_line_and_what_to_do() -> None:
    with pytest.raises(TopicError, match=r"t.yaml:2: broken YAML: .*Save the file as UTF-8"):
        read_yaml("name: tea\ntitle: 茶叶\n".encode("gbk"), "t.yaml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_and_marked_utf_16_are_read(encoding: str) -> None:
    assert read_yaml("title: 茶叶\r\n".encode(encoding), "t.yaml").plain == {"title": "茶叶"}
