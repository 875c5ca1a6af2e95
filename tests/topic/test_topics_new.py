"""``scrapy topics new``: a file from a name, from texts and from pages; what is wrong is one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import check_topic, load_topic

if TYPE_CHECKING:
    from pathlib import Path

ESTATE = (
    "The real estate market cooled. A real estate agent said that real estate prices fell in every district of the city, "
    "and that mortgages are cheap. Real estate taxes stay."
)
COUNTRYSIDE = (
    "乡村旅游带来了收入，村里办起了民宿。乡村旅游的游客喜欢民宿和农家菜，乡村旅游的路也修好了。民宿的院子里种着花。"
)


@pytest.fixture
def new(scrapy_topics, monkeypatch, tmp_path):
    """``scrapy topics new ARGUMENTS`` with a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *arguments: scrapy_topics("new", *arguments, TOPICSPIDER_TOPICS_DIR=str(tmp_path / "topics"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "topics").mkdir()
    return tmp_path / "topics"


def made(folder: Path, name: str):
    """The topic that was written, right by the checker, and its profile."""
    path = folder / f"{name}.yaml"
    assert check_topic(path) == []
    topic = load_topic(name, str(folder))
    return topic, learn(topic, make_segmenter("rjieba"))


def test_a_name_alone_gives_a_file_that_a_crawl_finds(new, folder):
    code, out, err = new("茶叶")
    topic, profile = made(folder, "茶叶")
    assert (code, err) == (0, "")
    assert topic.title == {"zh": "茶叶"}
    assert profile.weights == {"茶叶": 1.0}
    assert len({"茶园", "茶具", "饮茶", "茶树", "茶馆"} & set(topic.near)) >= 3
    assert "scrapy crawl topic -a topic=茶叶 -a seeds=URL,URL\n" in out  # a name alone has no seeds
    assert "1.000 +茶叶" in out
    assert load_topic("茶叶", str(folder)).source == str(folder / "茶叶.yaml")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("AI 芯片", "ai_芯片"),
        ("C++: it's #1 [really] {yes}", "c_it_s_1_really_yes"),
        ("2024", "2024"),
        ("ＶＲ／ＡＲ", "vr_ar"),
        ("- dash 'quote\" \\ %", "dash_quote"),
        ("茶葉\n與\t酒", "茶叶_与_酒"),
        ("../../etc/passwd", "etc_passwd"),
        ("旅" * 100, "旅" * 64),
    ],
)
def test_odd_names_give_right_files(new, folder, name, file):
    code, _out, err = new("--title", name, file) if name.startswith("-") else new(name)
    assert (code, err) == (0, "")
    topic, _profile = made(folder, file)
    assert "".join(next(iter(topic.title.values())).split()) == "".join(name.split())


@pytest.mark.parametrize("name", ["", "!!", "、。", "x" * 300])
def test_a_name_without_a_letter_is_one_line(new, name):
    code, _out, err = new(name)
    assert code == 2
    assert err.startswith("topicspider: topic: ")
    assert err.count("\n") == 1


def test_an_existing_file_is_kept_unless_forced(new, folder):
    (folder / "tea.yaml").write_text("title: Tea\n", encoding="utf-8")
    code, _out, err = new("tea")
    assert (code, err.count("\n")) == (2, 1)
    assert "--force" in err
    assert (folder / "tea.yaml").read_text(encoding="utf-8") == "title: Tea\n"
    assert new("tea", "--force")[0] == 0
    assert "near:" in (folder / "tea.yaml").read_text(encoding="utf-8")


def test_terms_and_phrases_are_learned_from_a_text(new, folder, tmp_path):
    (tmp_path / "a.txt").write_text(ESTATE, encoding="utf-8")
    code, out, _err = new("housing", "--from-text", str(tmp_path / "a.txt"))
    topic, profile = made(folder, "housing")
    assert code == 0
    assert topic.terms["housing"] == 10
    assert "real estate" in topic.terms
    assert topic.languages == ("en",)
    assert profile.weights["housing"] == 1.0
    assert "housing" in out


def test_pages_of_a_folder_and_what_is_left_out_of_it(new, folder, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        (pages / f"{number}.html").write_text(
            f"<html><head><meta charset=utf-8><title>民宿{number}</title></head><body><article><p>{COUNTRYSIDE * 3}</p></article></body></html>",
            encoding="utf-8",
        )
    (pages / "empty.html").write_text("", encoding="utf-8")
    code, _out, err = new("民宿", "--from-pages", str(pages))
    topic, _profile = made(folder, "民宿")
    assert code == 0
    assert "乡村" in "".join(topic.terms)
    assert err.splitlines() == [f"left out: {pages / 'empty.html'}: it is empty"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from-text", "/no/such/file"], "can be read"),
        (["--from-pages", "/no/such/folder"], "/no/such/folder"),
        (["--from-urls", "ftp://a.example/"], "an http:// or https:// URL"),
        (["--from-urls", "@/no/such/list"], "can be read"),
    ],
)
def test_a_bad_source_is_one_line_and_nothing_is_written(new, folder, arguments, says):
    code, _out, err = new("tea", *arguments)
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written(new, tmp_path):
    (tmp_path / "topics").write_text("", encoding="utf-8")
    code, _out, err = new("tea")
    assert code == 2
    assert "a place that can be written" in err or "a folder that exists" in err
