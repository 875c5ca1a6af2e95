"""Encodings are measured on every case, and as the detectors beside ours are."""

from __future__ import annotations

import pytest

from benchmarks.quality import charsets
from benchmarks.quality.charset_detectors import ORDERS, read_ours, read_with
from benchmarks.quality.floors_file import read_floors
from benchmarks.quality.measuring import Bench, measure

SECTION = next(section for section in read_floors().sections if section.name == "charsets")
GBK = "<title>春游指南</title><p>云台山每年春天都有许多游客来登山赏花。</p>"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return measure(SECTION, Bench(tmp_path_factory.mktemp("none"), None, 1), print)


@pytest.mark.parametrize("group", sorted(SECTION.floors))
def test_encodings_are_not_below_their_floor(group, measured):
    assert measured.figures[group]["right"] >= SECTION.floors[group]["right"] - SECTION.tolerance["right"]


def test_every_case_that_can_be_told_is_right(measured):
    assert measured.figures["decidable"]["right"] == 1.0


def test_the_cases_are_those_of_the_floors(measured):
    assert measured.digest == SECTION.digest


def test_wrong_texts_are_counted_by_group_and_named():
    case = charsets.Case("one", GBK.encode("gbk"), "", GBK, ("all", "east asian"))
    assert charsets.measure(read_ours, [case])["all"].right == 1.0
    wrong = charsets.measure(lambda body, _type: body.decode("latin-1"), [case])["east asian"]
    assert (wrong.cases, wrong.right, wrong.wrong) == (1, 0.0, ["one"])


@pytest.mark.parametrize(
    ("order", "detected", "expected"),
    [
        ("declaration first", "gbk", "big5hkscs"),
        ("detector first", "gbk", "gb18030"),
        ("detector first", "", "big5hkscs"),
        ("declaration unless double bytes", "gbk", "gb18030"),
        ("declaration unless double bytes", "windows-1252", "big5hkscs"),
    ],
)
def test_a_detector_is_asked_in_three_orders(order, detected, expected):
    text = "<meta charset=big5><p>旅遊勝地"
    body = text.encode("big5")
    assert read_with(lambda _sample: detected, order)(body, "") == body.decode(expected, "replace")
    assert order in ORDERS


def test_no_detector_is_asked_about_utf8():
    def fail(_sample: bytes) -> str:
        raise AssertionError("asked")

    assert read_with(fail, "detector first")(GBK.encode(), "text/html; charset=gbk") == GBK
