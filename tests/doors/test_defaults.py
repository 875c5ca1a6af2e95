"""Every setting is declared once, checked, and documented."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from topicspider.options import Options
from topicspider.setting_rules import setting_name

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.mark.parametrize("name", [setting_name(field.name) for field in fields(Options)])
def test_every_setting_is_documented(name):
    assert f"## {name}\n" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(("value", "expected"), [("200", 200), (200, 200), ("2e2", 200), ("+7", 7)])
def test_whole_numbers_are_read_as_people_write_them(value, expected):
    assert Options.read({"TOPICSPIDER_MAX_PAGES": value}).max_pages == expected
