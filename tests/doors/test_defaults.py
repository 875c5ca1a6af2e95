"""Every setting is declared once, checked, and documented."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.setting_rules import setting_name

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_nothing_set_gives_the_declared_defaults():
    assert Options.read({}) == Options()


@pytest.mark.parametrize("name", [setting_name(field.name) for field in fields(Options)])
def test_every_setting_is_documented(name):
    assert f"## {name}\n" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("TOPICSPIDER_MAX_PAGES", "-5", "0 or more pages"),
        ("TOPICSPIDER_MAX_PAGES", "many", "a whole number"),
        ("TOPICSPIDER_MAX_PAGES", "1.5", "a whole number"),
        ("TOPICSPIDER_MAX_DEPTH", "-1", "0 or more links"),
        ("TOPICSPIDER_DELAY_MIN", "nan", "0 to 86400 seconds"),
        ("TOPICSPIDER_DELAY_MIN", "inf", "a finite number"),
        ("TOPICSPIDER_DELAY_MIN", "61", "at most TOPICSPIDER_DELAY_MAX, 60"),
        ("TOPICSPIDER_FRESH", "maybe", "true or false"),
        ("TOPICSPIDER_LINK_POLICY", "深度优先", "bfs, dfs"),
        ("TOPICSPIDER_PAGE_SCORER", "cosine", "boolean, vsm, a4bc, bm25"),
    ],
)
def test_a_wrong_value_names_setting_value_and_what_is_allowed(name, value, allowed):
    with pytest.raises(ConfigError) as caught:
        Options.read({name: value})
    text = str(caught.value)
    assert name in text
    assert repr(value) in text
    assert allowed in text
    assert "\n" not in text


@pytest.mark.parametrize(("value", "expected"), [("200", 200), (200, 200), ("2e2", 200), ("+7", 7)])
def test_whole_numbers_are_read_as_people_write_them(value, expected):
    assert Options.read({"TOPICSPIDER_MAX_PAGES": value}).max_pages == expected
