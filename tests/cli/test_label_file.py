"""Labels from a CSV file, as people and spreadsheets write them."""

from __future__ import annotations

import pytest

from topicspider.cli.labels import LabelRow, read_labels
from topicspider.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            "http://a.example/,yes\n古镇旅游攻略,否\n",
            [LabelRow(True, "http://a.example/"), LabelRow(False, text="古镇旅游攻略")],
        ),
        ("url,label\nHTTP://A.example/x,1\n", [LabelRow(True, "http://a.example/x")]),
        (
            'Title,Label\n"门票，多少钱, 元",是\n\n战报,不是\n',
            [LabelRow(True, text="门票，多少钱, 元"), LabelRow(False, text="战报")],
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_rows_are_urls_or_texts_with_yes_or_no(tmp_path, text, rows, encoding):
    path = tmp_path / "labels.csv"
    path.write_bytes(text.encode(encoding))
    assert read_labels(str(path)) == rows


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "There is no row"),
        (b"url,label\n", "There is no row"),
        (b"http://a.example/,maybe\n", "labels.csv:1: maybe.* Also 1 or 0"),
        ("旅游,yes\n战报,maybe\n".encode(), "labels.csv:2: maybe"),
        (b"only one column\nagain\n", "labels.csv:2"),
        (b"text,label\n,yes\n", "labels.csv:2"),
        (b"\xff\xff,yes\n", "neither UTF-8 nor GB 18030"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, content, words):
    path = tmp_path / "labels.csv"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        read_labels(str(path))


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    for name in (str(tmp_path / "nosuch.csv"), str(tmp_path), "a\0b"):
        with pytest.raises(ConfigError, match="--labels"):
            read_labels(name)
