"""The wheel and the egg hold the data as well: topics, the catalogue, SQL; and work from anywhere."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ("requirements.txt", "requirements-browser.txt", "requirements-export.txt")
PARTS = ("pyproject.toml", "setup.py", *REQUIREMENTS, "README.md", "LICENSE", "topicspider", "topics")
BUILDERS = {
    "wheel": ["-c", "from setuptools.build_meta import build_wheel; build_wheel('dist')"],
    "egg": ["setup.py", "-q", "bdist_egg"],
}


@pytest.fixture(scope="module", params=BUILDERS)
def archive(request, tmp_path_factory):
    """The built archive, made offline from a copy of what is needed for it."""
    folder = tmp_path_factory.mktemp(request.param)
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    built = subprocess.run(
        [sys.executable, *BUILDERS[request.param]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    (path,) = (folder / "dist").iterdir()
    return path


def data_files():
    """Every file of the checkout that is data, under its name in the package."""
    topics = {f"topicspider/{path.relative_to(ROOT)}" for path in (ROOT / "topics").rglob("*.yaml")}
    inner = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "topicspider").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    return topics | inner


def test_every_module_and_data_file_is_in_the_archive_once(archive):
    names = zipfile.ZipFile(archive).namelist()
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "topicspider").rglob("*.py")}
    expected = modules | data_files()
    assert "topicspider/topics/tourism.yaml" in expected
    assert "topicspider/store/schema.sql" in expected
    assert expected <= set(names)
    assert len([name for name in names if name.endswith("tourism.yaml")]) == 1
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "topics/"))]


TRY = """
import topicspider
from topicspider.topic.loading import load_topics
from topicspider.store.location import open_store
(topic,) = load_topics("tourism", "")
print(topicspider.__file__, topic.name, len(topic.terms) > 10)
store = open_store("memory:", None, 1.0)
print(store.totals("tourism").pages)
from topicspider.text.lexicon import word_vectors
print(word_vectors().places.get("旅游") is not None)
"""


@pytest.mark.parametrize("is_packed", [True, False], ids=["zipped", "unpacked"])
def test_topics_migrations_and_words_are_found_from_anywhere(archive, tmp_path, is_packed):
    """scrapyd puts the zipped egg itself on the path."""
    path = archive
    if not is_packed:
        path = tmp_path / "unpacked"
        zipfile.ZipFile(archive).extractall(path)
    (tmp_path / "elsewhere").mkdir()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    tried = subprocess.run(
        [sys.executable, "-c", TRY],
        cwd=tmp_path / "elsewhere",
        env={**env, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert tried.returncode == 0, tried.stderr
    first, second, third = tried.stdout.splitlines()
    assert first == f"{path}/topicspider/__init__.py tourism True"
    assert second == "0"
    assert third == "True"


def test_commands_are_registered_for_foreign_projects_and_replace_none_of_scrapys(archive):
    name = next(name for name in zipfile.ZipFile(archive).namelist() if name.endswith("entry_points.txt"))
    points = configparser.ConfigParser(delimiters=["="])
    points.read_string(zipfile.ZipFile(archive).read(name).decode())
    assert dict(points["scrapy"]) == {"settings": "topicspider.settings"}  # scrapyd asks for it
    found = set(points["scrapy.commands"])
    ours = {path.stem for path in (ROOT / "topicspider" / "commands").glob("*.py")} - {"__init__"}
    assert found == ours - {"crawl", "parse"}
