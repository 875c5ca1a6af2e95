"""Topics in a store: kept whole, checked when they are put there and when they are read, found after those of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from topicspider.errors import ConfigError, StoreUnavailable, TopicError, UnknownTopic
from topicspider.options import Options
from topicspider.store.store import Store
from topicspider.store.topics import StoredTopics, remember_files, topic_of, topic_store, topics_of
from topicspider.topic.yaml_node import MAX_BYTES

TEA = "title: {zh: 茶叶, en: Tea}\nterms: {茶叶: 1.0, 普洱: 0.8}\n"
ROWING = "terms: {rowing: 1, 划艇 𠮷: 0.5}\n"


@pytest.fixture
def shelf(store: Store) -> StoredTopics:
    return StoredTopics(store.database)


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """With a store in a file, and a folder of topic files of which ``tea`` is one."""
    folder = tmp_path / "topics"
    folder.mkdir()
    (folder / "tea.yaml").write_text(TEA, encoding="utf-8")
    return Options(topics_dir=str(folder), store=f"sqlite:///{tmp_path / 'p.db'}", connect_wait=0.0)


def put(options: Options, name: str, text: str) -> None:
    with topic_store(options) as shelf:
        shelf.put(text.encode(), name, name)


def test_a_topic_comes_back_as_it_went_in(shelf: StoredTopics) -> None:
    topic, is_new = shelf.put(ROWING.encode(), "there.yaml", "划艇")
    found = shelf.find("划艇")
    assert (found, is_new) == (replace(topic, source="store:划艇"), True)
    assert dict(found.terms) == {"rowing": 1.0, "划艇 𠮷": 0.5}
    assert shelf.names() == ["划艇"]
    assert shelf.find("rowing") is shelf.find("") is None


def test_it_is_replaced_by_another_and_taken_away(shelf: StoredTopics) -> None:
    assert shelf.put(TEA.encode(), "", "tea")[1]
    assert not shelf.put(TEA.encode("utf-8-sig"), "", "tea")[1]
    assert shelf.put(TEA.replace("0.8", "0.7").encode("utf-16"), "", "tea")[1]
    found = shelf.find("tea")
    assert found is not None
    assert found.terms["普洱"] == 0.7
    assert shelf.names() == ["tea"]
    assert [shelf.remove("tea"), shelf.remove("tea")] == [True, False]
    assert shelf.names() == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"terms: {x: much}", "tea.yaml:1: terms"),
        (b"name: ../x\nterms: {x: 1}", "tea.yaml:1: name"),
        (b"#" * (MAX_BYTES + 1), "at most 1,000,000 bytes"),
        ("terms: {茶: 1}".encode("gbk"), "UTF-8"),
    ],
)
def test_what_may_not_be_a_topic_is_not_kept(shelf: StoredTopics, content: bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        shelf.put(content, "tea.yaml", "tea")
    assert shelf.names() == []


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [("terms: [", TopicError, "store:tea:2"), ("name: other\nterms: {x: 1}", ConfigError, "store:tea: name")],
)
def test_what_somebody_else_wrote_there_is_checked_too(
    shelf: StoredTopics, store: Store, content: str, error: type[ConfigError], said: str
) -> None:
    sql = "INSERT INTO topics (name, content, stored_at) VALUES (?, ?, '')"
    store.database.write([(sql, [("tea", content)])])
    with pytest.raises(error, match=said):
        shelf.find("tea")


def test_files_come_first_and_the_store_is_asked_for_what_they_have_not(options: Options) -> None:
    put(options, "tea", TEA.replace("普洱", "龙井"))
    put(options, "rowing", ROWING)
    assert "普洱" in topic_of("tea", options).terms
    assert "龙井" in topic_of("store:tea", options).terms
    sources = [one.source for one in topics_of("rowing，茶叶", options)]
    assert sources == ["store:rowing", str(Path(options.topics_dir) / "tea.yaml")]
    with pytest.raises(ConfigError, match="different names"):
        topics_of("tea,store:tea", options)


def test_the_name_is_enough_once_a_crawl_was_begun_with_a_path(options: Options, tmp_path: Path) -> None:
    (tmp_path / "划艇.yaml").write_text(ROWING, encoding="utf-8")
    remember_files(tmp_path / "data/划艇", topics_of(str(tmp_path / "划艇.yaml"), options))
    assert topic_of("划艇", replace(options, data=str(tmp_path / "data"))).source == str(tmp_path / "划艇.yaml")


def test_an_unknown_name_is_told_with_those_of_the_store(options: Options) -> None:
    put(options, "划艇", ROWING)
    with pytest.raises(UnknownTopic, match=r"划艇.*Did you mean 划艇\?"):
        topic_of("划艇赛", options)
    with pytest.raises(UnknownTopic, match="allowed: store:划艇"):
        topic_of("store:tea", options)


def test_a_store_that_is_away_is_not_asked_for_what_a_file_has(options: Options) -> None:
    (Path(options.topics_dir) / "tea.yaml").write_text(f"class: S57\n{TEA}", encoding="utf-8")
    away = replace(options, store="mysql://spider@127.0.0.1:1/pages")
    assert {topic_of(name, away).name for name in ("tea", "TEA", "茶叶", "S57", "s57")} == {"tea"}
    with pytest.raises(StoreUnavailable):
        topic_of("S571", away)
