"""A text in both languages of a report."""

from __future__ import annotations

from typing import NamedTuple


class Phrase(NamedTuple):
    """The same sentence or name in English and Chinese."""

    en: str
    zh: str
