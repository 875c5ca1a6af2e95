"""A setting of an earlier version is answered with one line."""

from __future__ import annotations

import logging

import pytest

from topicspider import options as declared
from topicspider.options import RETIRED, Options
from topicspider.setting_names import check_names, from_environment
from topicspider.setting_rules import setting_name


def options(**retired):
    return Options.read({setting_name(name): value for name, value in retired.items()})


@pytest.mark.parametrize("name", sorted(RETIRED))
def test_it_is_said_in_one_line_once(name, caplog):
    declared._warn.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            options(**{name: "1"})
    assert [setting_name(name) in record.getMessage() for record in caplog.records] == [True]
    assert "\n" not in caplog.text.strip()


def test_it_is_no_unknown_name_and_comes_from_the_environment_too():
    check_names(map(setting_name, RETIRED), map(setting_name, RETIRED))
    assert from_environment({"TOPICSPIDER_SITEMAPS": "on"}) == {"TOPICSPIDER_SITEMAPS": "on"}


def test_a_name_is_either_a_setting_or_retired():
    assert not RETIRED.keys() & Options.__dataclass_fields__.keys()
