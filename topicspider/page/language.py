"""Tells a page's language from the scripts its text is written in, with the declared one for the rest."""

from __future__ import annotations

import re

_SAMPLE = 1500
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_CODE = re.compile(r"[a-z]{2,3}")
_SAME_SCRIPT = {"ru": {"uk", "bg", "sr", "mk", "be", "kk", "mn"}, "ar": {"fa", "ur"}, "hi": {"mr", "ne"}}
_OTHER_SCRIPTS = frozenset({"ja", "zh", "ko", "ru", "el", "ar", "he", "th", "hi"})
_ENGLISH = re.compile(r"\b(?:the|and|of|to|in|is|that|for|with|on|was|are)\b", re.IGNORECASE)


def language_of(text: str, declared: str = "") -> str:
    """The ISO 639-1 code of a text's language, or "" when it cannot be told.

    Scripts decide first (a Chinese page that declares "en" is common); within one script the declared code is
    believed; undeclared Latin text is English when its function words are.
    """
    sample = text[:_SAMPLE]
    found = _CODE.match(declared.lower())
    code = found[0] if found else ""
    latin = len(_LATIN.findall(sample))
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    if counts["ja"] * 12 > counts["zh"] and counts["ja"] > 4:
        counts["ja"] += counts["zh"]
    name = max(counts, key=lambda one: counts[one])
    if counts[name] >= 2 and counts[name] * 3 >= latin:
        return code if code in _SAME_SCRIPT.get(name, ()) else name
    if code and code not in _OTHER_SCRIPTS:
        return code
    return "en" if latin > 20 and len(_ENGLISH.findall(sample)) * 40 > latin else ""
