"""Draws what a terminal shows while `./run demo` crawls, for the READMEs: one SVG a language.

python docs/terminal_picture.py [FOLDER FOR IMAGES]
"""

from __future__ import annotations

import os
import sys
import tempfile
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.terminal import Screen, run_on_terminal
from topicspider.text.terminal import width

COLUMNS, ROW, COLUMN = 88, 20, 8.4
LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}


def svg(lines: list[str]) -> str:
    """The lines on a dark ground; each character stands in its column, whatever the reader's font makes of its width."""
    texts = []
    for row, line in enumerate(lines):
        column, places = 0, []
        for letter in line:
            places.append(f"{16 + column * COLUMN:.1f}")
            column += width(letter)
        text = escape(line.replace(" ", "\u00a0"))
        texts.append(f'<text y="{44 + row * ROW}" x="{" ".join(places)}">{text}</text>')
    size = f'width="{32 + COLUMNS * COLUMN:.0f}" height="{60 + len(lines) * ROW}"'
    style = 'font-family="ui-monospace,Menlo,Consolas,Noto Sans Mono CJK SC,monospace" font-size="14" fill="#d8dee9"'
    ground = '<rect width="100%" height="100%" rx="8" fill="#1d2128"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{ground}{"".join(texts)}</svg>\n'


def shown(screen: Screen) -> list[str]:
    """What stood there when the first crawl had nearly all its pages, below what was typed."""
    first = screen.raw.split("\n== ")[1]
    drawn = first[: first.rindex("\x1b[J", 0, first.rindex("\x1b[J"))]
    return ["$ ./run demo", "", *Screen("== " + drawn).lines]


def main(folder: Path) -> None:
    """Both pictures."""
    for language, locale in LOCALES.items():
        with tempfile.TemporaryDirectory() as data:
            environ = {**os.environ, "LC_ALL": locale, "SCRAPY_SETTINGS_MODULE": "topicspider.settings"}
            environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
            screen = run_on_terminal(["demo"], Path(data), environ, columns=COLUMNS, timeout=300)
            lines = [line.replace(data, "~") for line in shown(screen)]
            (folder / f"terminal-{language}.svg").write_text(svg(lines), encoding="utf-8")


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "img"
    place.mkdir(parents=True, exist_ok=True)
    main(place)
