"""Turns an EPUB book into markup: its chapters in reading order, without scripts, pictures and inner links."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topicspider.page.decode import decode
from topicspider.page.documents.archive import Archive
from topicspider.page.documents.document import Failure, Unreadable
from topicspider.page.documents.markup import About, Markup, title_among, web_address
from topicspider.page.parse import bounded
from topicspider.page.xml_elements import attribute, elements, local_name, text_within

_REMOVED = (
    *("script", "style", "link", "nav", "svg", "math", "template", "noscript"),
    *("iframe", "object", "embed", "audio", "video", "img", "form", "rt", "rp"),
)
_INLINE = ("span", "font", "b", "i", "em", "strong", "small", "big", "u", "sup", "sub", "ruby")
"""Unwrapped: a book may have more of them than a page may have tags."""
_H1 = re.compile(r"<(/?)h1\b", re.IGNORECASE)


def markup_of(body: bytes, is_spent: Callable[[], bool]) -> bytes:
    """The markup of an EPUB; raises Unreadable."""
    archive = Archive(body)
    roots = [attribute(root, "full-path") for root in elements(archive.read("META-INF/container.xml"), "{*}rootfile")]
    package = _Package(archive.read(roots[0][:1_000]) if roots else b"")
    if not package.is_one:
        raise Unreadable(Failure.DAMAGED)
    chapters = [_member(roots[0], href) for href in package.chapters]
    markup = Markup()
    for chapter in chapters:
        if markup.is_full or is_spent():
            break
        _write_chapter(markup, archive.read(chapter))
    if markup.is_empty:
        raise Unreadable(Failure.EMPTY)
    return markup.written(package.about)


def _member(place: str, href: str) -> str:
    """The member that ``href`` names in the package file at ``place``."""
    path = unquote(href[:2_000].partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), path))


class _Package:
    """The package file: what the book is called, and its chapters in their order."""

    def __init__(self, data: bytes) -> None:
        self.is_one = False
        items: dict[str, str] = {}
        spine: dict[str, None] = {}
        self._said: dict[str, list[str]] = defaultdict(list)
        for element in elements(data, "{*}*"):
            name = local_name(str(element.tag))
            if name == "item" and "html" in attribute(element, "media-type"):
                if "nav" not in attribute(element, "properties").split():
                    items[attribute(element, "id")] = attribute(element, "href")
            elif name == "itemref" and attribute(element, "linear") != "no":
                spine[attribute(element, "idref")] = None
            elif name == "package":
                self.is_one = True
            elif not len(element):
                name = local_name(attribute(element, "property")) if name == "meta" else name
                self._said[name].append(text_within(element)[:2_000].strip())
        self.is_one = self.is_one or bool(spine)
        self.chapters = [items[name] for name in spine if name in items]

    @property
    def about(self) -> About:
        said = {name: next(filter(None, texts), "") for name, texts in self._said.items()}
        about = About.of(said | {"subject": ",".join(filter(None, self._said["subject"][:10]))})
        about.title = title_among(about.title, "", about.title)
        return about


def _write_chapter(markup: Markup, body: bytes) -> None:
    try:
        tree = LexborHTMLParser(bounded(decode(body).text))
        tree.strip_tags(list(_REMOVED))
        tree.unwrap_tags(list(_INLINE))
        for node in tree.css("[href]"):
            if not web_address(node.attributes.get("href") or ""):
                del node.attrs["href"]
        text, html = (tree.body.text(), tree.body.inner_html) if tree.body else ("", "")
    except SelectolaxError:
        return
    markup.html(_H1.sub(r"<\1h2", html or ""), len(text))
