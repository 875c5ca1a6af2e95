"""What was learned is kept, and never believed when it is broken."""

from __future__ import annotations

import pytest

from topicspider.topic.disk_cache import cached_weights


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "topicspider" / "learned"


def learned_again():
    raise AssertionError("learned twice")


def test_the_same_source_is_learned_once():
    assert cached_weights([["旅游", "景点"]], lambda: {"旅游": 0.5}) == {"旅游": 0.5}
    assert cached_weights([["旅游", "景点"]], learned_again) == {"旅游": 0.5}


def test_another_source_is_learned_anew():
    cached_weights([["旅游"]], lambda: {"旅游": 0.5})
    assert cached_weights([["足球"]], lambda: {"足球": 1.0}) == {"足球": 1.0}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": "b"}', b"\xff\xfe"])
def test_a_broken_file_is_learned_anew_and_mended(cache, content):
    cached_weights([], lambda: {"a": 1.0})
    (path,) = cache.iterdir()
    path.write_bytes(content)
    assert cached_weights([], lambda: {"a": 2.0}) == {"a": 2.0}
    assert cached_weights([], learned_again) == {"a": 2.0}


def test_no_place_to_write_only_costs_time(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert cached_weights([], lambda: {"a": 1.0}) == {"a": 1.0}
