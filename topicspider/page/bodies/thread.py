"""Says whether a page is a thread: the posts of a forum, or a question with its answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def is_thread(url: str, meta: Mapping[str, str], declared: str) -> bool:
    """Whether the address, the software that made the page, or what it declares itself to be, says so."""
    if declared == "forum" or _SOFTWARE.search(meta.get("generator", "")[:_MAX_URL]):
        return True
    return _ADDRESS.search(url[:_MAX_URL]) is not None
