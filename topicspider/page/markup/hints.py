"""Reads class and id names: the part of a page that they say a container is."""

from __future__ import annotations

import re
from functools import lru_cache

_HINT = re.compile(
    r"(?<![a-z])(?:"
    r"(?P<comment>comments?(?:$|[^a-z])|comment-?(?:list|box|area|wrap|section|form)|disqus|reviews(?:$|[^a-z])|reply|replies|pinglun|liuyan|gentie)"
    r"|(?P<overlay>cookies?(?:$|[^a-z])|cookie-?\w+|consent|gdpr|onetrust|modal(?:$|[^a-z])|popup|overlay|paywall|disclaimer)"
    r"|(?P<nav>(?:top|main|sub|side|global|site)?-?(?:nav|menu|navi|navbar|navigation)(?:$|[^a-z])|(?:nav|menu)-?(?:bar|list|box|wrap)"
    r"|breadcrumbs?|crumbs?(?:$|[^a-z])|daohang|toc(?:$|[^a-z])|table-of-contents|pager(?:$|[^a-z])|pagination|page-?nav|fenye)"
    r"|(?P<footer>foot(?:$|[^a-z])|footer|copyright|banquan|beian)"
    r"|(?P<aside>side-?bar|side(?:$|[^a-z])|related?(?:$|[^a-z])|related-?\w+|recommend|hot-?(?:news|list|article)|rank(?:$|[^a-z]|list|ing)|widgets?(?:$|[^a-z])"
    r"|share(?:$|[^a-z]|bar|box)|social(?:$|[^a-z])|bdshare|adverts?|ads?(?:$|[^a-z])|banner|subscribe(?:$|[^a-z])|newsletter|promo(?:$|[^a-z])"
    r"|sponsor|outbrain|taboola|xiangguan|tuijian|paihang|link-?box|toolbar|login(?:$|[^a-z])|shengming"
    r"|user-?(?:info|detail|data|card|meta|panel|profile)|author-?(?:info|data|block|box|bio|card|detail|meta)|popover|tooltip|dropdown|badges?(?:$|[^a-z])"
    r"|post-?(?:meta|date|signature|controls|actions)|entry-?meta|article-?meta|(?:m|video-?|audio-?|music-?)?player|voting"
    r"|(?:notice|credit|vote|rating|poll|reaction|signature)s?(?:$|[^a-z])))",
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=8192)
def hint_of(names: str) -> tuple[str, str]:
    """(the zone that class and id names point to: nav, footer, aside, overlay, comment; the word that says so), or two empty strings."""
    found = _HINT.search(_HUMP.sub("-", names).lower())
    return (found.lastgroup or "", found[0]) if found else ("", "")
