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
    about, chapters = _package(archive.read(roots[0][:1_000]) if roots else b"")
    markup = Markup()
    for href in chapters:
        if markup.is_full or is_spent():
            break
        _write_chapter(markup, archive.read(_member(roots[0], href)))
    if markup.is_empty:
        raise Unreadable(Failure.EMPTY)
    return markup.written(about)


def _member(place: str, href: str) -> str:
    """The member that ``href`` names in the package file at ``place``."""
    path = unquote(href[:2_000].partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), path))


def _package(data: bytes) -> tuple[About, list[str]]:
    """What the book says of itself, and its chapters in their order; raises Unreadable."""
    items: dict[str, str] = {}
    spine: dict[str, None] = {}
    said: dict[str, list[str]] = defaultdict(list)
    name = ""
    for element in elements(data, "{*}*"):
        name = local_name(str(element.tag))
        if name == "item" and "html" in attribute(element, "media-type"):
            if "nav" not in attribute(element, "properties").split():
                items[attribute(element, "id")] = attribute(element, "href")
        elif name == "itemref" and attribute(element, "linear") != "no":
            spine[attribute(element, "idref")] = None
        elif not len(element) and (text := text_within(element)[:2_000].strip()):
            said[local_name(attribute(element, "property")) if name == "meta" else name].append(text)
    if not spine and name != "package":
        raise Unreadable(Failure.DAMAGED)
    about = About.of({name: ",".join(texts[: 10 if name == "subject" else 1]) for name, texts in said.items()})
    about.title = title_among(about.title, "", about.title)
    return about, [items[name] for name in spine if name in items]


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
