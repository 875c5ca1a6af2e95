"""Makes texts fit for fields: one line, bounded, nothing that UTF-8 or a terminal chokes on."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def one_line(text: str, longest: int) -> str:
    """``text`` with single spaces, without control characters and lone surrogates, cut to ``longest`` characters."""
    return safe(" ".join(text[: 4 * longest].split()))[:longest].strip()


def safe(text: str) -> str:
    """``text`` without control characters (line breaks and tabs stay), marks of direction and lone surrogates."""
    return _UNSAFE.sub("", text) if _UNSAFE.search(text) else text
