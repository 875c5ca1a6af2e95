"""Lays out the answer to a query for a terminal."""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from topicspider.search.snippets import BOLD, PLAIN, Snippet
from topicspider.text.terminal import fill, fit, pad, table, width
from topicspider.text.wording import shell_word
from topicspider.url.hostname import readable_host
from topicspider.url.readable import readable_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.search.facets import Facets
    from topicspider.search.search import Answer, Hit

_INDENT = 4
_SNIPPET_LINES = 2
_FACETS = {"topic": "主题", "site": "网站", "year": "年份", "type": "类型"}


def laid_out(answer: Answer, columns: int, *, chinese: bool, is_bold: bool, first: int = 1) -> str:
    """``answer`` as lines of at most ``columns`` columns; ``is_bold``: the terminal can show the words asked for in bold."""
    lines = [fit(line, columns) for line in _notes(answer, chinese)]
    for number, hit in enumerate(answer.hits, first):
        lines += ["", *_hit(number, hit, columns, chinese=chinese, is_bold=is_bold)]
    if answer.facets and answer.total:
        lines += ["", *_facets(answer.facets, columns, chinese)]
    return "\n".join(lines)


def _notes(answer: Answer, chinese: bool) -> Iterator[str]:
    shown = len(answer.hits)
    count = f"{answer.total:,} 条结果" if chinese else f"{answer.total:,} hit{'' if answer.total == 1 else 's'}"
    if 0 < shown < answer.total:
        count += f"，显示 {shown:,} 条（--limit）" if chinese else f", {shown:,} shown (--limit)"
    yield count
    if answer.is_relaxed:
        yield (
            "没有同时含有所有词的网页，以下含有其中一些" if chinese else "no page has all of the words; these have some"
        )
    if answer.asks_nothing:
        yield (
            "查询中没有可以查找的词（的、了等虚词和标点不查找）"
            if chinese
            else "nothing in it is looked for: marks and particles such as 的 are passed over"
        )
    if answer.unread:
        parts = ", ".join(answer.unread)
        yield f"当作普通词来找：{parts}" if chinese else f"taken for words: {parts}"
    if answer.meant:
        again = f"scrapy hits {shell_word(answer.meant)}"
        yield f"您是不是要找：{answer.meant}（{again}）" if chinese else f"did you mean: {answer.meant}  ({again})"


def _hit(number: int, hit: Hit, columns: int, *, chinese: bool, is_bold: bool) -> Iterator[str]:
    item = hit.row.item
    head = f"{number:>2}. "
    facts = f"  {item.relevance:.2f}  {(item.published or item.date or item.fetched_at)[:10]}"
    room = columns - len(head) - width(facts)
    title = hit.title if hit.title.text else Snippet((("（无标题）" if chinese else "(no title)", False),))
    yield head + _bold(pad(fit(title.text, room), room), title, is_bold) + facts
    indent = " " * _INDENT
    yield from (indent + line for line in _lines(hit.snippet, columns - _INDENT, is_bold=is_bold))
    copies = (f"  另有 {hit.copies} 份相同" if chinese else f"  +{hit.copies} alike") if hit.copies else ""
    yield indent + fit(readable_url(item.url), columns - _INDENT - width(copies)) + copies


def _lines(snippet: Snippet, columns: int, *, is_bold: bool) -> Iterator[str]:
    place = 0
    lines = fill(snippet.text, columns)
    for number, line in enumerate(lines[:_SNIPPET_LINES], 1):
        place = snippet.text.find(line, place)
        is_cut = number == _SNIPPET_LINES < len(lines) and not line.endswith("…")
        shown = fit(f"{line}…", columns).removesuffix("…") if is_cut else line
        yield _bold(shown, snippet, is_bold, place) + ("…" if is_cut else "")
        place += len(line)


def _bold(line: str, snippet: Snippet, is_bold: bool, place: int = 0) -> str:
    """``line``, which begins at ``place`` of the snippet's text, with what was asked for in bold."""
    asked = [is_asked for piece, is_asked in snippet.pieces for _ in piece][place:]
    parts = groupby(zip_longest(line, asked[: len(line)], fillvalue=False), key=lambda one: one[1])
    texts = ((is_asked, "".join(str(char) for char, _ in chars)) for is_asked, chars in parts)
    return "".join(f"{BOLD}{text}{PLAIN}" if is_asked and is_bold else text for is_asked, text in texts)


def _facets(facets: Facets, columns: int, chinese: bool) -> Iterator[str]:
    labels = {name: _FACETS[name] if chinese else name for name in facets}
    room = columns - max(map(width, labels.values())) - 2
    rows = []
    for name, counts in facets.items():
        shown = [(readable_host(value) if name == "site" else value, count) for value, count in counts]
        rows.append([labels[name], _as_fits([f"{value} {count:,}" for value, count in shown], room) or "-"])
    yield table(rows, columns=columns)


def _as_fits(values: Sequence[str], columns: int) -> str:
    """As many of ``values`` as there is room for, whole; … for the others."""
    line = "  ".join(values)
    while width(line) > columns and len(values) > 1:
        values = values[:-1]
        line = "  ".join([*values, "…"])
    return line
