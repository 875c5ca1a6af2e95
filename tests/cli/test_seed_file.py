"""Seeds added to a topic file: everything else stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from topicspider.cli.topics_seeds import add_seeds, with_seeds
from topicspider.errors import ConfigError
from topicspider.topic.loading import load_topic
from topicspider.topic.profile import Topic
from topicspider.topic.schema import read_topic

HEAD = "# 我的主题\ntitle: {zh: 茶叶}  # 名字\n"
TAIL = "limits:\n  pages: 50 # 够了\n# 完\n"
NEW = ["http://a.example/%E8%8C%B6?x=%5B1%5D,2", "https://b.example/"]
OLD = "https://tea.example.com/"


@pytest.mark.parametrize(
    ("seeds", "old"),
    [
        ("", []),
        ("seeds:\n", []),
        ("seeds:  # 还没有\n", []),
        ("seeds: null # 无\n", []),
        ("seeds: ~\n", []),
        ("seeds: []\n", []),
        (f"seeds: {OLD}\n", [OLD]),
        (f"seeds: '{OLD}'  # 一个\n", [OLD]),
        (f"seeds:\n  - {OLD}  # 一\n  # 二\n", [OLD]),
        (f"seeds:\n- {OLD}\n\n", [OLD]),
        (f"seeds:\n    - '{OLD}'\n    - \"http://c.example/\"\n", [OLD, "http://c.example/"]),
        (f"seeds: [{OLD}, http://c.example/]  # 行内\n", [OLD, "http://c.example/"]),
        (f"seeds: [\n  {OLD},\n]\n", [OLD]),
    ],
)
@pytest.mark.parametrize("tail", ["", TAIL])
@pytest.mark.parametrize(
    "change", [lambda text: text, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text, str.rstrip]
)
def test_seeds_are_added_and_nothing_else_changes(seeds, old, tail, change):
    content = change(HEAD + seeds + tail).encode()
    before, errors = read_topic(content, "tea.yaml", "tea")
    assert (errors, list(before.seeds)) == ([], old)
    changed = with_seeds(content, NEW)
    after, errors = read_topic(changed, "tea.yaml", "tea")
    assert errors == []
    assert after == replace(before, seeds=tuple(old + NEW))
    comments = [line.partition("#")[2].strip() for line in content.decode().splitlines() if "#" in line]
    assert [comment for comment in comments if comment not in changed.decode()] == []
    assert (b"\r\n" in changed) == (b"\r\n" in content)
    assert changed.replace(b"\r\n", b"").count(b"\n") * (b"\r\n" in content) == 0


def test_a_file_of_ones_own_is_written_in_place_with_its_rights(tmp_path):
    path = tmp_path / "tea.yaml"
    path.write_text(HEAD + "seeds:\n  - https://tea.example.com/\n" + TAIL, encoding="utf-8")
    path.chmod(0o640)
    assert add_seeds(load_topic(str(path)), NEW, "") == path
    assert load_topic(str(path)).seeds == (OLD, *NEW)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["tea.yaml"]


def test_a_file_that_cannot_be_changed_safely_is_left_alone(tmp_path):
    path = tmp_path / "tea.yaml"
    path.write_text("{title: 茶叶, terms: [绿茶]}", encoding="utf-8")
    topic = load_topic(str(path))
    with pytest.raises(ConfigError, match="--save"):
        add_seeds(topic, NEW, "")
    assert path.read_text(encoding="utf-8") == "{title: 茶叶, terms: [绿茶]}"


def test_a_topic_of_the_package_is_copied_to_a_folder_of_ones_own_or_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("topicspider.cli.topics_seeds._is_packaged", lambda path: "own" not in path.parts)
    monkeypatch.delenv("TOPICS_DIR", raising=False)
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    shipped.mkdir()
    own.mkdir()
    (shipped / "tea.yaml").write_text(HEAD, encoding="utf-8")
    topic = load_topic(str(shipped / "tea.yaml"))
    with pytest.raises(ConfigError, match="TOPICSPIDER_TOPICS_DIR"):
        add_seeds(topic, NEW, "")
    assert add_seeds(topic, NEW, str(own)) == own / "tea.yaml"
    assert (shipped / "tea.yaml").read_text(encoding="utf-8") == HEAD
    assert load_topic("tea", str(own)).seeds == tuple(NEW)


def test_a_topic_of_the_store_has_no_file_to_write(tmp_path):
    topic = Topic("tea", terms={"茶": 1.0}, source="store:tea")
    with pytest.raises(ConfigError, match="this one is in the store"):
        add_seeds(topic, NEW, str(tmp_path))
    assert list(tmp_path.iterdir()) == []
