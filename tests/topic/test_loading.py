"""A topic is found by name, path, title or class number, in every folder that may have it, or comes as text."""

from __future__ import annotations

from pathlib import Path

import pytest

import topicspider
from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.topic import search_path
from topicspider.topic.loading import check_topic, known_topics, load_topic, load_topics, save_inline_topic
from topicspider.topic.yaml_node import MAX_BYTES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea.yaml").write_text("title: {zh: 茶叶, en: Tea}\nclass: S57\n", encoding="utf-8")
    (tmp_path / "silk_road.yml").write_text("title: {zh: 丝绸之路}\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("title: {zh: 坏\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no topic", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("tea", "tea"),
        (" tea ", "tea"),
        ("茶叶", "tea"),
        ("茶葉", "tea"),
        ("S57", "tea"),
        ("silk road", "silk_road"),
        ("tourism", "tourism"),
        ("旅游", "tourism"),
        ("G8", "G8"),
        ("Real Estate", "real_estate"),
    ],
)
def test_a_topic_is_found_by_name_title_and_class(folder: Path, wanted: str, name: str) -> None:
    assert load_topic(wanted, str(folder)).name == name


def test_a_folder_of_ones_own_comes_first(folder: Path) -> None:
    (folder / "tourism.yaml").write_text("title: 我的旅游\n", encoding="utf-8")
    assert load_topic("tourism", str(folder)).title == {"zh": "我的旅游"}
    assert {"tea", "silk_road", "broken", "tourism", "food"} <= set(known_topics(str(folder)))
    assert "notes" not in known_topics(str(folder))
    assert "classes" not in known_topics()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("toursm", "Did you mean tourism?"),
        ("旅游业", "Did you mean tourism?"),
        ("teas", "Did you mean tea? To make it: `scrapy topics new teas`"),
        ("zzzz", "agriculture, broken, cars"),
        ("考古学", "To make it: `scrapy topics new 考古学`"),
        ("medicines", "The catalogue has it in R (Medicine and Health), R-0 (Theory of Medicine), R-1"),
        ("鸟类", "The catalogue has it in Q95 (Zoology). To make it: `scrapy topics new 鸟类`"),
        ("ai chips", "To make it: `scrapy topics new 'ai chips'`"),
        ("C|D", "To make it: `scrapy topics new 'C|D'`"),
        ("!!", "To make it: `scrapy topics new NAME`"),
        ("", "topic is missing; needed: agriculture, "),
        ("/no/such/tea.yaml", "a YAML file that exists"),
        (f"{Path(__file__).parent}/", "It is a folder"),
        ("~nobody-of-that-name/tea.yaml", "a YAML file that exists"),
        ("x" * 5000 + ".yaml", "a YAML file that exists"),
        ("x" * 5000, "one that there is: agriculture"),
        ("a\0b", "one that there is: agriculture"),
        ("S571", "the nearest is S5 Field Crops: -a topic=S5."),
        ("z9", "the nearest is Z8 Bibliographies and Indexes: -a topic=Z8."),
        ("Z9*", "the nearest is Z8"),
        ("D33/371", "the nearest is D33/37 Communist Parties of Other Countries: -a topic=D33_37."),
    ],
)
def test_an_unknown_name_is_answered_with_known_ones_and_the_nearest(folder: Path, wanted: str, says: str) -> None:
    with pytest.raises(UnknownTopic) as caught:
        load_topics(wanted, str(folder))
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("turism", ""),
        ("foood", ""),
        ("toursim", ""),
        ("古镇旅游", "古镇旅游"),
        ("旅游业", "旅游业"),
        ("农艺", "农艺"),
        ("art", "art"),
        ("foot massage", "foot massage"),
    ],
)
def test_only_one_or_two_wrong_letters_are_a_slip(folder: Path, wanted: str, title: str) -> None:
    with pytest.raises(UnknownTopic) as caught:
        load_topics(wanted, str(folder))
    assert caught.value.title == title


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("K87", ["K87"]),
        ("f", ["F"]),
        ("D33/37,心理学", ["D33_37", "B84"]),
        ("S5, F59", ["S5", "F59"]),
        ("V*,V4", ["V", "V1", "V2", "V4", "V7"]),
    ],
)
def test_classes_are_topics_by_number_title_and_branch(folder: Path, wanted: str, names: list[str]) -> None:
    assert [topic.name for topic in load_topics(wanted, str(folder))] == names


def test_a_number_of_the_catalogue_is_its_class_whatever_files_say(folder: Path) -> None:
    (folder / "clc.yaml").write_text("title: 中图\nclass: K87\n", encoding="utf-8")
    assert [topic.name for topic in load_topics("clc,K87", str(folder))] == ["clc", "K87"]


def test_several_topics_are_joined_by_commas_each_once(folder: Path) -> None:
    topics = load_topics("tea, S57，旅游,,tea", str(folder))
    assert [topic.name for topic in topics] == ["tea", "tourism"]


def test_two_files_of_one_name_are_an_error(folder: Path) -> None:
    (folder / "second.yaml").write_text("name: tea\ntitle: 茶\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"are both tea"):
        load_topics(f"tea,{folder / 'second.yaml'}", str(folder))


def test_a_path_may_hold_a_comma(folder: Path) -> None:
    path = folder / "a,b.yaml"
    path.write_text("name: ab\ntitle: 茶\n", encoding="utf-8")
    assert [topic.name for topic in load_topics(str(path))] == ["ab"]


def test_a_broken_file_raises_its_first_error_and_check_lists_all(folder: Path) -> None:
    with pytest.raises(TopicError, match=r"broken.yaml:\d: broken YAML"):
        load_topic("broken", str(folder))
    (folder / "bad.yaml").write_text("title: 茶\nscope: x\nclass: 茶\n", encoding="utf-8")
    assert [error.key for error in check_topic(folder / "bad.yaml")] == ["scope", "class"]
    assert check_topic(folder / "tea.yaml") == []


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that no one can read, as Linux has")
def test_a_file_that_cannot_be_read_is_one_clear_error(folder: Path) -> None:
    (folder / "tea.yaml").unlink()
    (folder / "tea.yaml").symlink_to("/proc/self/mem")
    with pytest.raises(TopicError, match=r"tea.yaml: file: '.*' is not valid; allowed: a file that can be read"):
        load_topic("tea", str(folder))


ROOT = Path(topicspider.__file__).parent.parent


def test_the_folder_of_the_setting_is_searched_before_the_checkout(tmp_path: Path) -> None:
    assert search_path.topic_dirs(str(tmp_path))[:2] == [tmp_path, ROOT / "topics"]
    assert search_path.topic_dirs() == search_path.shipped_dirs()


@pytest.mark.parametrize("folder", ["/没有/这个", "x" * 5000, "~nobody-of-that-name/topics", "a\0b"])
def test_a_folder_that_was_asked_for_must_exist(folder: str) -> None:
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_TOPICS_DIR: .* is not valid; allowed: a folder that exists"):
        search_path.topic_dirs(folder)


def test_a_new_topic_is_written_where_it_is_looked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert search_path.writing_dir() == ROOT / "topics"
    assert search_path.writing_dir(str(tmp_path / "选项")) == tmp_path / "选项"
    monkeypatch.setattr(search_path, "_checkout", lambda: None)
    assert search_path.writing_dir() == Path("topics")


TEA = "name: 茶叶\nterms: {茶叶: 1.0, 普洱: 0.8}\n"


def test_it_is_kept_under_its_own_name_and_loads(tmp_path):
    path = save_inline_topic(TEA, "", str(tmp_path))
    assert path == (tmp_path / "topics" / "茶叶.yaml").resolve()
    assert load_topic(str(path)).terms == {"茶叶": 1.0, "普洱": 0.8}


def test_a_text_without_a_name_takes_the_one_given(tmp_path):
    path = save_inline_topic("terms: {rowing: 1.0}\n", "rowing", str(tmp_path))
    assert load_topic(str(path)).name == "rowing"


def test_the_same_text_again_leaves_the_file_alone_and_another_replaces_it(tmp_path):
    first = save_inline_topic(TEA, "", str(tmp_path))
    written = first.stat()
    assert save_inline_topic(TEA, "茶叶", str(tmp_path)).stat().st_mtime_ns == written.st_mtime_ns
    save_inline_topic(TEA.replace("0.8", "0.9"), "", str(tmp_path))
    assert load_topic(str(first)).terms["普洱"] == 0.9


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("name: x\nterms: {茶: much}\n", "", "topic_yaml:2: terms"),
        ("terms: {茶: 1.0}\n", "", "topic_yaml:1: name"),
        ("name: ../../etc/x\nterms: {茶: 1.0}\n", "", "topic_yaml:1: name"),
        ("terms: {茶: 1.0}\n", "../x", "topic_yaml:1: name"),
        ("name: [\n", "x", "topic_yaml:"),
        ("name: a\nterms: {茶: 1.0}\n", "b", "topic: 'b' is not valid; allowed: a, as topic_yaml says"),
        ("\udcff", "x", "topic_yaml:1"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, content, name, said):
    with pytest.raises(ConfigError, match="topic") as found:
        save_inline_topic(content, name, str(tmp_path))
    assert said in str(found.value)
    assert not list(tmp_path.rglob("*.yaml"))


def test_a_text_too_long_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="at most 1,000,000 bytes"):
        save_inline_topic("#" * (MAX_BYTES + 1), "x", str(tmp_path))


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "topics").write_text("a file")
    with pytest.raises(ConfigError, match="TOPICSPIDER_DATA"):
        save_inline_topic(TEA, "", str(tmp_path))
