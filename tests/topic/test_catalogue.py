"""The catalogue is levels 1 and 2 of the 中图分类法 ((a) Li 2002, topic choice)."""

from __future__ import annotations

import pytest

from topicspider.topic import catalogue

MAIN = list("ABCDEFGHIJKNOPQRSTUVXZ")


def test_there_are_22_main_classes_each_with_a_second_level() -> None:
    mains = [number for number in catalogue.classes() if catalogue.parent(number) is None]
    assert mains == MAIN
    assert all(len(catalogue.children(number)) >= 3 for number in MAIN)
    assert len(catalogue.classes()) > 240


@pytest.mark.parametrize(
    ("number", "title"),
    [
        ("F", "经济"),
        ("F59", "旅游经济"),
        ("f59", "旅游经济"),
        ("F592.7", "旅游经济"),
        ("F293.3", "经济计划与管理"),
        ("TP311", "自动化技术、计算机技术"),
        ("D352", "各国共产党"),
        ("I561", "各国文学"),
        ("茶", ""),
        ("W1", ""),
        ("TX1", ""),
        ("", ""),
        ("tourism", ""),
    ],
)
def test_a_number_has_the_name_of_the_nearest_class(number: str, title: str) -> None:
    assert catalogue.class_title(number) == title


@pytest.mark.parametrize(
    ("number", "above"), [("F59", "F5"), ("F5", "F"), ("F", None), ("TP", "T"), ("R-0", "R"), ("D33/37", "D")]
)
def test_a_class_knows_the_class_above(number: str, above: str | None) -> None:
    assert catalogue.parent(number) == above


def test_a_class_knows_the_classes_below() -> None:
    assert catalogue.children("F5") == ["F59"]
    assert catalogue.children("V") == ["V1", "V2", "V4", "V7"]


@pytest.mark.parametrize(
    ("words", "first"), [("旅游", "F59"), ("体育", "G8"), ("教育", "G4"), ("没有的", None), ("", None)]
)
def test_classes_are_found_by_name(words: str, first: str | None) -> None:
    assert next(iter(catalogue.find_classes(words)), None) == first
