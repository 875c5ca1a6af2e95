"""Runs a benchmark and keeps what it printed in RESULTS.md, its command above it.

    python -m benchmarks.results quality.dates --wrong

A benchmark's section is named after it; another run of it takes its place. What goes to stderr (progress) is shown and not kept.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def record(section: str, command: str, printed: str) -> None:
    """Put what a command printed under its section, in place of what it printed before; sections stay in order of name."""
    head, *rest = re.split(r"^## ", RESULTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = dict(part.split("\n", 1) for part in rest)
    lines = printed.rstrip().lstrip("\n")  # a heading may begin with blanks
    sections[section] = f"\n`{command}`\n\n```\n{lines}\n```\n\n"
    parts = [head.strip(), *(f"## {name}\n\n{sections[name].strip()}" for name in sorted(sections))]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Command line: a benchmark and its arguments."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    name, *options = arguments
    module = ["-m", f"benchmarks.{name}", *options]
    lines: list[str] = []
    with subprocess.Popen([sys.executable, *module], stdout=subprocess.PIPE, text=True, encoding="utf-8") as benchmark:
        assert benchmark.stdout is not None
        for line in benchmark.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if benchmark.returncode == 0 and lines:
        record(name, " ".join(["python", *module]), "".join(lines))
    return benchmark.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
