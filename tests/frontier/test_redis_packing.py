"""What a URL's record is as bytes, and its mark: short, one-to-one, and never more than what was written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.frontier.host_ranking import splitmix64
from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.redis.packing import UrlKeys, pack, unpack

SIGNED = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
hosts = st.sampled_from(["a.example:80", "a.example:443", "旅游.example:8080", "a.example", ""])
urls = st.builds(
    lambda scheme, host, rest: f"{scheme}{host}{rest}", st.sampled_from(["http://", "https://", ""]), hosts, texts
)


@given(urls, hosts, texts, texts, st.integers(0, 2**31), st.integers(0, 2**31))
def test_what_is_packed_comes_back(url, host, referrer, payload, depth, model):
    entry = Entry(url, 7, host, 0.5, depth, referrer, payload, 2, model)
    assert unpack(pack(entry, host.encode()), host, 7, 0.5, 2) == entry


@given(st.binary(max_size=60))
def test_other_bytes_are_a_value_error_or_an_entry(packed):
    try:
        entry = unpack(packed, "甲.example", 1, 0.0, 0)
    except ValueError:
        return
    assert isinstance(entry, Entry)


@given(SIGNED, st.integers(-(2**70), 2**70))
def test_marks_are_one_to_one_and_ordered_as_ties_are(fingerprint, seed):
    marks = UrlKeys(seed)
    as_bytes, as_text = marks.of(fingerprint)
    assert as_bytes == marks.bytes_of(fingerprint)
    assert int(as_text) == splitmix64(fingerprint, seed) == int.from_bytes(as_bytes, "big") - 2**63
    assert marks.fingerprint(as_bytes) == fingerprint


def test_many_links_of_several_hosts_in_one_work(redis_crawls):
    """More than are unpacked together: new ones, known ones worth more and worth less, and the same link twice."""
    frontier = redis_crawls.open()
    hosts = ["甲.example:80", "b.example:80", "丙.example:443"]
    made = [Entry(f"http://{hosts[n % 3]}/{n}", n, hosts[n % 3], n / 1e4) for n in range(1_700)]
    assert frontier.apply(Work(entries=made)) == 1_700
    again = [replace(one, score=one.score + (0.5 if one.fingerprint % 5 == 0 else -0.5)) for one in made]
    new = [Entry(f"http://{hosts[n % 3]}/{n}", n, hosts[n % 3], n / 1e4) for n in range(1_700, 2_000)]
    twice = [replace(new[0], score=0.9), replace(new[0], score=0.1)]
    assert frontier.apply(Work(entries=[*again, *new, *twice])) == 300
    expected = {one.fingerprint: one.score + (0.5 if one.fingerprint % 5 == 0 else 0.0) for one in made}
    expected |= {one.fingerprint: one.score for one in new} | {1_700: 0.9}
    assert {one.fingerprint: one.score for one in frontier.peek(3_000)} == pytest.approx(expected)
    frontier.close()
