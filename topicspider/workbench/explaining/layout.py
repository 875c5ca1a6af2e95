"""Lays an explanation out for a terminal: what a score is made of, then the links kept and pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.errors import one_line
from topicspider.text.terminal import fit, table, width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.workbench.explaining.account import Explanation, Finder, LinkAccount, PageAccount

SHOWN_WORDS = 12
SHOWN_LINKS = 15
_ANCHOR_COLUMNS = 20
_REASON_COLUMNS = 14


def laid_out(explanation: Explanation, columns: int, *, chinese: bool) -> str:
    """The whole explanation; no line is wider than ``columns``."""
    if explanation.condition:
        words = "不是网页，不评分" if chinese else "an answer that is no page, and is not judged"
        return fit(f"{words}: {one_line(explanation.condition)}", columns)
    judged_by = explanation.model.words() if explanation.model else ""
    blocks = ["\n".join(wrap(judged_by, columns))] if judged_by else []
    blocks += ["\n".join(fit(line, columns) for line in _page(page, columns, chinese)) for page in explanation.pages]
    kept = sorted((link for link in explanation.links if not link.pruned), key=lambda link: -link.score)
    pruned = [link for link in explanation.links if link.pruned]
    heads = ("保留的链接", "剪掉的链接") if chinese else ("links kept", "links pruned")
    blocks += [_links(head, chosen, columns) for head, chosen in zip(heads, (kept, pruned), strict=True)]
    return "\n".join(blocks)


def _page(page: PageAccount, columns: int, chinese: bool) -> Iterator[str]:
    yield ""
    yield one_line(page.url)
    yield one_line(page.title, 300)
    yield f"{page.topic}: {_verdict(page, chinese)}"
    yield from _wrapped([f"{name}={value:.4g}" for name, value in page.parts.items()], columns)
    if page.finder is not None:
        yield from _found(page.finder, columns, chinese)
    for line in _since(page, chinese):
        yield from wrap(line, columns)
    if page.has_text:
        yield from _words(page, columns, chinese)


def _verdict(page: PageAccount, chinese: bool) -> str:
    if chinese:
        return f"{'命中' if page.on_topic else '未命中'}：{page.score:.4f}（阈值 {page.threshold:.4f}，{page.scorer}）"
    return f"{'a hit' if page.on_topic else 'a miss'}: {page.score:.4f} (threshold {page.threshold:.4f}, {page.scorer})"


def _found(finder: Finder, columns: int, chinese: bool) -> Iterator[str]:
    """The page that linked here, and what its link was worth."""
    yield f"{'来自' if chinese else 'found on'} {one_line(finder.referrer)} ({'深度' if chinese else 'depth'} {finder.depth})"
    if finder.link is not None:
        anchor = one_line(finder.link.anchor, 80) or "-"
        yield f"  {'锚文本' if chinese else 'anchor'}: {anchor}"
        yield from (f"  {line}" for line in _wrapped(_parts(finder.link), columns - 2))


def _since(page: PageAccount, chinese: bool) -> Iterator[str]:
    """What has changed since the page was stored, and what the store does not know."""
    row = page.stored
    if row is None:
        return
    if not page.has_text:
        yield (
            "未命中的网页不存正文，无法逐词解释；--fetch 重新抓取"
            if chinese
            else "misses are stored without their text: no words to show; --fetch asks for the page anew"
        )
    elif page.has_moved:
        then = f"{row.item.relevance:.4f} ({row.scorer}, {'阈值' if chinese else 'threshold'} {row.threshold:.4f})"
        yield (
            f"抓取时的得分是 {then}；主题、评分器或学到的已改变"
            if chinese
            else f"when crawled it scored {then}; topic, scorer or what was learned have moved on"
        )


def _words(page: PageAccount, columns: int, chinese: bool) -> Iterator[str]:
    """The parts of the score, the telling ones first, and their sum."""
    if not page.words:
        yield "没有主题词。" if chinese else "No word of the topic."
        return
    ranked = sorted(page.words, key=lambda part: (-abs(part[1]), part[0]))
    rows = [
        (f"{value:+.4f}", one_line(name)) for name, value in sorted(ranked[:SHOWN_WORDS], key=lambda part: -part[1])
    ]
    rest = ranked[SHOWN_WORDS:]
    if rest:
        rows.append((f"{sum(value for _, value in rest):+.4f}", f"… {len(rest)}"))
    total = sum(value for _, value in page.words)
    rows.append((f"= {total:.4f}", f"{len(page.words)} 部分之和" if chinese else f"the sum of {len(page.words)} parts"))
    yield from table(rows, right=(0,), columns=columns).split("\n")


def _links(head: str, links: Sequence[LinkAccount], columns: int) -> str:
    lines = [f"\n{head}: {len(links)}"]
    shown = links[:SHOWN_LINKS]
    rows = [
        (
            f"{link.score:.4f}",
            fit(link.pruned or "-", _REASON_COLUMNS),
            fit(one_line(link.anchor) or "-", _ANCHOR_COLUMNS),
            one_line(link.url),
        )
        for link in shown
    ]
    for link, row in zip(shown, table(rows, right=(0,), columns=columns).split("\n"), strict=False):
        lines += [row, *(f"        {line}" for line in _wrapped(_parts(link), columns - 8))]
    if len(links) > SHOWN_LINKS:
        lines.append(f"        … {len(links) - SHOWN_LINKS}")
    return "\n".join(lines)


def _parts(link: LinkAccount) -> list[str]:
    """The parts of a link's score; joined by + and = where they add up to it."""
    named = [f"{name}={value:.3g}" for name, value in link.parts.items()]
    if not link.is_sum:
        return named
    return [*(f"{part} +" for part in named[:-1]), named[-1], f"= {link.score:.4g}"]


def _wrapped(pieces: Sequence[str], columns: int) -> list[str]:
    """Pieces side by side, in as many lines as they need."""
    lines: list[str] = []
    for piece in map(one_line, pieces):
        if lines and width(lines[-1]) + 2 + width(piece) <= columns:
            lines[-1] += f"  {piece}"
        else:
            lines.append(fit(piece, columns))
    return lines
