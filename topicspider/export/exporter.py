"""What writes hits in one format, and the fields that a table of them has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol

from topicspider.items import PageItem
from topicspider.store.contract import PageRow
from topicspider.text.csv_escape import escape_formula

FIELDS: tuple[str, ...] = tuple(field.name for field in fields(PageItem))
"""The columns, in their order, as in the feeds of a crawl."""

LONGEST_CELL = 32_767
"""Characters that a cell of Excel holds."""

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0, and with it RSS and Excel's own format, has no room for."""


class Exporter(Protocol):
    """Writes one file, a page after the other, holding only some of them; the file is whole after ``close``."""

    def write(self, row: PageRow) -> None:
        """Add a page."""

    def close(self) -> None:
        """Write the end."""


def cell(value: Any) -> Any:
    """``value`` for a cell of a table: numbers as they are, lists and mappings as text, and no text that Excel would calculate or cannot hold."""
    if isinstance(value, (bool, int, float)):
        return value
    text = escape_formula(plain_text(value))
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def plain_text(value: Any) -> str:
    """``value`` as text: words joined by commas, other data as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, Mapping) and not value:
        return ""
    return json.dumps(value, ensure_ascii=False)
