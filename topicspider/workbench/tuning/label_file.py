"""Reads labels from a CSV file: a URL or a text a row, with yes or no."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from topicspider.errors import ConfigError
from topicspider.url.canonical import canonicalize

MAX_BYTES = 64 << 20
YES = frozenset({"yes", "y", "1", "true", "t", "on", "+", "是", "对", "是的", "相关"})
NO = frozenset({"no", "n", "0", "false", "f", "off", "-", "否", "不", "不是", "错", "无关"})
COLUMNS = ("url", "text", "title", "body", "label")
_ALLOWED = "a CSV file of rows URL,yes or TEXT,no (headers: url or text or title and body, and label)"


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled URL or text."""

    on_topic: bool
    url: str = ""
    title: str = ""
    body: str = ""


def read_labels(name: str) -> list[Row]:
    """The rows of a file in UTF-8, or in GB 18030 as spreadsheets of China write it; ConfigError names the line of what is wrong."""
    reader = csv.reader(io.StringIO(_text(name), newline=""))
    columns: list[str] | None = None
    rows = []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if columns is None:
                columns = _columns(cells)
                if columns == [cell.lower() for cell in cells]:
                    continue
            rows.append(_row(dict(zip(columns, cells, strict=False)), f"{name}:{reader.line_num}"))
    except csv.Error as error:
        raise ConfigError("--labels", f"{name}:{reader.line_num}", _ALLOWED, str(error)) from None
    if not rows:
        raise ConfigError("--labels", name, _ALLOWED, "There is no row in it")
    return rows


def _text(name: str) -> str:
    path = Path(name).expanduser()
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ConfigError("--labels", name, _ALLOWED, getattr(error, "strerror", "") or str(error)) from None
    if len(content) > MAX_BYTES:
        raise ConfigError("--labels", name, f"a file of at most {MAX_BYTES >> 20} MB")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ConfigError("--labels", name, _ALLOWED, "It is neither UTF-8 nor GB 18030")


def _columns(first: list[str]) -> list[str]:
    """The names in the first row, or those that a file without names has."""
    names = [cell.lower() for cell in first]
    if "label" in names and set(names) & {"url", "text", "title", "body"}:
        return names
    return ["text", "label"]


def _row(cells: dict[str, str], where: str) -> Row:
    label = cells.get("label", "").lower()
    if label not in YES | NO:
        raise ConfigError("--labels", f"{where}: {label}", "yes or no, 1 or 0, 是 or 否, in the column `label`")
    text, title, body = (cells.get(name, "") for name in ("text", "title", "body"))
    address = cells.get("url", "") or (text if text.startswith(("http://", "https://")) else "")
    url = canonicalize(address) if address else ""
    if url is None:
        raise ConfigError("--labels", f"{where}: {address}", "an http:// or https:// URL")
    if text == address:
        text = ""
    if not (url or text or title or body):
        raise ConfigError("--labels", where, "a URL or a text in every row")
    return Row(label in YES, url, title or text, body)
