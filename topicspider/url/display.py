"""A URL as it is shown: without its password, and with host and path in their own script."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes, urlsplit

from topicspider.url.canonical import canonicalize
from topicspider.url.host import readable_host


def masked(url: str) -> str:
    """``url`` with ``***`` for its password, wherever that seems to stand."""
    hidden = re.sub(r"((?:pass|password|passwd|passphrase|pwd|secret|token)=)[^&]*", r"\1***", url, flags=re.IGNORECASE)
    if "@" in hidden:
        # up to the last @: a password that was not percent-encoded may hold @, / and :
        return re.sub(r"^([^:]*:?/*[^:@/]*):.*@", r"\1:***@", hidden, flags=re.DOTALL)
    # the rest of an address cut off before its @, unless it is a port
    return re.sub(r"^(\w+:/+[^:/]*):(?!\d+(?:/|$)).+$", r"\1:***", hidden, flags=re.DOTALL)


_NOT_ASCII = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def readable_url(url: str) -> str:
    """``url`` with its host and its path in their own script: http://旅游.example/景点. What does not lead back to ``url`` stays as it is. Never raises."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return url
    head, _, tail = url.partition(host) if host else ("", "", url)
    shown = head + readable_host(host) + _NOT_ASCII.sub(_decoded, tail)
    return shown if canonicalize(shown) == url else url


def _decoded(found: re.Match[str]) -> str:
    """Bytes that are UTF-8 of something that can be seen; others, as those of GBK, stay encoded."""
    try:
        text = unquote_to_bytes(found.group()).decode()
    except UnicodeDecodeError:
        return found.group()
    return text if text.isprintable() and not any(map(str.isspace, text)) else found.group()
