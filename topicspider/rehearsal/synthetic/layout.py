"""Lays a page out as HTML, in the manners of three kinds of site software."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

Anchor = tuple[str, str]  # URL, text


@dataclass(slots=True)
class Sheet:
    """Everything that stands on a page; texts are not escaped yet."""

    title: str
    site_title: str
    english: bool
    charset: str = ""
    menu: list[Anchor] = field(default_factory=list)
    trail: list[Anchor] = field(default_factory=list)
    byline: str = ""
    paragraphs: list[str] = field(default_factory=list)
    entries: list[tuple[Anchor, str]] = field(default_factory=list)
    pager: list[Anchor] = field(default_factory=list)
    blocks: list[tuple[str, list[Anchor]]] = field(default_factory=list)
    friends: list[Anchor] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    refresh: str = ""


def html_of(sheet: Sheet, style: int) -> str:
    """The page; ``style`` 0 div and class, 1 semantic, 2 tables, 3 a blog."""
    body = (_divisions, _semantic, _tables, _blog)[style](sheet)
    language = "en" if sheet.english else "zh-CN"
    return f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n{_head(sheet)}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _head(sheet: Sheet) -> str:
    lines = [f'<meta charset="{sheet.charset}">'] if sheet.charset else []
    title = sheet.title if sheet.title == sheet.site_title else f"{sheet.title}_{sheet.site_title}"
    lines.append(f"<title>{escape(title)}</title>")
    if sheet.keywords:
        lines.append(f'<meta name="keywords" content="{escape(",".join(sheet.keywords))}">')
    if sheet.refresh:
        lines.append(f'<meta http-equiv="refresh" content="0; url={escape(sheet.refresh)}">')
    lines.append("<style>body{margin:0 auto;max-width:60em}nav a{margin:0 .5em}</style>")
    return "\n".join(lines)


def _divisions(sheet: Sheet) -> str:
    return f"""<div class="top"><div class="logo">{escape(sheet.site_title)}</div><div class="nav">{_inline(sheet.menu)}</div></div>
<div class="position">{_inline(sheet.trail, " &gt; ")}</div>
<div class="main"><h1>{escape(sheet.title)}</h1><div class="info">{escape(sheet.byline)}</div>
<div class="content">{_paragraphs(sheet)}</div>{_entries(sheet, "news-list")}<div class="page">{_inline(sheet.pager)}</div></div>
<div class="sidebar">{_blocks(sheet, "h3")}</div>
<div class="footer"><p>{_label(sheet)}{_inline(sheet.friends)}</p><p>Copyright © {escape(sheet.site_title)}</p></div>"""


def _semantic(sheet: Sheet) -> str:
    return f"""<header><nav>{_inline(sheet.menu)}</nav></header>
<main><nav aria-label="breadcrumb">{_inline(sheet.trail, " / ")}</nav>
<article><header><h1>{escape(sheet.title)}</h1><time>{escape(sheet.byline)}</time></header>{_paragraphs(sheet)}</article>
{_entries(sheet, "list")}<nav class="pagination">{_inline(sheet.pager)}</nav></main>
<aside>{_blocks(sheet, "h2")}</aside>
<footer><p>{_label(sheet)}{_inline(sheet.friends)}</p><p>© {escape(sheet.site_title)}</p></footer>"""


def _tables(sheet: Sheet) -> str:
    return f"""<table width="960" align=center><tr><td bgcolor=#336699>{_inline(sheet.menu, " | ")}</td></tr></table>
<table width="960" align=center><tr><td width="70%" valign=top>{_inline(sheet.trail, " → ")}<br>
<font size="5"><b>{escape(sheet.title)}</b></font><br><font color=gray>{escape(sheet.byline)}</font><hr>
{_paragraphs(sheet)}{_entries(sheet, "t")}<p align=center>{_inline(sheet.pager)}</p></td>
<td valign=top>{_blocks(sheet, "b")}</td></tr></table>
<table width="960" align=center><tr><td align=center>{_label(sheet)}{_inline(sheet.friends, " | ")}<br>{escape(sheet.site_title)}</td></tr></table>"""


def _blog(sheet: Sheet) -> str:
    return f"""<div id="wrapper"><div id="masthead"><p class="site-title">{escape(sheet.site_title)}</p><ul class="menu">{_items(sheet.menu)}</ul></div>
<div class="post"><h2 class="entry-title">{escape(sheet.title)}</h2><p class="meta">{escape(sheet.byline)}</p>
<div class="entry-content">{_paragraphs(sheet)}</div>{_entries(sheet, "archive")}<div class="nav-links">{_inline(sheet.pager)}</div></div>
<div id="secondary">{_blocks(sheet, "h4")}</div><div id="colophon">{_label(sheet)}{_inline(sheet.friends)} {_inline(sheet.trail)}</div></div>"""


def _paragraphs(sheet: Sheet) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in sheet.paragraphs)


def _entries(sheet: Sheet, name: str) -> str:
    if not sheet.entries:
        return ""
    lines = "\n".join(f"<li>{_link(anchor)} <span>{escape(note)}</span></li>" for anchor, note in sheet.entries)
    return f'<ul class="{name}">\n{lines}\n</ul>'


def _blocks(sheet: Sheet, heading: str) -> str:
    return "\n".join(
        f"<{heading}>{escape(title)}</{heading}><ul>{_items(links)}</ul>" for title, links in sheet.blocks if links
    )


def _label(sheet: Sheet) -> str:
    return "" if not sheet.friends else ("Links: " if sheet.english else "友情链接：")


def _items(links: list[Anchor]) -> str:
    return "".join(f"<li>{_link(link)}</li>" for link in links)


def _inline(links: list[Anchor], between: str = " ") -> str:
    return between.join(map(_link, links))


def _link(anchor: Anchor) -> str:
    return f'<a href="{escape(anchor[0])}">{escape(anchor[1])}</a>'
