"""Reads the vendored test data: html5lib's tree-construction and encoding cases, and the naughty strings."""

from __future__ import annotations

import json
import re
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
_NAUGHTY = ("blns.json", "blns-2020.json")
_SECTION = re.compile(rb"^#(data|errors|new-errors|document-fragment|script-o\w+|document|encoding)\n", re.MULTILINE)


def _cases(path: Path) -> list[dict[str, bytes]]:
    cases: list[dict[str, bytes]] = []
    parts = _SECTION.split(path.read_bytes())[1:]
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        if name == b"data":
            cases.append({})
        cases[-1].setdefault(name.decode(), content.removesuffix(b"\n"))
    return cases


def tree_construction() -> dict[str, bytes]:
    """Markup by file and number."""
    files = sorted((DATA / "html5lib-tests/tree-construction").rglob("*.dat"))
    return {
        f"{file.parent.name}/{file.stem}-{number}": case["data"]
        for file in files
        for number, case in enumerate(_cases(file))
    }


def encodings() -> dict[str, tuple[bytes, str]]:
    """(markup, the encoding a browser takes), by file and number."""
    files = sorted((DATA / "html5lib-tests/encoding").glob("*.dat"))
    return {
        f"{file.stem}-{number}": (case["data"], case["encoding"].decode().strip().lower())
        for file in files
        for number, case in enumerate(_cases(file))
    }


def naughty_strings() -> list[str]:
    """The big list of naughty strings, as two packages have it, each string once."""
    lists = (json.loads((DATA / "naughty-strings" / name).read_text(encoding="utf-8")) for name in _NAUGHTY)
    return list(dict.fromkeys(text for some in lists for text in some))
