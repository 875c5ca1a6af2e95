"""Seeds added to a topic file: everything else stays as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import topicspider
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
        (f"seeds:\n  - {OLD}  # 一\n  # 二\n", [OLD]),
        (f"seeds:\n- {OLD}\n\n", [OLD]),
        (f"seeds:\n    - '{OLD}'\n    - \"http://c.example/\"\n", [OLD, "http://c.example/"]),
    ],
)
@pytest.mark.parametrize("tail", ["", TAIL])
@pytest.mark.parametrize(
    "change", [lambda text: text, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text, str.rstrip]
)
def test_seeds_are_added_and_nothing_else_changes(seeds, old, tail, change):
    content = change(HEAD + seeds + tail).encode()
    changed = with_seeds(content, NEW)
    before, after = (read_topic(one, "tea.yaml", "tea") for one in (content, changed))
    assert before[1] == after[1] == []
    assert after[0] == replace(before[0], seeds=tuple(NEW + old))
    comments = [line.partition("#")[2].strip() for line in content.decode().splitlines() if "#" in line]
    assert [comment for comment in comments if comment not in changed.decode()] == []
    assert changed.replace(b"\r\n", b"").count(b"\n") * (b"\r\n" in content) == 0


def test_a_file_of_ones_own_is_written_in_place_with_its_rights(tmp_path):
    path = tmp_path / "tea.yaml"
    path.write_text(HEAD + "seeds:\n  - https://tea.example.com/\n" + TAIL, encoding="utf-8")
    path.chmod(0o640)
    assert add_seeds(load_topic(str(path)), NEW) == path
    assert load_topic(str(path)).seeds == (*NEW, OLD)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["tea.yaml"]


@pytest.mark.parametrize("text", ["{title: 茶叶, terms: [绿茶]}", "title: 茶叶\nseeds: [https://tea.example.com/]\n"])
def test_a_file_that_cannot_be_changed_safely_is_left_alone(tmp_path, text):
    path = tmp_path / "tea.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="--save"):
        add_seeds(load_topic(str(path)), NEW)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("source", ["store:tea", str(Path(topicspider.__file__).parent / "addon.py")])
def test_a_topic_of_the_store_or_of_the_package_has_no_file_to_write(source):
    with pytest.raises(ConfigError, match="a topic in a file of your own"):
        add_seeds(Topic("tea", terms={"茶": 1.0}, source=source), NEW)
