"""The wheel and the egg hold the data as well: topics, the catalogue, SQL; and work from anywhere."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from support.crawling import NO_DELAYS, environment
from support.project import BASE, TOPIC, make_project
from support.site import small_web, travel_web
from tests.doors.test_foreign_project import CRAWL_SPIDER

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


def test_no_command_is_registered_with_the_scrapy_of_the_environment(archive):
    name = next(name for name in zipfile.ZipFile(archive).namelist() if name.endswith("entry_points.txt"))
    points = configparser.ConfigParser(delimiters=["="])
    points.read_string(zipfile.ZipFile(archive).read(name).decode())
    assert {section: dict(points[section]) for section in points.sections()} == {
        "scrapy": {"settings": "topicspider.settings"},  # scrapyd asks for it
        "console_scripts": {"topicspider": "topicspider.__main__:main"},
    }


@pytest.fixture(scope="module")
def installed(archive, tmp_path_factory):
    """The ``bin`` of an environment with the wheel, installed without a network beside the packages of the tests."""
    if archive.suffix != ".whl":
        pytest.skip("an egg is for scrapyd")
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    command = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", archive]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "bin"


def try_out(folder, *command, proxy="", **env):
    """What a command says in ``folder``; nothing of the checkout is on its paths."""
    folder.mkdir(exist_ok=True)
    env = {**environment(proxy, **env), "PYTHONPATH": ""}
    del env["SCRAPY_SETTINGS_MODULE"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=90)


def test_the_installed_command_crawls_in_any_folder_and_keeps_topics_and_data_there(installed, tmp_path):
    tool = installed / "topicspider"
    made = try_out(tmp_path, tool, "topics", "new", "旅游业 2")
    assert made.returncode == 0, made.stderr
    assert "to begin: topicspider crawl topic -a topic=旅游业_2\n" in made.stdout
    with small_web(travel_web(6)) as web:
        arguments = [
            "-a",
            "topic=旅游业_2",
            "-a",
            "seeds=http://w0.example/p0.html",
            *NO_DELAYS,
            "-s",
            "LOG_LEVEL=ERROR",
        ]
        ended = try_out(tmp_path, tool, "crawl", "topic", *arguments, proxy=web.proxy)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"topics", "data"}
    found = try_out(tmp_path, installed / "python", "-m", "topicspider", "hits", "旅游", "--topic", "旅游业_2")
    assert found.returncode == 0, found.stderr
    assert "http://w0.example/" in found.stdout


@pytest.mark.parametrize(
    ("command", "name"), [(["topicspider"], "topicspider"), (["python", "-m", "topicspider"], "python -m topicspider")]
)
def test_help_names_the_command_as_it_was_typed(installed, tmp_path, command, name):
    tool = [installed / command[0], *command[1:]]
    shown = try_out(tmp_path, *tool, "--help").stdout
    assert f" {name} <command> [options]" in shown
    assert all(f"  {path.stem} " in shown for path in (ROOT / "topicspider" / "commands").glob("[a-z]*.py"))
    assert f"{name} hits [--topic NAME]" in " ".join(try_out(tmp_path, *tool, "hits", "--help").stdout.split())


def test_in_a_scrapy_project_of_somebody_the_command_has_its_settings_and_scrapy_none_of_ours(installed, tmp_path):
    settings = BASE + TOPIC + 'TOPICSPIDER_DATA = "elsewhere"\n'
    make_project(tmp_path, settings, CRAWL_SPIDER)
    ended = try_out(tmp_path / "shop", installed / "topicspider", "hits", "旅游")
    assert ended.returncode == 2
    assert "/shop/elsewhere yet" in ended.stderr
    shown = try_out(tmp_path, installed / "python", "-m", "scrapy", "--help").stdout
    assert "  crawl " in shown
    assert not [line for line in shown.splitlines() if line.split()[:1] in (["hits"], ["read"], ["store"], ["topics"])]


def test_a_scrapy_project_without_the_add_on_is_left_alone(installed, tmp_path):
    make_project(tmp_path, 'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\n', CRAWL_SPIDER)
    assert try_out(tmp_path, installed / "topicspider", "list").stdout == "topic\n"
    assert try_out(tmp_path, installed / "python", "-m", "scrapy", "list").stdout == "shop\n"
