"""Picks two or three sentences that stand for a text."""

from __future__ import annotations

import re

MAX_SUMMARY = 300
_LOOKED_AT = 4000
_SENTENCE = re.compile(r"[^。！？!?…；\n.]*(?:[。！？!?…；]+[”’」』）)\"]*|\.(?=\s|$)[”’\")]*|\.|\n|$)")


def sentences(text: str) -> list[str]:
    """The sentences of a text, Chinese and Latin; a line break ends one, a dot within a number or a name does not."""
    parts: list[str] = []
    open_part = ""
    for found in _SENTENCE.finditer(text):
        piece = found[0]
        if not piece:
            continue
        open_part += piece
        if piece[-1] != "." or _ends_here(text, found.end()):
            parts.append(open_part.strip())
            open_part = ""
    parts.append(open_part.strip())
    return [part for part in parts if part]


def summary_of(body: str, title: str = "") -> str:
    """At most three sentences and MAX_SUMMARY characters: the first ones that say something besides the title."""
    chosen: list[str] = []
    size = 0
    for sentence in sentences(body[:_LOOKED_AT]):
        if len(sentence.encode("utf-8", "ignore")) < 24 or sentence.strip("。.!！?？") == title:
            continue
        if chosen and size + len(sentence) > MAX_SUMMARY:
            break
        chosen.append(sentence)
        size += len(sentence)
        if len(chosen) == 3:
            break
    return _joined(chosen or [body[:_LOOKED_AT]])


def _joined(chosen: list[str]) -> str:
    text = ""
    for sentence in chosen:
        text += (" " if text and text[-1].isascii() else "") + " ".join(sentence.split())
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"


def _ends_here(text: str, end: int) -> bool:
    """Whether a full stop before ``end`` ends a sentence: a space and no small letter follows."""
    following = text[end : end + 2]
    return not following or (following[0].isspace() and not following[1:].islower())
