"""Tells threads (the posts of a forum, a question with its answers) from other pages, and posts from what frames them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.page.markup.reading import Reading

_MAX_URL = 500
_ADDRESS = re.compile(
    r"(?<![a-z])(?:forums?|foren|foro|foros|forumas|boards?|bbs|threads?|viewtopic|viewthread|showthread|showtopic|topics?|discuss|discussions?|questions?"
    r"|answers?|community|luntan|tieba|wenda|zhidao|ask|faq|qa|tid)(?![a-z])|/(?:t|d|q)/(?:[^/]{1,100}/)?\d",
    re.IGNORECASE,
)
_SOFTWARE = re.compile(
    r"discuz|phpbb|phpwind|vbulletin|xenforo|discourse|flarum|nodebb|mybb|invision|simple machines|vanilla forum|question2answer|asgaros|bbpress",
    re.IGNORECASE,
)
_FRAME = 60
"""Characters of the lines that may frame a post: 发表于 …, 回复, what the author has."""
_NUMBER = re.compile(r"\d+")
_MOMENT = re.compile(r"(?:19|20)\d\d.{0,20}\d\d?:\d\d")


def is_thread(url: str, meta: Mapping[str, str], declared: str) -> bool:
    """Whether the address, the software that made the page, or what it declares itself to be, says so."""
    if declared == "forum" or _SOFTWARE.search(meta.get("generator", "")[:_MAX_URL]):
        return True
    return _ADDRESS.search(url[:_MAX_URL]) is not None


def frames_of(reading: Reading) -> list[bool]:
    """Of each block, whether it is the frame of a post: a short line that others repeat but for its numbers, or one with a moment."""
    lines = [
        _NUMBER.sub("0", reading.block_text(block)).strip() if block.end - block.start <= _FRAME else ""
        for block in reading.blocks
    ]
    counts = Counter(lines)
    return [
        bool(line) and (counts[line] > 1 or _MOMENT.search(reading.block_text(block)) is not None)
        for line, block in zip(lines, reading.blocks, strict=True)
    ]
