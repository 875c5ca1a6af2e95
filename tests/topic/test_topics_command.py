"""``scrapy topics``: tables fit 80 columns, errors are one line, exit codes tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from topicspider.relevance.default_thresholds import page_threshold
from topicspider.text.terminal import width
from topicspider.topic.loading import known_topics, load_topic

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def topics(scrapy_topics):  # type: ignore[no-untyped-def]
    return lambda *arguments, language="en": scrapy_topics(*arguments, TOPICSPIDER_LANGUAGE=language)


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
        "F59 旅游经济",
        f"{page_threshold(load_topic('tourism'), 'learned', None):g} (learned",
        "1.000 旅游",
        "+住宿",
        "旅行 = 远行",
        "旅游鞋 0.5",
        "https://www.mct.gov.cn/",
    ):
        assert part in out
    assert max(map(width, out.splitlines())) <= 80


def test_check_says_ok_for_each_shipped_topic(topics) -> None:  # type: ignore[no-untyped-def]
    assert topics("check") == (0, "".join(f"{name}: ok\n" for name in known_topics()), "")


def test_check_prints_a_line_an_error_and_goes_on(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad, good = tmp_path / "bad.yaml", tmp_path / "好.yaml"
    bad.write_text("title: 茶\nscope: wide\nlimits: {depth: -1}\n", encoding="utf-8")
    good.write_text("title: 茶\n", encoding="utf-8")
    code, out, _err = topics("check", str(bad), "toursm", str(good), str(tmp_path / "none.yaml"), "food")
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith(f"{bad}:2: scope: 'wide'")
    assert lines[1].startswith(f"{bad}:3: limits.depth: '-1'")
    assert "Did you mean tourism?" in lines[2]
    assert lines[3] == f"{good}: ok"
    assert "No such file" in lines[4]
    assert lines[5] == "food: ok"


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
        (("show", "Q95"), "Class Q95 动物学 has no topic"),
        (("list", "-s", "TOPICSPIDER_TOPICS_DIR=/没有"), "a folder that exists"),
        (("list", "-s", "TOPICSPIDER_SEGMENTER=x"), "TOPICSPIDER_SEGMENTER: 'x' is not valid"),
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
def test_wrong_usage_shows_the_usage_and_exit_code_2(topics, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    code, _out, err = topics(*arguments)
    assert code == 2
    assert err.startswith("usage: scrapy topics ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_topic_is_put_into_the_store_shown_and_taken_out(topics, tmp_path: Path, language: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "茶.yaml"
    file.write_text("title: {zh: 茶叶, en: Tea}\nterms: {茶叶: 1}\n", encoding="utf-8")
    store = ("-s", f"TOPICSPIDER_STORE=sqlite:///{tmp_path / 'p.db'}")
    here = ("-s", f"TOPICSPIDER_TOPICS_DIR={tmp_path}")
    code, out, _err = topics("store", "茶", "tourism", *store, *here, language=language)
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines()] == ["茶", "tourism"]
    digest = out.splitlines()[0].rpartition("(")[2].rstrip(")")
    file.unlink()
    code, out, _err = topics("list", *store, language=language)
    assert code == 0
    last = out.splitlines()[-2:]
    assert last[0].split()[:1] == ["tourism"]
    assert ("as in the file" if language == "en" else "与文件相同") in last[0]
    assert last[1].split()[0] == "茶"
    code, out, _err = topics("show", "茶", *store, language=language)
    assert code == 0
    assert "store:茶" in out
    assert digest in out
    assert topics("check", "茶", *store)[1] == "茶: ok\n"
    assert topics("unstore", "茶", *store, language=language)[0] == 0
    code, out, err = topics("unstore", "茶", *store, language=language)
    assert (code, out) == (2, "")
    assert "allowed: tourism" in err


def test_a_topic_that_is_another_in_the_store_is_marked(topics, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "tourism.yaml").write_text("title: 旅游\nterms: {旅游: 1}\n", encoding="utf-8")
    store = ("-s", f"TOPICSPIDER_STORE=sqlite:///{tmp_path / 'p.db'}")
    assert topics("store", str(tmp_path / "tourism.yaml"), *store)[0] == 0
    assert "not as in the file; to crawl this: -a topic=store:tourism" in topics("list", *store)[1]


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
