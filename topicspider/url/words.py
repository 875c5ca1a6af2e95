"""The words that stand in a URL, the cheapest hint at what lies behind it."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

_SEPARATOR = re.compile(r"[/?&=;#]+")
# a run of one kind: CamelCase and ABBREVIATIONWord part at the right place; digits and punctuation part words
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zß-öø-ÿ]+|[^\W\d_A-Za-z]+")
_ENDING = re.compile(r"\.(?:x?html?|shtml|php\d?|aspx?|jspx?|jhtml|do|action|cgi)\Z", re.IGNORECASE)


def words_in_url(url: str) -> list[str]:
    """The words of path and query, lower case, in order, at most 64.

    Percent-encoded text is decoded as UTF-8, else as GBK (older Chinese sites). Words part at
    punctuation, digits and changes of case; single Latin letters and file endings say nothing and are
    left out. A run of ideographs is one piece, to be cut by a segmenter; pinyin stays as it is (lvyou).
    """
    path = url.partition("://")[2].partition("#")[0]
    start = min((i for i in map(path.find, "/?") if i >= 0), default=len(path))
    words: list[str] = []
    for piece in _SEPARATOR.split(path[start:]):
        if not piece.isdigit():
            words += _words_of_piece(piece)
        if len(words) >= 64:
            break
    return words[:64]


@lru_cache(maxsize=10_000)
def _words_of_piece(piece: str) -> tuple[str, ...]:
    """Addresses of one site repeat their folders and the names of their parameters."""
    text = _ENDING.sub("", _decoded(piece))
    return tuple([word.lower() for word in _WORD.findall(text) if len(word) > 1 or not word.isascii()])


def _decoded(piece: str) -> str:
    if "%" not in piece:
        return piece.replace("+", " ")
    raw = unquote_to_bytes(piece.replace("+", " ").encode("utf-8", "replace"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", "replace").replace("\ufffd", " ")
