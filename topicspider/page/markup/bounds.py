"""Keeps markup within what the parser reads in linear time, before it is parsed.

lexbor needs quadratic time for many attributes in one tag (349 kB: 4.7 s) and for deep nesting (100,000 open
divs: 21 s); libxml2 needs 13.6 s and loses the links. An ordinary page passes a few cheap counts and one
search unchanged; anything else is rewritten by a linear scan whose output has one reading only: few quoted
attributes, bounded depth, no scripts, no comments.
"""

from __future__ import annotations

import html
import re

MAX_CHARS = 1_500_000
MAX_TAGS = 24_000
"""Tags, comments and bare "<" of a rewritten page; what follows the last of them is not read."""

MAX_DEPTH = 256
MAX_ATTRIBUTES = 64
_MANY_ATTRIBUTES = 40_000
_FEW_ATTRIBUTES = 8
"""After so many attributes in a page, a tag keeps its first few."""

MAX_NODES = 60_000
MAX_TEXT = 1_000_000
MAX_ANCHORS = 20_000
MAX_HREFS = 800_000
"""Bounds of the walk. Addresses count together, as they are percent-encoded: 2,000 links of 400 characters, 0.1 µs a character."""

_MAX_VALUE = 2_000
_ORDINARY_TAGS = 6_000
"""Markup with fewer "<" is parsed as it is: even nested to the end it costs 0.06 s."""

_ONE = r"""[\s/]*+[^\s/>][^\s/>=]{0,200}+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]{0,2000}+)|(?!\s*+=))"""
_ABSURD = re.compile(rf"<[a-zA-Z][^\s/>]{{0,200}}+(?>{_ONE}){{{MAX_ATTRIBUTES + 1}}}")
"""A tag with too many attributes. Searched from every "<" on its own, so that no quote, comment or script hides one;
the bounds keep the search linear (at most MAX_ATTRIBUTES passes over any character)."""

_TOKEN = re.compile(
    r"<!--.*?(?:-->|$(?![\s\S]))|<(?P<raw>script|style|xmp|iframe|noembed|noframes|textarea|title|noscript)\b"
    r"|<(?P<open>[a-zA-Z][\w:-]{0,30})|</(?P<close>[a-zA-Z][\w:-]{0,30})[^>]{0,200}>?|<(?:<+(?![a-zA-Z/!]))?",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>="'<]{1,40})(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>][^\s>]*)?)?|[\s/]*["'=<]""")


def _names(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


_VOID = _names("area base br col embed frame hr img input link meta param source track wbr")
_CLOSES_ITSELF = _names("a p li td th tr dt dd option tbody thead tfoot body html head")


def bounded(text: str) -> str:
    """``text`` itself when it is ordinary, else its rewriting; NUL characters are dropped; linear time."""
    text = text[:MAX_CHARS].replace("\0", "")
    if text.count("<") <= _ORDINARY_TAGS and not _ABSURD.search(text):
        return text
    return _Rewriting().run(text)


class _Rewriting:
    """One linear pass that writes markup with one reading only."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.open: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        self.depth = 0
        self.tags = 0
        self.attributes = 0

    def run(self, text: str) -> str:
        position = 0
        while (token := _TOKEN.search(text, position)) and self.tags < MAX_TAGS:
            self._text(text[position : token.start()])
            position = self._token(text, token)
        if self.tags < MAX_TAGS:
            self._text(text[position:])
        return "".join(self.out)

    def _token(self, text: str, token: re.Match[str]) -> int:
        self.tags += 1
        if token["raw"]:
            return self._raw(text, token["raw"].lower(), token.end())
        if token["open"]:
            return self._start(text, token["open"].lower(), token.end())
        if token["close"]:
            self._end(token["close"].lower())
        elif not token[0].startswith("<!"):
            self.out.append("&lt;")  # a bare "<", or a run of them
        return token.end()

    def _text(self, text: str) -> None:
        self.out.append(text.replace("<", "&lt;"))

    def _start(self, text: str, name: str, position: int) -> int:
        attributes, position = self._attributes(text, position)
        if name not in _VOID and name not in _CLOSES_ITSELF:
            if self.depth >= MAX_DEPTH:
                self.dropped[name] = self.dropped.get(name, 0) + 1
                return position
            self.open[name] = self.open.get(name, 0) + 1
            self.depth += 1
        self.out.append(f"<{name}{attributes}>" if name != "plaintext" else "<pre>")
        return position

    def _end(self, name: str) -> None:
        if self.dropped.get(name, 0):
            self.dropped[name] -= 1
            return
        if self.open.get(name, 0):
            self.open[name] -= 1
            self.depth -= 1
        elif name not in _CLOSES_ITSELF:
            return
        self.out.append(f"</{name}>")

    def _attributes(self, text: str, position: int) -> tuple[str, int]:
        """(the first attributes written anew, the position behind the tag's end)."""
        kept: list[str] = []
        most = MAX_ATTRIBUTES if self.attributes < _MANY_ATTRIBUTES else _FEW_ATTRIBUTES
        while len(kept) < most and (found := _ATTRIBUTE.match(text, position)):
            position = found.end()
            if found[1]:
                kept.append(_attribute(found[1], found[2] or ""))
        self.attributes += len(kept)
        end = text.find(">", position)
        return "".join(kept), len(text) if end < 0 else end + 1

    def _raw(self, text: str, name: str, position: int) -> int:
        attributes, position = self._attributes(text, position)
        end = re.compile(rf"</{name}", re.IGNORECASE).search(text, position)
        stop = end.start() if end else len(text)
        inside = text[position : min(stop, position + 200_000)]
        if name == "title":
            self.out.append(f"<title>{inside.replace('<', '&lt;')}</title>")
        elif name == "script" and "ld+json" in attributes:
            self.out.append(f"<script{attributes}>{inside.replace('<!--', '')}</script>")
        elif name == "iframe":
            self.out.append(f"<iframe{attributes}></iframe>")
        return stop


def _attribute(name: str, value: str) -> str:
    if value[:1] in "\"'":
        value = value[1:-1]
    value = html.unescape(value[:_MAX_VALUE])
    return f' {name}="{html.escape(value)}"'
