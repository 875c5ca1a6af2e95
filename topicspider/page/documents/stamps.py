"""Reads the time stamps of documents' metadata."""

from __future__ import annotations

import re
from datetime import date

_STAMP = re.compile(r"\s*(?:D:)?\s*((?:19|20)\d\d)(?:[-/.:]?([01]\d)(?:[-/.:]?([0-3]\d))?)?")


def day_of_stamp(text: str) -> str:
    """YYYY-MM-DD of ``D:20240501093000+08'00'`` or ``2024-05-01T09:30:00Z``; "" for anything else, also a year alone."""
    found = _STAMP.match(text[:100])
    if not found or not found[2] or not found[3]:
        return ""
    try:
        return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
    except ValueError:
        return ""
