"""``scrapy topics``: tables fit 80 columns, errors are one line, exit codes tell; ``new`` writes a right file."""

from __future__ import annotations

import io
import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy import cmdline
from scrapy.settings import Settings

from topicspider.commands.topics import Command
from topicspider.relevance.default_thresholds import page_threshold
from topicspider.store.location import open_store
from topicspider.text.terminal import width
from topicspider.topic.drafting import file_name
from topicspider.topic.loading import check_topic, known_topics, load_topic
from topicspider.topic.seed_sources import source_addresses

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def topics(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs it with arguments and a language; gives exit code, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(cmdline, "_get_commands_dict", lambda _settings, _inproject: {"topics": Command()})

    def run(*arguments: str, language: str = "en") -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cmdline.execute(["scrapy", "topics", *arguments], Settings({"TOPICSPIDER_LANGUAGE": language}))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "topics").mkdir()
    return tmp_path / "topics"


@pytest.fixture
def new(topics, monkeypatch, tmp_path, folder):
    """``scrapy topics new ARGUMENTS`` with a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *arguments: topics("new", *arguments, "-s", f"TOPICSPIDER_TOPICS_DIR={folder}")


@pytest.mark.parametrize(("language", "title"), [("en", "Tourism"), ("zh", "旅游")])
def test_list_shows_every_topic_lined_up_in_80_columns(topics, language: str, title: str) -> None:  # type: ignore[no-untyped-def]
    code, out, _err = topics("list", language=language)
    head, *rows = out.split("\n\n")[0].splitlines()
    assert code == 0
    assert [row.split()[0] for row in rows] == known_topics()
    (tourism,) = (row for row in rows if row.startswith("tourism"))
    assert title in tourism
    assert max(map(width, [head, *rows])) <= 80
    column = {
        width(row[: row.index(cell)]) for row in rows for cell in ("宽", "专", "broad", "specific") if cell in row
    }
    assert len(column) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_show_tells_class_thresholds_and_learned_words(topics, language: str) -> None:  # type: ignore[no-untyped-def]
    code, out, _err = topics("show", "旅游", language=language)
    assert code == 0
    for part in (
        "F59 旅游经济" if language == "zh" else "F59 Tourism",
        f"{page_threshold(load_topic('tourism'), 'learned', None):g}"
        + ("（评分器 learned）" if language == "zh" else " (page scorer learned)"),
        "1.000 旅游",
        "+住宿",
        "远行 = 旅行",
        "旅游鞋 0.5",
        "https://www.mct.gov.cn/",
    ):
        assert part in out
    assert max(map(width, out.splitlines())) <= 80


def test_check_prints_a_line_an_error_and_goes_on(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad, good = tmp_path / "bad.yaml", tmp_path / "好.yaml"
    bad.write_text("title: 茶\nscope: wide\nlimits: {depth: -1}\n", encoding="utf-8")
    good.write_text("title: 茶\n", encoding="utf-8")
    idle, some = tmp_path / "idle.yaml", tmp_path / "some.yaml"
    idle.write_text("terms: [的, the, C]\ntitle: 🐼\n", encoding="utf-8")
    some.write_text("terms: [的, 茶]\n", encoding="utf-8")
    none = str(tmp_path / "none.yaml")
    code, out, _err = topics("check", str(bad), "toursm", str(good), none, "food", str(idle), str(some))
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith(f"{bad}:2: scope: 'wide'")
    assert lines[1].startswith(f"{bad}:3: limits.depth: '-1'")
    assert "Did you mean tourism?" in lines[2]
    assert lines[3] == f"{good}: ok"
    assert "No such file" in lines[4]
    assert lines[5] == "food: ok"
    assert lines[6].startswith(
        f"{idle}: empty topic: ['的', 'the', 'C', '🐼'] is not valid; allowed: at least one word"
    )
    assert lines[7] == f"{some}: ok"
    assert lines[8:] == [f"{some}: nothing is found by these terms, stop words, single letters or signs: 的"]


def test_list_marks_a_broken_file_and_goes_on(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bad.yaml").write_text("title: [", encoding="utf-8")
    code, out, _err = topics("list", "-s", f"TOPICSPIDER_TOPICS_DIR={tmp_path}")
    assert code == 0
    assert "bad: scrapy topics check bad" in out
    assert "tourism" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "toursm"), "Did you mean tourism?"),
        (("show", "Q951"), "the nearest is Q95 Zoology"),
        (("classes", "Z9"), "The nearest is Z8 Bibliographies"),
        (("classes", "zzzz"), "allowed: a number, a part of a title"),
        (("list", "-s", "TOPICSPIDER_TOPICS_DIR=/没有"), "a folder that exists"),
        (("list", "-s", "TOPICSPIDER_TRAPS=x"), "TOPICSPIDER_TRAPS: 'x' is not valid"),
    ],
)
def test_a_wrong_value_is_one_line_and_exit_code_2(topics, arguments: tuple[str, ...], says: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = topics(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert says in err


@pytest.mark.parametrize(
    "arguments", [("frob",), ("show",), ("show", "a", "b"), ("list", "x"), ("store",), ("unstore",)]
)
def test_wrong_usage_is_one_line_that_says_where_more_is_said(topics, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    code, out, err = topics(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.fullmatch(r"topicspider: topics.*: .*`scrapy topics.* --help` says more\n", err)


def test_a_topic_is_put_into_the_store_shown_and_taken_out(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "茶.yaml"
    file.write_text("title: {zh: 茶叶, en: Tea}\nterms: {茶叶: 1}\n", encoding="utf-8")
    store = ("-s", f"TOPICSPIDER_STORE=sqlite:///{tmp_path / 'p.db'}")
    code, out, _err = topics("store", "茶", "tourism", *store, "-s", f"TOPICSPIDER_TOPICS_DIR={tmp_path}")
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines()] == ["茶", "tourism"]
    digest = out.splitlines()[0].rpartition("(")[2].rstrip(")")
    file.unlink()
    assert topics("list", *store)[1].splitlines()[-2:] == ["  tourism", "  茶"]
    shown = topics("show", "茶", *store)[1]
    assert "store:茶" in shown
    assert digest in shown
    assert topics("check", "茶", *store)[1] == "茶: ok\n"
    assert topics("unstore", "茶", *store)[0] == 0
    code, out, err = topics("unstore", "茶", *store)
    assert (code, out) == (2, "")
    assert "allowed: tourism" in err


def test_a_terminal_obeys_no_name_of_the_store(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    url = f"sqlite:///{tmp_path / 'p.db'}"
    with closing(open_store(url, tmp_path / "unused")) as store:
        rows = [(name, "title: 茶叶\n", "2026-11-22") for name in ("茶\x1b[2J叶", "黑茶\n假的一行")]
        store.database.write([("INSERT INTO topics (name, content, stored_at) VALUES (?, ?, ?)", rows)])
    out = topics("list", "-s", f"TOPICSPIDER_STORE={url}")[1]
    assert out.splitlines()[-2:] == ["  茶 [2J叶", "  黑茶 假的一行"]


def test_a_store_that_is_away_costs_the_list_a_line_and_an_unknown_name_says_so(topics) -> None:  # type: ignore[no-untyped-def]
    away = ("-s", "TOPICSPIDER_STORE=mysql://me:secret@127.0.0.1:1/db", "-s", "TOPICSPIDER_CONNECT_WAIT=0")
    code, out, err = topics("list", *away)
    assert code == 0
    assert "127.0.0.1:1" in out.splitlines()[-1]
    assert topics("show", "tourism", *away)[0] == 0
    code, _out, unknown = topics("show", "划艇", *away)
    assert code == 3
    assert "127.0.0.1:1" in unknown
    assert "secret" not in out + err + unknown


ESTATE = (
    "The real estate market cooled. A real estate agent said that real estate prices fell in every district of the city, "
    "and that mortgages are cheap. Real estate taxes stay."
)
COUNTRYSIDE = (
    "乡村旅游带来了收入，村里办起了民宿。乡村旅游的游客喜欢民宿和农家菜，乡村旅游的路也修好了。民宿的院子里种着花。"
)


def made(folder: Path, name: str):
    """The topic that was written, right by the checker."""
    assert check_topic(folder / f"{name}.yaml") == []
    return load_topic(name, str(folder))


def test_a_name_alone_gives_a_file_that_a_crawl_finds(new, folder):
    code, out, err = new("茶叶")
    topic = made(folder, "茶叶")
    assert (code, err) == (0, "")
    assert topic.title == {"zh": "茶叶"}
    assert len({"茶园", "茶具", "饮茶", "茶树", "茶馆"} & set(topic.near)) >= 3
    assert "scrapy crawl topic -a topic=茶叶\n" in out  # it finds its seeds itself
    assert "1.000 +茶叶" in out
    assert load_topic("茶叶", str(folder)).source == str(folder / "茶叶.yaml")


class _Person(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_says_which_near_words_are_not_of_the_topic(new, folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", _Person("茶几 茶园，茶具 桌子\n"))
    code, out, err = new("茶叶", "--force")
    assert (code, "near words:" in out, err) == (
        0,
        True,
        "茶几 is none of the near words: passed over\n桌子 is none of the near words: passed over\n",
    )
    assert [word for word, weight in made(folder, "茶叶").near.items() if not weight] == ["茶园", "茶具"]
    monkeypatch.setattr("sys.stdin", _Person())
    assert new("茶叶", "--force", "--yes")[0] == 0
    assert all(made(folder, "茶叶").near.values())


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("AI 芯片", "ai_芯片"),
        ("C#", "c_sharp"),
        ("C++: it's #1 [really] {yes}", "c_plus_plus_it_s_1_really_yes"),
        ("2024", "2024"),
        ("ＶＲ／ＡＲ", "vr_ar"),
        ("dash 'quote\" \\ %", "dash_quote"),
        ("茶葉\n與\t酒", "茶叶_与_酒"),
        ("../../etc/passwd", "etc_passwd"),
        ("旅" * 100, "旅" * 64),
    ],
)
def test_odd_names_give_right_files(new, folder, name, file):
    code, _out, err = new(name)
    assert (code, err) == (0, "")
    topic = made(folder, file)
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
    code, _out, _err = new("housing", "--from-text", str(tmp_path / "a.txt"))
    topic = made(folder, "housing")
    assert code == 0
    assert topic.terms["housing"] == 10
    assert "real estate" in topic.terms
    assert topic.languages == ("en",)


@pytest.mark.parametrize(("name", "language"), [("커피", "ko"), ("コーヒー", "ja"), ("чай", "ru"), ("Tee", "en")])
def test_a_name_tells_its_language(new, folder, name, language):
    """Korean was zh, with en.wikipedia.org to begin at."""
    assert new(name)[0] == 0
    topic = made(folder, file_name(name))
    assert (topic.languages, topic.title) == ((language,), {language: name})
    assert any(f"//{language}.wikipedia.org/" in point.url for point in source_addresses(topic))


def test_a_name_in_latin_letters_is_in_the_language_of_the_locale_or_english(new, folder, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert new("Notensatz")[0] == 0
    topic = made(folder, "notensatz")
    assert (topic.languages, topic.title) == (("de", "en"), {"de": "Notensatz", "en": "Notensatz"})


def test_texts_tell_the_language_of_a_name_in_latin_letters(new, folder, tmp_path):
    (tmp_path / "a.txt").write_text(
        "Der Tee ist ein Getränk, das mit den Blättern der Teepflanze und heißem Wasser bereitet wird. " * 3
    )
    assert new("Tee", "--from-text", str(tmp_path / "a.txt"))[0] == 0
    assert (made(folder, "tee").languages, made(folder, "tee").title) == (("de",), {"de": "Tee"})


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
    topic = made(folder, "民宿")
    assert code == 0
    assert "乡村" in "".join(topic.terms)
    assert err.splitlines() == [f"left out: {pages / 'empty.html'}: it is empty"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from-text", "/no/such/file"], "can be read"),
        (["--from-pages", "/no/such/folder"], "/no/such/folder"),
        (["--from-urls", "ftp://a.example/"], "an http:// or https:// URL"),
    ],
)
def test_a_bad_source_is_one_line_and_nothing_is_written(new, folder, arguments, says):
    code, _out, err = new("tea", *arguments)
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "first", "says"),
    [
        ((), "A ", "  B84     Psychology  心理学"),
        (("xlx",), "  B84 ", "Psychology"),
        (("F5",), "F ", "-a topic=F5"),
        (("d33/37",), "D ", "-a topic=D33_37"),
        (("football",), "  G8 ", "体育"),
    ],
)
def test_classes_are_shown_as_a_tree_and_found(topics, arguments, first, says):
    code, out, _err = topics("classes", *arguments)
    assert (code, out[: len(first)]) == (0, first)
    assert says in out
    assert max(map(width, out.splitlines())) <= 80
