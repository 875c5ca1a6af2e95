"""The Chinese page of settings, written by hand, has what the generated one has: the same settings, defaults and allowed values."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
LABELS = {"默认值：": "default: ", "可取值：": "allowed: ", "或者 `@FILE`": "or `@FILE`", "出处：": "source: "}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e\+\d+)?")


def test_both_pages_have_the_same_settings_in_the_same_order():
    assert list(_settings("zh/settings.md")) == list(_settings("settings.md"))


def test_both_pages_have_the_same_defaults_and_allowed_values():
    english = _settings("settings.md")
    for name, facts in _settings("zh/settings.md").items():
        assert facts == english[name], name


def _settings(page: str) -> dict[str, dict[str, object]]:
    """What the page says of each setting, without its words."""
    _, *sections = re.split(r"^## ", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {section.split("\n", 1)[0]: dict(map(_fact, _lines(section))) for section in sections}


def _lines(section: str) -> list[str]:
    return [line[2:] for line in section.splitlines() if line.startswith("- ")]


def _fact(line: str) -> tuple[str, object]:
    for chinese, english in LABELS.items():
        line = line.replace(chinese, english, 1) if line.startswith(chinese) else line
    label, _, text = line.partition(": ")
    if label == "default":
        shown = re.match("`([^`]*)`", text)
        return label, shown[1] if shown else ""
    if label == "allowed":  # words, the same on both pages, or a range
        return label, text if ", " in text else NUMBER.findall(text)
    return label.split("：", 1)[0], None
