"""A topic is found by name, path, title or class number; an unknown one is answered with the nearest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from topicspider.errors import ConfigError, TopicError, UnknownTopic
from topicspider.topic.loading import check_topic, known_topics, load_topic, load_topics


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
        ("F59", "tourism"),
        ("Real Estate", "real_estate"),
    ],
)
def test_a_topic_is_found_by_name_title_and_class(folder: Path, wanted: str, name: str) -> None:
    assert load_topic(wanted, str(folder)).name == name


def test_a_topic_is_found_by_path(folder: Path) -> None:
    topic = load_topic(str(folder / "tea.yaml"))
    assert (topic.name, topic.source) == ("tea", str(folder / "tea.yaml"))


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
        ("teas", "Did you mean tea? To make it: scrapy topics new teas"),
        ("zzzz", "agriculture, broken, cars"),
        ("考古学", "To make it: scrapy topics new 考古学"),
        ("ai chips", "To make it: scrapy topics new 'ai chips'"),
        ("!!", "To make it: scrapy topics new NAME"),
        ("", "topic is missing; needed: agriculture, "),
        ("/no/such/tea.yaml", "a YAML file that exists"),
        ("~nobody-of-that-name/tea.yaml", "a YAML file that exists"),
        ("x" * 5000 + ".yaml", "a YAML file that exists"),
        ("x" * 5000, "allowed: agriculture"),
        ("a\0b", "allowed: agriculture"),
    ],
)
def test_an_unknown_name_is_answered_with_known_ones_and_the_nearest(folder: Path, wanted: str, says: str) -> None:
    with pytest.raises(UnknownTopic) as caught:
        load_topics(wanted, str(folder))
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("number", "says"),
    [
        ("S51", "'S51' is not valid; allowed: S57 tea, S agriculture"),
        ("S51", "Class S51 in S5 农作物 has no topic: write one with `class: S51`."),
        ("F5", "allowed: F59 tourism, F"),
        ("q95", "Class Q95 动物学 has no topic"),
        ("D33/37", "Class D33/37 各国共产党 has no topic"),
    ],
)
def test_a_class_without_a_topic_says_so_with_its_title_and_the_nearest(folder: Path, number: str, says: str) -> None:
    with pytest.raises(UnknownTopic) as caught:
        load_topic(number, str(folder))
    assert says in str(caught.value)


def test_several_topics_are_joined_by_commas_each_once(folder: Path) -> None:
    topics = load_topics("tea, F59，旅游,,tea", str(folder))
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


def test_importing_and_loading_does_not_import_gensim() -> None:
    program = (
        "import sys; from topicspider.topic.loading import load_topic; import topicspider.topic.learning; "
        "load_topic('旅游'); print('gensim' in sys.modules, 'scrapy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
