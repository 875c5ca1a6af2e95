"""A queue of scrapy-redis is read, JSON or pickled, and nothing in it is ever run."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.frontier.foreign_requests import entries_of, read_plain

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=12,
)
REQUEST = {
    "url": "http://a.example/茶",
    "callback": "parse_item",
    "meta": {"depth": 2},
    "method": "GET",
    "body": b"",
    "headers": {b"A": [b"b"]},
}


@given(value=PLAIN, protocol=st.sampled_from([3, 4, 5]))
def test_plain_data_is_read_as_pickle_reads_it(value, protocol):
    assert read_plain(pickle.dumps(value, protocol)) == value


class Evil:
    def __reduce__(self):
        return (os.system, (f"touch {self.path}",))


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path, protocol: int):
    evil = Evil()
    evil.path = tmp_path / "ran"
    with pytest.raises(ValueError, match="not plain data"):
        read_plain(pickle.dumps({"url": evil}, protocol))
    assert not evil.path.exists()


@pytest.mark.parametrize("place", ["url", "key"])
def test_little_that_unfolds_to_much_is_refused_at_once(place):
    """Lists that hold one list twice, 60 deep: as text, or as a number of a dict, that takes years."""
    deep = ("x",)
    for _ in range(60):
        deep = (deep, deep)
    data = pickle.dumps({"url": deep}, 4)
    # which pickle itself would never get done: nothing but the deep one and a 1, as a pair of a dict
    if place == "key":
        data = (
            b"\x80\x04}"
            + pickle.dumps(deep, 4)[2:-1].replace(b"\x95" + pickle.dumps(deep, 4)[3:11], b"", 1)
            + b"K\x01s."
        )
    refused = []
    assert list(entries_of([(data, 0.0)], refused.append)) == []
    assert refused == ["no http:// or https:// URL" if place == "url" else "a pickle with keys that are no text"]


@given(data=st.binary(max_size=60))
def test_bytes_of_any_kind_are_read_or_refused(data):
    refused = []
    assert len(list(entries_of([(data, 0.0)], refused.append))) + len(refused) == 1


@pytest.mark.parametrize(
    "write",
    [
        lambda fields: pickle.dumps(fields, -1),
        lambda fields: json.dumps({**fields, "body": "", "headers": {}}).encode(),
    ],
)
def test_a_request_becomes_a_url_of_the_queue(write):
    (entry,) = entries_of([(write(REQUEST), 7.0)], pytest.fail)
    assert (entry.url, entry.score, entry.depth) == ("http://a.example/%E8%8C%B6", 7.0, 2)
    assert json.loads(entry.payload) == {"callback": "parse_item"}


def test_what_is_no_plain_get_is_left_out_with_its_reason():
    refused = []
    post = pickle.dumps({**REQUEST, "method": "POST", "body": b"x"}, -1)
    assert not list(entries_of([(post, 0.0), (b"\x80\x05junk", 0.0), (pickle.dumps("x"), 0.0)], refused.append))
    assert "not a GET" in refused[0]
    assert len(refused) == 3
