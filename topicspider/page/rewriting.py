"""Rewrites markup that would take long to parse (endless attributes, deep nesting, floods of tags), so that any page takes bounded time."""

from __future__ import annotations

import html
import re

MAX_TAGS = 24_000
"""Most tags, comments and bare "<" of a rewritten page; what follows them is dropped."""

MAX_DEPTH = 256
MAX_ATTRIBUTES = 64

_ORDINARY_TAGS = 6_000
"""Markup with at most so many "<" is parsed as it is: even nested to the end it takes 0.06 s."""

_ONE = r"""[\s/]*+[^\s/><][^\s/><=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'><][^\s><]*+)|(?!\s*+=))"""
_ABSURD = re.compile(rf"<[a-zA-Z][^\s/><]*+(?>{_ONE}){{{MAX_ATTRIBUTES + 1}}}")
"""A tag with too many attributes and no "<" among them. The search starts at every "<", so that no quote, comment or script hides one;
it is linear, as each match ends at the next "<" outside of quotes."""
_CUT_SHORT = re.compile(rf"(?P<name><[a-zA-Z][^\s/><]*+)(?>{_ONE}){{0,{MAX_ATTRIBUTES}}}+[\s/]*+(?==?<)")
"""A tag that contains a "<" outside of quotes: rarely a real tag, often a comparison in a script."""
_SUSPECT = re.compile(rf"<[a-zA-Z][^\s/><]*+(?>{_ONE}){{0,{MAX_ATTRIBUTES}}}+(?:(?>{_ONE})|[\s/]*+(?==?<))")
"""Matches where either of the two does; most pages have neither and are searched only once."""
_ANY_ONE = re.compile(
    r"""[\s/]*+[^\s/>][^\s/>=]{0,200}+(?:\s*+=\s*+(?:"[^"]{0,2000}+"|'[^']{0,2000}+'|[^\s"'>][^\s>]{0,2000}+)?)?"""
)

_TOKEN = re.compile(
    r"<!--.*?(?:-->|$(?![\s\S]))|<[!?][^>]*+>?|<(?P<raw>script|style|xmp|iframe|noembed|noframes|textarea|title|noscript)\b"
    r"|<(?P<open>[a-zA-Z][\w:-]{0,30})|</(?P<close>[a-zA-Z][\w:-]{0,30})[^>]{0,200}>?|<(?:<+(?![a-zA-Z/!?]))?",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>="'<]{1,40})(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>][^\s>]*)?)?|[\s/]*["'=<]""")


_VOID = frozenset(["area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"])  # fmt: skip
_CLOSES_ITSELF = frozenset(
    ["a", "p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead", "tfoot", "body", "html", "head"]
)


def bounded(text: str) -> str:
    """``text`` (at most 1,500,000 characters, without NUL) as it is when it is ordinary, else rewritten; linear time."""
    text = text[:1_500_000].replace("\0", "")
    is_absurd = _SUSPECT.search(text) and (_ABSURD.search(text) or _is_absurd_when_cut(text))
    return _Rewriting().run(text) if is_absurd or text.count("<") > _ORDINARY_TAGS else text


def _is_absurd_when_cut(text: str) -> bool:
    """Whether a tag with "<" among its attributes has too many; attributes are recounted from a later tag only if that yields more."""
    most: dict[int, int] = {}
    for tag in _CUT_SHORT.finditer(text):
        position, count = tag.end("name"), 0
        while (found := _ANY_ONE.match(text, position)) and most.get(found.end(), -1) < count:
            position, count = found.end(), count + 1
            most[position] = count - 1
            if count > MAX_ATTRIBUTES:
                return True
    return False


class _Rewriting:
    """Rewrites markup in one linear pass, so that only one parse is possible."""

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
        elif token[0][1:2] not in ("!", "?"):  # comments; the document type and <?xml …> are read as such
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
        """(the first attributes, rewritten; the position behind the tag); a tag keeps MAX_ATTRIBUTES, after 40,000 in the page only 8."""
        kept: list[str] = []
        most = MAX_ATTRIBUTES if self.attributes < 40_000 else 8
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
    # character references stay as they are: the parser decides whether &section or &copy, without ";", is one
    return f' {name}="{html.escape(value[:2_000]).replace("&amp;", "&")}"'
