"""Topic files are found in the folder asked for, the checkout, and the installed package, also inside an egg."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import topicspider
from topicspider.errors import ConfigError
from topicspider.topic import search_path

ROOT = Path(topicspider.__file__).parent.parent


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOPICS_DIR", raising=False)


def test_the_option_is_searched_before_the_environment_before_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    option, environment = tmp_path / "选项", tmp_path / "环境"
    option.mkdir()
    environment.mkdir()
    monkeypatch.setenv("TOPICS_DIR", str(environment))
    assert search_path.topic_dirs(str(option))[:3] == [option, environment, ROOT / "topics"]
    assert search_path.topic_dirs() == [environment, *search_path.shipped_dirs()]


@pytest.mark.parametrize("folder", ["/没有/这个", "x" * 5000, "~nobody-of-that-name/topics", "a\0b"])
def test_a_folder_that_was_asked_for_must_exist(folder: str) -> None:
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_TOPICS_DIR: .* is not valid; allowed: a folder that exists"):
        search_path.topic_dirs(folder)


def test_without_any_folder_the_error_lists_every_place_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scrapy.cfg").touch()
    monkeypatch.setattr(search_path.resources, "files", lambda _package: tmp_path / "installed")
    monkeypatch.setattr(topicspider, "__file__", str(tmp_path / "topicspider" / "__init__.py"))
    with pytest.raises(ConfigError) as caught:
        search_path.topic_dirs()
    text = str(caught.value)
    assert f"checkout {tmp_path}/topics" in text
    assert f"package {tmp_path}/installed/topics" in text
    assert "TOPICSPIDER_TOPICS_DIR" in text


def test_topics_next_to_an_installed_package_are_somebody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "topics").mkdir()
    monkeypatch.setattr(topicspider, "__file__", str(tmp_path / "topicspider" / "__init__.py"))
    assert tmp_path / "topics" not in search_path.shipped_dirs()


def test_topics_are_read_inside_an_egg(tmp_path: Path) -> None:
    egg = tmp_path / "topicspider-0.1-py3.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in (ROOT / "topicspider").rglob("*.py"):
            archive.write(file, file.relative_to(ROOT))
        for file in (ROOT / "topics").rglob("*.yaml"):
            archive.write(file, Path("topicspider") / file.relative_to(ROOT))
    program = (
        "import topicspider; from topicspider.topic.loading import load_topic, known_topics; "
        "from topicspider.topic.learning import learn; from topicspider.text.segment import make_segmenter; "
        "topic = load_topic('F59'); profile = learn(topic, make_segmenter('rjieba')); "
        "print(topicspider.__file__, topic.name, len(known_topics()), profile.weights['旅游'])"
    )
    environment = {key: value for key, value in os.environ.items() if key not in ("TOPICS_DIR", "PYTHONPATH")}
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(egg), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    where, name, count, weight = result.stdout.split()
    assert where.startswith(str(egg))
    assert (name, int(count), float(weight)) == ("tourism", len(list((ROOT / "topics").glob("*.yaml"))), 1.0)


def test_a_new_topic_is_written_where_it_is_looked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert search_path.writing_dir() == ROOT / "topics"
    monkeypatch.setenv("TOPICS_DIR", str(tmp_path / "环境"))
    assert search_path.writing_dir() == tmp_path / "环境"
    assert search_path.writing_dir(str(tmp_path / "选项")) == tmp_path / "选项"
    monkeypatch.delenv("TOPICS_DIR")
    monkeypatch.setattr(search_path, "_shipped", list)
    assert search_path.writing_dir() == Path("topics")
