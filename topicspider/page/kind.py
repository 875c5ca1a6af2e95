"""Says what kind of page it is: article, list, forum, product or document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.jsonld import kind_of

if TYPE_CHECKING:
    from topicspider.page.reading import Reading

_FORUM = re.compile(
    r"(?<![a-z])(?:forum|bbs|thread|viewtopic|showthread|topic|discuz|phpbb|luntan)(?![a-z])", re.IGNORECASE
)
_OG_KINDS = {"article": "article", "news": "article", "blog": "article", "product": "product", "book": "product"}
_MOSTLY_LINKS = 0.5
_A_TEXT = 600
"""Bytes of body (200 Chinese characters, 100 English words) from which a page is read rather than clicked."""


def type_of(reading: Reading, objects: list[dict[str, object]], body: str, url: str, is_html: bool) -> str:
    """The kind, by the first rule that fits:

    no HTML: document; a forum's address or markup and several posts: forum; a body shorter than 600 bytes, or
    links over half of the text and five times the body: list; JSON-LD, then og:type; else article when there
    is a body, list when there are links, document when there is neither.
    """
    if not is_html:
        return "document"
    declared = kind_of(objects)
    if declared == "forum" or (declared == "" and _FORUM.search(url) and _posts(reading) >= 2):
        return "forum"
    declared = declared or _OG_KINDS.get(reading.meta.get("og:type", "").lower().partition(".")[0], "")
    size = len(body.encode("utf-8", "ignore"))
    linked = sum(block.linked for block in reading.blocks)
    if declared in ("product", "list"):
        return declared
    if linked > _MOSTLY_LINKS * len(reading.text) and (size < _A_TEXT or linked > 5 * len(body)):
        return "list"
    if declared or size >= _A_TEXT / 4:
        return declared or "article"
    return "list" if len(reading.anchors) >= 10 else "document"


def _posts(reading: Reading) -> int:
    """Containers that look like one post of a thread."""
    return sum(
        1 for container in reading.containers if "post" in container.names.lower() or "reply" in container.names.lower()
    )
