"""What a URL's record is as bytes, and its mark: short, one-to-one, and never more than what was written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from topicspider.frontier.host_ranking import splitmix64
from topicspider.frontier.protocol import Entry
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
