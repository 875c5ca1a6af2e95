"""Picks two or three sentences that stand for a text."""

from __future__ import annotations

import re
from heapq import nlargest
from math import sqrt
from typing import TYPE_CHECKING

from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SUMMARY = 300
_SENTENCES = 3
_SHORTEST = 24
"""Bytes: eight Chinese characters."""
_LOOKED_AT = 4000
_MOST_LOOKED_AT = 60
_MOST_WORDS = 200
_LEAD = 0.97
_LEADS = 30
"""A sentence is worth 3 % less for each one before it, up to 30: what a text is about, it tends to say first."""
_A_SENTENCE = 20
_LATIN = re.compile(r"[a-z0-9]+")
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


def summary_of(body: str, title: str = "", weights: Mapping[str, float] | None = None) -> str:
    """At most three sentences and MAX_SUMMARY characters, in the order of the text.

    Without ``weights`` they are the first ones that say something besides the title. ``weights`` are a topic's words, as
    ``text.normalise`` writes them: then those that say most of the topic, a word counting half as much each time it comes
    again, and earlier sentences before later ones; the first ones when no sentence has a word of it.
    """
    telling = [s for s in sentences(body[:_LOOKED_AT]) if _tells(s, title)][:_MOST_LOOKED_AT]
    chosen = _on_topic(telling, weights) if weights else []
    return _joined(chosen or _first(telling) or [body[:_LOOKED_AT]])


def _tells(sentence: str, title: str) -> bool:
    return len(sentence.encode("utf-8", "ignore")) >= _SHORTEST and sentence.strip("。.!！?？") != title


def _first(telling: list[str]) -> list[str]:
    chosen: list[str] = []
    size = 0
    for sentence in telling:
        if chosen and size + len(sentence) > MAX_SUMMARY:
            break
        chosen.append(sentence)
        size += len(sentence)
        if len(chosen) == _SENTENCES:
            break
    return chosen


def _on_topic(telling: list[str], weights: Mapping[str, float]) -> list[str]:
    """The sentences that say most of the topic, greedily; [] when none says anything."""
    words = dict(nlargest(_MOST_WORDS, weights.items(), key=lambda item: (item[1], item[0])))
    found = _words_in(telling, words)
    chosen: list[int] = []
    size = 0
    while len(chosen) < _SENTENCES:
        fitting = [i for i, s in enumerate(telling) if i not in chosen and (not chosen or size + len(s) <= MAX_SUMMARY)]
        gains = {i: _gain(found[i], words, len(telling[i])) * _LEAD ** min(i, _LEADS) for i in fitting}
        best = max(gains, key=gains.__getitem__, default=-1)
        if best < 0 or gains[best] <= 0:
            break
        chosen.append(best)
        size += len(telling[best])
        for word in found[best]:
            words[word] /= 2
    return [telling[index] for index in sorted(chosen)]


def _gain(found: list[str], words: Mapping[str, float], length: int) -> float:
    """What a sentence says of the topic; long ones have more words by chance."""
    return sum(words[word] for word in found) / sqrt(max(_A_SENTENCE, length))


def _words_in(telling: list[str], words: Mapping[str, float]) -> list[list[str]]:
    """Of each sentence those of ``words`` that stand in it: Latin ones as whole words."""
    texts = [normalise(sentence) for sentence in telling]
    whole = "\n".join(texts)
    some = [(word, _LATIN.fullmatch(word) is not None) for word in words if word and word in whole]
    latin = [set(_LATIN.findall(text)) if any(is_latin for _, is_latin in some) else set() for text in texts]
    return [
        [word for word, is_latin in some if (word in own if is_latin else word in text)]
        for text, own in zip(texts, latin, strict=True)
    ]


def _joined(chosen: list[str]) -> str:
    text = ""
    for sentence in chosen:
        text += (" " if text and text[-1].isascii() else "") + " ".join(sentence.split())
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"


def _ends_here(text: str, end: int) -> bool:
    """Whether a full stop before ``end`` ends a sentence: a space and no small letter follows."""
    following = text[end : end + 2]
    return not following or (following[0].isspace() and not following[1:].islower())
