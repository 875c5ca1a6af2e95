"""What an export writes is read back as it was; what is no line of one is named with its place."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.errors import ConfigError
from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState
from topicspider.frontier.protocol import Entry
from topicspider.frontier.record_lines import lines_of, read_lines
from topicspider.url import fingerprint

marks = st.integers(-(1 << 63), (1 << 63) - 1)
texts = st.text(max_size=20)
amounts = st.floats(0, 1e9)
some_hosts = st.sampled_from(["xn--zfvz1q.example:80", "a.example:443"])
entries = st.builds(
    Entry,
    url=st.sampled_from(["http://xn--zfvz1q.example/%E9%A1%B5", "https://a.example/?q=1"]),
    fingerprint=marks,
    host=some_hosts,
    score=st.floats(-1e9, 1e9),
    depth=st.integers(0, 99),
    referrer=texts,
    payload=texts,
    attempts=st.integers(0, 9),
    model=st.integers(0, 1 << 40),
)
host_states = st.builds(
    HostState,
    some_hosts,
    pages=st.integers(0, 1 << 40),
    rest_seconds=amounts,
    delay_seconds=amounts,
    is_blocked=st.booleans(),
)
records = st.lists(
    st.one_of(
        entries,
        host_states,
        st.builds(DeadUrl, entries, texts),
        st.builds(DoneUrls, st.lists(marks).map(tuple)),
        st.builds(Fact, texts, texts),
    ),
    max_size=9,
)


@given(records)
def test_everything_is_read_back_as_it_was(given_records):
    lines = list(lines_of(given_records, "旅游"))
    assert list(read_lines(lines, "f")) == given_records
    assert all("\n" not in line for line in lines)


@given(records.filter(len), st.data())
def test_a_file_that_was_cut_off_is_told_after_what_it_has(given_records, data):
    lines = list(lines_of(given_records, "旅游"))
    kept = data.draw(st.integers(1, len(lines) - 1))
    reading = read_lines(lines[:kept], "旅游.jsonl")
    assert [next(reading) for _ in range(kept - 1)] == given_records[: kept - 1]
    with pytest.raises(ConfigError, match=r"旅游\.jsonl: 'no last line' .* cut off"):
        next(reading)


def test_a_list_of_urls_will_do():
    lines = ['{"url": "http://旅游.example/页#top", "score": 0.5}', "", "  ", '{"url": "http://旅游.example/页"}']
    url = "http://xn--zfvz1q.example/%E9%A1%B5"
    # one without a score is wanted: at 0 the default policy would never fetch it
    assert list(read_lines(lines, "f")) == [
        Entry(url, fingerprint(url), "xn--zfvz1q.example:80", score) for score in (0.5, 1.0)
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "Expecting"),
        ("[]", "object"),
        ('"旅游"', "object"),
        ('{"kind": "茶"}', "茶"),
        ("{}", "url"),
        ('{"url": "ftp://a/"}', "http"),
        ('{"url": "http://a/", "score": "1"}', "score"),
        ('{"url": "http://a/", "score": NaN}', "score"),
        ('{"url": "http://a/", "depth": -1}', "depth"),
        ('{"url": "http://a/", "depth": 1.5}', "depth"),
        ('{"url": "http://a/", "payload": {}}', "payload"),
        ('{"url": "http://a/", "colour": 1}', "colour"),
        ('{"url": "http://a/", "fingerprint": "x"}', "x"),
        ('{"url": "http://a/", "fingerprint": "9223372036854775808"}', "64 bits"),
        ('{"kind": "done", "fingerprints": 1}', "list"),
        ('{"kind": "done", "fingerprints": [null]}', "null|NoneType"),
        ('{"kind": "host"}', "host"),
        ('{"kind": "host", "host": "a:80", "delay_seconds": -1}', "delay_seconds"),
        ('{"kind": "host", "host": "a:80", "is_blocked": 1}', "is_blocked"),
        ('{"kind": "host", "host": 80}', "host"),
        ('{"kind": "dead", "url": "http://a/", "reason": 5}', "reason"),
        ('{"kind": "fact", "key": "k"}', "value"),
        ('{"kind": "frontier", "version": 2}', "version 2"),
    ],
)
def test_the_first_line_that_is_none_is_named(line, why):
    with pytest.raises(ConfigError, match=why) as error:
        list(read_lines(['{"url": "http://a/"}', line], "旅游.jsonl"))
    assert "旅游.jsonl:2" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    ).map(json.dumps)
)
def test_whatever_a_line_is_nothing_else_is_raised(line):
    with contextlib.suppress(ConfigError):
        assert len(list(read_lines([line], "f"))) <= 1
