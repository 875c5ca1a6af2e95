"""Topic files are a small, safe part of YAML, and every error names its line."""

from __future__ import annotations

import time

import pytest

from topicspider.errors import TopicError
from topicspider.topic.yaml_node import MAX_BYTES, YamlNode, read_yaml

LAUGHS = "a: &a [哈, 哈, 哈]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


def read(text: str) -> YamlNode:
    return read_yaml(text.encode(), "茶叶.yaml")


def test_values_know_their_line_and_words_stay_as_written() -> None:
    found = read("title: 茶叶\nterms:\n  绿茶: 1.10\n  on: 2\nseeds: [a, 'b']\n")
    assert found.plain == {"title": "茶叶", "terms": {"绿茶": "1.10", "on": "2"}, "seeds": ["a", "b"]}
    assert found.entries is not None
    terms, seeds = found.entries["terms"], found.entries["seeds"]
    assert {key: node.line for key, node in terms.keys.items()} == {"绿茶": 3, "on": 4}
    assert terms.entries is not None
    assert terms.entries["绿茶"].path == "terms.绿茶"
    assert seeds.items is not None
    assert [(item.line, item.is_plain) for item in seeds.items] == [(5, True), (5, False)]


@pytest.mark.parametrize("text", ["", "\n\n", "# 只有注释\n", "---\n", "~"])
def test_an_empty_file_is_an_empty_mapping(text: str) -> None:
    assert read(text).entries == {}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("title: 茶\nterms: a: b\n", 2, "broken YAML: 'terms: a: b'"),
        ("terms:\n\t绿茶: 1\n", 2, "broken YAML"),
        ("a: 1\nb: \x07\n", 2, "broken YAML"),
        ("title: 茶\ntitle: 叶\n", 2, "each key once. The first is in line 1."),
        ("只是一句话", 1, "keys with values"),
        ("a: 1\n---\nb: 2\n", 2, "one document a file"),
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
    with pytest.raises(TopicError, match=r"t.yaml:2: encoding: .* It can be read as GBK .*: save the file as UTF-8"):
        read_yaml("name: tea\ntitle: 茶叶\n".encode("gbk"), "t.yaml")


def test_bytes_of_no_encoding_are_refused() -> None:
    with pytest.raises(TopicError, match=r"t.yaml:1: encoding: .*Save the file as UTF-8"):
        read_yaml(b"title: \xff\xff\xff\n", "t.yaml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_and_marked_utf_16_are_read(encoding: str) -> None:
    assert read_yaml("title: 茶叶\r\n".encode(encoding), "t.yaml").plain == {"title": "茶叶"}
