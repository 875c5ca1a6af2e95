"""Chooses between Chinese and English for what people read in a terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def speaks_chinese(language: str = "auto", environ: Mapping[str, str] = os.environ) -> bool:
    """True for ``zh``, or for ``auto`` when the locale (LC_ALL, LC_MESSAGES, LANG) is Chinese."""
    if language != "auto":
        return language == "zh"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name):
            return value.lower().startswith("zh")
    return False
