"""Edits of topics are followed, and what is remembered of the last pages."""

from __future__ import annotations

import pytest

from tests.page.made import article
from topicspider.errors import StoreUnavailable
from topicspider.page.page import Page
from topicspider.steering.topic_reload import RecentPages, TopicWatch
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.store.topics import StoredTopic, StoredTopics
from topicspider.topic.loading import load_topic

TOURISM = "title: 旅游\nterms:\n  旅游: 1\n  景点: 0.8\n"
FOOD = "title: 旅游\nterms:\n  美食: 1\n  小吃: 0.8\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "travel.yaml"
    path.write_text(TOURISM, encoding="utf-8")
    return path


@pytest.fixture
def watch(file):
    return TopicWatch([load_topic(str(file))])


def write(file, text):
    """As an editor does: a new file in the place of the old one."""
    other = file.with_suffix(".new")
    other.write_text(text, encoding="utf-8")
    other.replace(file)


def looks(watch, times=3):
    return [found for _ in range(times) if (found := watch.look()) is not None]


def test_an_edit_is_told_once_when_the_file_has_settled(file, watch):
    write(file, FOOD)
    assert watch.look() is None
    ((topic,),) = looks(watch)
    assert dict(topic.terms) == {"美食": 1.0, "小吃": 0.8}
    assert looks(watch) == []
    write(file, TOURISM)
    assert len(looks(watch)) == 1


@pytest.mark.parametrize("text", ["terms: [", "", "name: other\ntitle: 旅游\n"])
def test_a_broken_edit_is_one_line_and_the_next_good_one_counts(file, watch, caplog, text):
    write(file, text)
    assert looks(watch) == []
    assert caplog.text.count("the topic stays as it was") == 1
    write(file, FOOD)
    assert len(looks(watch)) == 1


def test_a_file_that_is_gone_for_a_moment_changes_nothing(file, watch):
    file.unlink()
    assert looks(watch) == []
    file.write_text(FOOD, encoding="utf-8")
    assert len(looks(watch)) == 1


@pytest.fixture
def shelf():
    store = Store(SqliteDatabase(":memory:"))
    yield StoredTopics(store.database)
    store.close()


def put(shelf, text):
    shelf.put(text.encode(), "travel", "travel")


def test_an_edit_in_the_store_is_told_once(shelf, file, monkeypatch, caplog):
    put(shelf, TOURISM)
    watch = TopicWatch([shelf.find("travel"), load_topic(str(file))], shelf)
    assert looks(watch) == []
    put(shelf, FOOD)
    ((stored, other),) = looks(watch)
    assert dict(stored.terms) == {"美食": 1.0, "小吃": 0.8}
    assert (stored.source, other.source) == ("store:travel", str(file))
    monkeypatch.setattr(shelf, "get", lambda name: StoredTopic(name, "terms: ["))
    assert looks(watch) == []
    assert caplog.text.count("the topic stays as it was") == 1


def test_a_store_that_is_away_or_has_it_no_more_changes_nothing(shelf, monkeypatch):
    put(shelf, TOURISM)
    watch = TopicWatch([shelf.find("travel")], shelf)
    put(shelf, FOOD)
    with monkeypatch.context() as away:

        def get(_name):
            raise StoreUnavailable("the store", "it is away")

        away.setattr(shelf, "get", get)
        assert looks(watch) == []
    shelf.remove("travel")
    assert looks(watch) == []
    put(shelf, FOOD)
    assert len(looks(watch)) == 1


ASKED = ("title_words", "body_words", "links", "published", "robots", "simhash", "condition")


def test_judging_hears_of_a_remembered_page_what_the_page_said() -> None:
    url = "http://甲.example/2024/05/01/a.html"
    page = Page(url, article(head="<meta name=robots content=noindex>").encode(), "text/html; charset=utf-8")
    recent = RecentPages()
    recent.add(url, 2, page)
    ((address, depth, remembered),) = recent
    assert (address, depth) == (url, 2)
    assert {name: getattr(remembered, name) for name in ASKED} == {name: getattr(page, name) for name in ASKED}
    assert remembered.simhash != 0
    assert remembered.published == "2024-05-01"
