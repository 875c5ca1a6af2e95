"""Addresses that a topic's title makes, and the file of those that were tried."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError, TopicError
from topicspider.topic.loading import known_topics
from topicspider.topic.profile import Topic
from topicspider.topic.seed_sources import StartingPoint, found_seeds, save_found, source_addresses, titles_of

SOURCES = """zh:
  encyclopedia: https://zh.example/{name}
  portal: ["https://{pinyin}.example/", "https://zh.example/s?q={query}"]
en:
  encyclopedia: https://en.example/{name}
any:
  awesome: https://any.example/{slug}
"""


def urls(topic, folder, text=SOURCES):
    (folder / "seed_sources.yaml").write_text(text, encoding="utf-8")
    return [point.url for point in source_addresses(topic, str(folder))]


def test_each_language_has_its_own_title(tmp_path):
    topic = Topic("tea", {"zh": "茶叶", "en": "Green Tea"})
    assert urls(topic, tmp_path) == [
        "https://zh.example/%E8%8C%B6%E5%8F%B6",
        "https://chaye.example/",
        "https://zh.example/s?q=%E8%8C%B6%E5%8F%B6",
        "https://en.example/Green_Tea",
        "https://any.example/%E8%8C%B6%E5%8F%B6",
        "https://any.example/green-tea",
    ]


def test_a_name_of_one_character_has_no_address_by_its_sound(tmp_path):
    assert "pinyin" not in "".join(urls(Topic("茶"), tmp_path))
    assert len(urls(Topic("茶"), tmp_path)) == 3


def test_a_title_that_lists_names_has_each():
    assert titles_of(Topic("b", {"zh": "哲学、宗教"})) == ["哲学", "宗教"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zh:\n  portal: ftp://a.example/\n", ("seed_sources.yaml:2", "an http or https URL")),
        ("zh:\n  portal:\n    - https://a.example/{nmae}\n", ("seed_sources.yaml:3", "name, query, slug, pinyin")),
        ("zh: https://a.example/\n", ("seed_sources.yaml:1", "languages with kinds")),
    ],
)
def test_an_error_in_the_file_of_sources_names_its_line(tmp_path, text, words):
    with pytest.raises(TopicError) as error:
        urls(Topic("茶叶"), tmp_path, text)
    assert [word for word in words if word not in str(error.value)] == []


def test_the_file_of_sources_is_no_topic(tmp_path):
    assert urls(Topic("茶叶"), tmp_path)
    assert "seed_sources" not in known_topics(str(tmp_path))


def test_the_sources_that_come_along_make_addresses_for_any_topic():
    kinds = {point.kind for point in source_addresses(Topic("tea", {"zh": "茶叶", "en": "Tea"}))}
    assert kinds == {"encyclopedia", "category", "directory", "awesome", "portal", "university", "government"}


def test_what_was_taken_is_read_again_in_its_order(tmp_path):
    points = [
        StartingPoint("https://a.example/", "portal", "茶", 0.5),
        StartingPoint("https://b.example/", "portal", left_out="404"),
    ]
    assert found_seeds(tmp_path) == []
    path = save_found(tmp_path, points)
    assert found_seeds(tmp_path) == ["https://a.example/"]
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"seeds\.jsonl.*Delete it"):
        found_seeds(tmp_path)
