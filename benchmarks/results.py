"""RESULTS.md: what each benchmark printed, its command above it; a benchmark replaces its own section and no other."""

from __future__ import annotations

import re
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def record(section: str, command: str, printed: str, *, file: Path = RESULTS) -> None:
    """Put what a command printed under its section, in place of what it printed before; sections stay in order of name."""
    head, *rest = re.split(r"^## ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = dict(part.split("\n", 1) for part in rest)
    sections[section] = f"\n`{command}`\n\n```\n{printed.strip()}\n```\n\n"
    text = head + "".join(f"## {name}\n{sections[name]}" for name in sorted(sections))
    file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
