"""Pages that were read come back from a file as they were, or one line says why they do not."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.errors import RecordingError
from topicspider.page.links import Link
from topicspider.rehearsal.archive.feature_file import (
    LARGEST,
    Answer,
    FeatureFile,
    PageFeatures,
    decode_features,
    encode_features,
    packed,
)
from topicspider.url import fingerprint

A, B = "http://a.example/", "http://b.example/旅游"
TEXT = st.text(st.characters(), max_size=20)  # lone surrogates and control characters too
WORDS = st.lists(TEXT, max_size=6).map(tuple)
LINKS = st.builds(Link, *[TEXT] * 8, st.integers(0, 3000), st.booleans(), TEXT, st.integers(-1, 3000))
FEATURES = st.builds(
    PageFeatures,
    title=TEXT,
    subject_words=WORDS,
    body_words=WORDS,
    links=st.lists(LINKS, max_size=6).map(tuple),
    published=TEXT,
    robots=st.frozensets(st.sampled_from(["noindex", "nofollow"])),
    simhash=st.integers(-(2**63), 2**63 - 1),
    condition=st.sampled_from(["", "captcha"]),
)


def a_page(url=A, *targets):
    links = tuple(Link(target, anchor="游记", position=at) for at, target in enumerate(targets or (B, A, B)))
    return Answer(
        url, 200, PageFeatures("黄山", ("黄山",), ("云海", "日出"), links, "2020-05-01", simhash=-5), "", 0.25
    )


@given(FEATURES)
def test_features_come_back_as_they_were(features):
    assert decode_features(encode_features(features)) == features


def _packed_json(text):
    return zlib.compress(text.encode())


def _bomb():
    """400 KB that are 400 MB unpacked: an array in white space."""
    squeeze = zlib.compressobj(9)
    parts = [squeeze.compress(b"["), *(squeeze.compress(b" " * (1 << 20)) for _ in range(400)), squeeze.flush()]
    return b"".join(parts)


HONEST = ["题", ["题"], ["词"], "", [], 0, "", [[]] * 12]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        _packed_json("[" * 200_000),
        _packed_json("5"),
        _packed_json("{}"),
        _packed_json("[1, 2, 3]"),
        _packed_json("[]")[:-3],
        _packed_json(json.dumps(HONEST[:-1])),
    ],
)  # fmt: skip
def test_a_strangers_bytes_are_refused_with_one_line(data):
    with pytest.raises(RecordingError) as raised:
        decode_features(data)
    assert "\n" not in str(raised.value)


@given(st.binary(max_size=60))
def test_any_other_bytes_are_refused_with_one_line(data):
    with pytest.raises(RecordingError):
        decode_features(data)


def test_a_bomb_is_not_unpacked():
    data = _bomb()
    tracemalloc.start()
    with pytest.raises(RecordingError, match="more than 33,554,432 bytes"):
        decode_features(data)
    assert tracemalloc.get_traced_memory()[1] < 3 * LARGEST
    tracemalloc.stop()


@pytest.fixture
def file(tmp_path):
    opened = FeatureFile(tmp_path / "pages.db", is_new=True)
    yield opened
    opened.close()


def test_answers_come_back_as_they_were(file):
    answers = [a_page(), Answer(B, 301, None, A), Answer("http://c.example/", 404)]
    file.add(map(packed, answers))
    assert file.size() == 3
    assert [file.answer(fingerprint(one.url)) for one in answers] == answers
    assert file.answer(1) is None


def test_a_later_answer_takes_the_place_of_an_earlier_one(file):
    file.add([packed(a_page()), packed(Answer(B, 200))])
    file.add([packed(Answer(A, 500))])
    assert file.size() == 2
    assert file.answer(fingerprint(A)) == Answer(A, 500)
    assert file.urls() == [B, A]
    assert file.count() == 0


def test_the_graph_has_pages_and_redirects_with_repeats(file):
    file.add(map(packed, [a_page(), Answer(B, 302, None, A), Answer("http://c.example/", 404)]))
    graph = {mark: list(targets) for mark, targets in file.graph().items()}
    assert graph == {fingerprint(A): [fingerprint(B), fingerprint(A), fingerprint(B)], fingerprint(B): [fingerprint(A)]}


def test_facts_and_robots_are_kept(file):
    file.set_meta({"title": "旅游"})
    file.add_robots({"a.example:80": b"User-agent: *\nDisallow: /\xff"})
    assert (file.meta("title"), file.meta("none")) == ("旅游", "")
    assert (file.robots("a.example:80"), file.robots("b.example:80")) == (b"User-agent: *\nDisallow: /\xff", None)


def test_a_finished_file_stands_alone(tmp_path):
    file = FeatureFile(tmp_path / "pages.db", is_new=True)
    file.add([packed(a_page())])
    file.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["pages.db"]
    reopened = FeatureFile(tmp_path / "pages.db")
    assert reopened.answer(fingerprint(A)) == a_page()
    reopened.close()


def _none(_path):
    """No file at all."""


def _text(path):
    path.write_text("旅游" * 1000, encoding="utf-8")


def _foreign(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pages (url)")
    database.close()


def _damaged(path):
    file = FeatureFile(path, is_new=True)
    file.add([packed(replace(a_page(), url=f"http://{n}.example/")) for n in range(300)])
    file.finish()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


def _other_layout(path):
    FeatureFile(path, is_new=True).finish()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_none, "no such file"),
        (_text, "not a database"),
        (_foreign, "not one of pages that topicspider has read"),
        (_damaged, "cannot be used"),
        (_other_layout, "layout 99"),
    ],
)
def test_a_file_that_is_none_of_ours_is_one_clear_line(tmp_path, make, words):
    path = tmp_path / "坏.db"
    make(path)
    with pytest.raises(RecordingError, match=words) as raised:
        FeatureFile(path).graph()
    assert "坏.db" in str(raised.value)
    assert "\n" not in str(raised.value)
