"""The catalogue is levels 1 and 2 of the 中图分类法 ((a) Li 2002, topic choice)."""

from __future__ import annotations

import pytest

from topicspider.topic import catalogue

MAIN = list("ABCDEFGHIJKNOPQRSTUVXZ")


def test_there_are_22_main_classes_each_with_a_second_level() -> None:
    numbers = list(catalogue.classes())
    assert [number for number in numbers if len(number) == 1] == MAIN
    assert all(sum(number.startswith(main) for number in numbers) > 3 for main in MAIN)
    assert len(catalogue.classes()) > 240


@pytest.mark.parametrize(
    ("number", "title"),
    [
        ("F", "经济"),
        ("F59", "旅游经济"),
        ("F592.7", "旅游经济"),
        ("F293.3", "经济计划与管理"),
        ("TP311", "自动化技术、计算机技术"),
        ("茶", ""),
        ("W1", ""),
        ("tourism", ""),
    ],
)
def test_a_number_has_the_name_of_the_nearest_class(number: str, title: str) -> None:
    assert catalogue.class_title(number) == title
