"""Typed data of our sixty pages are at least as right as benchmarks/quality/floors.json says."""

from __future__ import annotations

import pytest

from benchmarks.quality import typed_data
from benchmarks.quality.floors_file import read_floors
from benchmarks.quality.measuring import Bench, measure

SECTION = next(section for section in read_floors().sections if section.name == "typed_data")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return measure(SECTION, Bench(tmp_path_factory.mktemp("none"), None, 1), print)


@pytest.mark.parametrize("group", sorted(SECTION.floors))
def test_typed_data_are_not_below_their_floor(group, measured):
    assert measured.figures[group]["f1"] >= SECTION.floors[group]["f1"] - SECTION.tolerance["f1"]


def test_the_pages_are_those_of_the_floors(measured):
    assert measured.digest == SECTION.digest


def test_all_pages_together_reach_the_goal(measured):
    assert measured.figures["all"]["f1"] >= 0.90


def test_pages_without_data_give_none():
    scores = typed_data.measure(typed_data.read_ours, (page for page in typed_data.typed_pages() if not page.gold))
    assert scores["all"].found == 0


def test_there_are_sixty_pages_of_every_kind_and_script():
    pages = list(typed_data.typed_pages())
    kinds = [page.gold.get("kind", "none") for page in pages]
    assert len(pages) == 60
    assert sum(page.is_held for page in pages) == 20
    assert kinds.count("none") >= 12
    assert min(kinds.count(kind) for kind in ("news", "book", "company", "product")) >= 10
    assert {"big5", "gb2312", "gbk", "iso-8859-1", "utf-8"} == {page.content_type.rpartition("=")[2] for page in pages}


def test_values_are_compared_by_what_they_mean():
    ours = typed_data.comparable({"phone": "(0523) 8666 0055", "price": "68.0", "title": "河流 的方向"})
    assert ours == typed_data.comparable({"phone": "0523-86660055", "price": "68", "title": "河流的方向"})
    assert ours != typed_data.comparable({"phone": "0523-86660056", "price": "68", "title": "河流的方向"})


def test_a_found_field_too_many_and_a_missed_one_both_cost():
    page = typed_data.page_of(
        "x", '{"skin": "", "url": "http://e.cn/", "title": "", "data": {"kind": "book", "isbn": "1"}}\n<p>'
    )
    exact = typed_data.measure(lambda _page: {"kind": "book", "isbn": "1"}, iter([page]))["all"]
    more = typed_data.measure(lambda _page: {"kind": "book", "isbn": "1", "price": "5"}, iter([page]))["all"]
    less = typed_data.measure(lambda _page: {"kind": "book"}, iter([page]))["all"]
    assert exact.f1 == 1.0
    assert more.f1 == pytest.approx(0.8)
    assert less.f1 == pytest.approx(2 / 3)
