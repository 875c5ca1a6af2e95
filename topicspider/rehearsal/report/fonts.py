"""Finds a font of this machine that can write Chinese, for pictures whose text must be drawn."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PROBE = "旅游页"
_FILES = re.compile(
    r"noto.*(cjk|sc\b|hans)|wqy|wenquanyi|source.?han|simhei|simsun|msyh|deng|pingfang|hiragino.*gb|stheiti|songti|"
    r"arphic|uming|ukai|droidsansfallback|arial.?unicode|lxgw|sarasa|hei|han",
    re.IGNORECASE,
)  # fmt: skip
_PREFERRED = ("sans", "hei", "msyh", "pingfang", "wqy")
_USUAL = ("regular", "medium", "normal")


def chinese_font(candidates: Iterable[str] | None = None) -> Path | None:
    """A font file with the commonest characters of our labels, None when there is none.

    Looks where the system keeps fonts (fontconfig's answer included), at files whose names are those of fonts with Chinese, sans-serif
    and regular ones first; each is opened, as names promise what files do not always hold.
    """
    if candidates is None:
        from matplotlib.font_manager import findSystemFonts

        candidates = findSystemFonts()
    likely = sorted((path for path in map(Path, candidates) if _FILES.search(path.stem)), key=_order)
    return next((path for path in likely if _writes_chinese(path)), None)


def _order(path: Path) -> tuple[bool, bool, str]:
    name = path.stem.lower()
    return not any(one in name for one in _PREFERRED), not any(one in name for one in _USUAL), str(path)


def _writes_chinese(path: Path) -> bool:
    from matplotlib.ft2font import FT2Font

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            characters = FT2Font(str(path)).get_charmap()
    except (RuntimeError, OSError, ValueError):  # not a font, not readable, a format that is not known
        return False
    return all(ord(character) in characters for character in _PROBE)
