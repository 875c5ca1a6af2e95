"""Writes the simple, bounded HTML that a document is converted to, with its declared metadata; checks declared titles and authors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Self

from topicspider.page.dates import day_of
from topicspider.page.documents.document import MAX_TEXT
from topicspider.url import MAX_LENGTH

_HALF = re.compile("[\ud800-\udfff]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_KEY = re.compile(r"[\W_]+")
_NO_TITLE = re.compile(
    r"(?:untitled|no title|title|document|doc|new document|无标题|未命名|文档|新建|默认|标题|幻灯片|演示文稿|powerpoint|slide|layout|print|print job|scan|扫描|pdf|cover)?[\W\d_]*\Z"
    r"|.*\.(?:docx?|xlsx?|pptx?|wps|rtf|pdf|indd|qxd|qxp|tex|dvi|ps|p65|fm|cdr|ai|html?|txt|tmp)\W*\Z|microsoft \w+ - |[a-z]:\\|file:",
    re.IGNORECASE,
)
"""Titles made up by programs: file names, 无标题, "Microsoft Word - …", digits only."""
_NO_AUTHOR = re.compile(
    r"(?:administrator|admin|user|users|owner|author|default|unknown|anonymous|root|microsoft|microsoft office user|microsoft corporation"
    r"|windows|windows user|微软用户|微软中国|微软|用户|管理员|作者|匿名|未知|无|雨林木风|番茄花园|深度|china|pc|hp|dell|lenovo|asus|acer|test)?[\W\d_]*\Z",
    re.IGNORECASE,
)
"""What office programs and cloned installations put in place of an author's name."""

Piece = tuple[str, str]
"""(text, the address that it links to, or "")."""


@dataclass(slots=True)
class About:
    """A document's metadata; dates as YYYY-MM-DD."""

    title: str = ""
    author: str = ""
    published: str = ""
    modified: str = ""
    keywords: str = ""
    description: str = ""

    @classmethod
    def of(cls, said: Mapping[str, str]) -> Self:
        """From metadata named as in Dublin Core (creator, created) or PDF (author, creationdate), in lower case."""
        return cls(
            said.get("title", ""),
            author_among(said.get("creator") or said.get("author", "")),
            day_of_stamp(said.get("created") or said.get("date") or said.get("creationdate", "")),
            day_of_stamp(said.get("modified") or said.get("moddate", "")),
            said.get("keywords") or said.get("subject", ""),
            said.get("description", ""),
        )


class Markup:
    """Collects blocks of HTML in order until ``is_full``; later blocks are dropped."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = MAX_TEXT
        self._links = 0

    @property
    def is_full(self) -> bool:
        return self._left <= 0 or len(self._parts) >= 20_000

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter and no digit in the text."""
        return not any(any(c.isalnum() for c in re.sub("<[^>]*>", "", part)) for part in self._parts)

    def block(self, tag: str, pieces: Iterable[Piece]) -> None:
        """Adds one block of text with its links; an empty one is dropped."""
        if self.is_full:
            return
        parts = [part for text, href in pieces if (part := self._piece(text, href))]
        if parts:
            self._parts.append(f"<{tag}>{''.join(parts)}</{tag}>\n")

    def written(self, about: About) -> bytes:
        """The whole page in UTF-8, with the metadata in its head and the title as first heading."""
        title = one_line(about.title)
        names = {
            "author": about.author,
            "article:published_time": about.published,
            "article:modified_time": about.modified,
            "keywords": about.keywords,
            "description": about.description,
        }
        metas = [f'<meta name="{name}" content="{escape(one_line(text))}">' for name, text in names.items() if text]
        head = f'<meta charset="utf-8"><title>{escape(title)}</title>{"".join(metas)}'
        heading = f"<h1>{escape(title)}</h1>\n" if title else ""
        return f"<!DOCTYPE html><html><head>{head}</head><body>\n{heading}{''.join(self._parts)}</body></html>".encode()

    def _piece(self, text: str, href: str) -> str:
        text = printable(text)[: max(0, self._left)]
        self._left -= len(text)
        if href and self._links < 2_000 and (target := web_address(href)):
            self._links += 1
            return f'<a href="{escape(target)}">{escape(text, quote=False)}</a>'
        return escape(text, quote=False) if text.strip() or text == " " else ""


def web_address(href: str) -> str:
    """``href`` if it is an http or https address, else "": a crawl cannot follow a document's internal links."""
    href = printable(href.strip())
    return href if len(href) <= MAX_LENGTH and href[:8].lower().startswith(("http://", "https://")) else ""


def title_among(declared: str, largest: str, text: str) -> str:
    """The title of a document that declares ``declared``, whose first page has ``largest`` in its largest letters.

    The declared one wins when it stands in the first page's ``text`` (or when that has no large letters); else the
    largest text; "" when there is neither.
    """
    declared, largest = one_line(mended(declared)), one_line(largest)[:150]
    key, seen, large = key_of(declared), key_of(text[:20_000]), key_of(largest)
    if _NO_TITLE.match(declared) or len(key) < 2:
        return largest
    if largest and key in large:
        return largest if len(large) <= 2 * len(key) else declared
    return declared if key in seen or len(large) < 4 else largest


def author_among(declared: str) -> str:
    """The author, or "" for a program's name or a placeholder such as "user"."""
    author = one_line(mended(declared))
    return "" if _NO_AUTHOR.match(author) or "://" in author else author


def mended(text: str) -> str:
    """Repairs Chinese text in GBK that was read as Latin-1; other text is returned unchanged."""
    try:
        raw = text.encode("latin-1")
        chinese = raw.decode("gb18030")
    except UnicodeError:
        return text
    high = sum(byte > 0x7F for byte in raw)
    is_chinese = high >= 4 and sum("\u4e00" <= c <= "\u9fff" for c in chinese) * 2 >= high * 0.8
    return chinese if is_chinese else text


def key_of(text: str) -> str:
    """``text`` for comparison: only letters and digits, casefolded."""
    return _KEY.sub("", text).casefold()


def day_of_stamp(text: str) -> str:
    """YYYY-MM-DD of ``D:20240501093000+08'00'`` or ``2024-05-01T09:30:00Z``; "" for anything else, also a year alone."""
    stamp = text.strip().removeprefix("D:").strip()
    return day_of(stamp[:8]) or day_of(stamp[:10])


def printable(text: str) -> str:
    """``text`` without control characters, noncharacters and lone surrogates; surrogate pairs are joined."""
    if _HALF.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _UNPRINTABLE.sub("", text)


def one_line(text: str) -> str:
    """``text`` on one line, at most 1,000 characters."""
    return " ".join(printable(text[:4_000]).split())[:1_000]
