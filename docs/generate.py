"""Writes docs/settings.md from topicspider/options.py; ``--check`` only says whether it is up to date."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from topicspider.options import Options  # noqa: E402 - the path comes first
from topicspider.setting_rules import Rule, setting_name  # noqa: E402

PAGE = ROOT / "docs" / "settings.md"
HEAD = """# Settings

Set them in `settings.py`, with `-s NAME=VALUE`, as environment variables of the same name, or, where it says
so, as a spider argument (`-a`). `-a` wins over `-s`, and that over the environment. A wrong value stops the crawl with a line that names
the setting, the value and what is allowed. Those that may hold a password also take `@FILE`, so that it stands in no command line.
This page is generated from `topicspider/options.py`.

"""


def settings_page() -> str:
    """The whole page."""
    return HEAD + "\n".join(_section(field.name, field.default, field.metadata["rule"]) for field in fields(Options))


def _section(name: str, default: object, rule: Rule) -> str:
    shown = f"`{default}`" if default != "" else "empty"
    lines = [f"## {setting_name(name)}", "", rule.help, "", f"- default: {shown}{' ' + rule.unit if rule.unit else ''}"]
    if rule.allowed:
        lines.append(f"- allowed: {rule.allowed}")
    if rule.is_secret:
        lines.append("- or `@FILE`: the file whose only line is the value")
    if rule.source:
        lines.append(f"- source: {rule.source}")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or compare it."""
    page = settings_page()
    if "--check" not in sys.argv:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print("docs/settings.md is out of date: run docs/generate.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
