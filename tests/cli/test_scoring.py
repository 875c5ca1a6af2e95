"""Scoring lines: one line of JSON for each, in order, whatever stands in it."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicspider.cli.judge import load_judge
from topicspider.cli.topics_score import Record, read_record, scored_lines
from topicspider.options import Options

TITLE = "江南古镇旅游攻略：三日自由行"


@pytest.fixture(scope="module")
def judge():
    return load_judge("tourism", Options(page_scorer="bm25"))


def scored(judge, content: bytes):
    return list(map(json.loads, scored_lines(list(map(read_record, io.BytesIO(content))), [judge], alone=False)))


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (TITLE, Record(title=TITLE)),
        ("\ufeff " + TITLE + "\r", Record(title=TITLE)),
        ("古镇。" * 40, Record(body="古镇。" * 40)),
        ('{"title": "门票", "body": "景区"}', Record(title="门票", body="景区")),
        ('{"anchor": "古镇", "url": "http://a.example/", "more": [1]}', Record(anchor="古镇", url="http://a.example/")),
        ('{"title": null, "body": 12}', Record(body="12")),
        ('["title"]', Record(title='["title"]')),
        ('{"title": "a\\u0000b\\ud800"}', Record(title="a b?")),
        ("", Record(error="empty")),
        (" \t\u3000", Record(error="empty")),
        ('{"title": ""}', Record(error="empty: none of title, body, url, anchor")),
        ("{title", Record(error="broken JSON: Expecting property name enclosed in double quotes")),
        ('{"x": 1}', Record(error="empty: none of title, body, url, anchor")),
        ('{"title": ["门票"]}', Record(error="title is not text")),
        ("a\0b", Record(error="a NUL character")),
    ],
)
def test_a_line_is_text_or_json_or_says_what_is_wrong_with_it(line, record):
    assert read_record(line.encode()) == record


def test_other_bytes_are_errors_that_name_the_place():
    assert read_record("旅游".encode("gbk")).error == "not UTF-8 (byte 1 of the line)"
    assert read_record(b'{"title": ' + b"[" * 100_000).error.startswith(("JSON nested", "broken JSON"))


def test_chinese_english_mixed_and_links_are_scored(judge):
    lines = [
        TITLE,
        "A travel itinerary for the old town",
        "三亚 travel 攻略",
        '{"title": "门票", "body": "景区的门票旺季一百二十元，游客可以自驾游。"}',
        '{"anchor": "自驾游"}',
        '{"url": "http://a.example/travel/景区/"}',
        "联赛第五轮战报",
        '{"anchor": "下一页", "url": "http://a.example/p2"}',
    ]
    found = scored(judge, "\n".join(lines).encode())
    assert [one["score"] > 0.2 for one in found] == [True] * 6 + [False] * 2
    assert all(set(one) == {"score", "on_topic", "threshold", "parts"} for one in found)
    assert all(one["on_topic"] == (one["score"] >= one["threshold"]) for one in found)


LINE = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.dictionaries(
        st.sampled_from(["title", "body", "url", "anchor", "x"]),
        st.one_of(
            st.text(max_size=20), st.none(), st.integers(), st.floats(), st.lists(st.text(max_size=3), max_size=2)
        ),
        max_size=4,
    ).map(lambda found: json.dumps(found).encode()),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINE.map(lambda line: line.replace(b"\n", b" ")), max_size=12), st.booleans())
def test_every_line_gives_exactly_one_line_of_sound_json(judge, lines, alone):
    found = scored_lines(
        list(map(read_record, io.BytesIO(b"".join(line + b"\n" for line in lines)))), [judge], alone=alone
    )
    assert len(found) == len(lines)
    for line in found:
        line.encode()
        assert "\n" not in line
        account = json.loads(line)
        assert 0.0 <= account["score"] <= 1.0
        assert ("error" in account) <= (account["score"] == 0.0 and not account["on_topic"])
