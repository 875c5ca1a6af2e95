"""Lays out the cards of sites for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.text.terminal import fit, pad, width
from topicspider.text.wording import shell_word
from topicspider.url.hostname import readable_host
from topicspider.workbench.sites.advice import DROP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.workbench.sites.card import SiteCard
    from topicspider.workbench.sites.gathering import TopicSites

_HEADS = {True: "网站 网页 命中 命中率 均分 秒 容量 建议", False: "site pages hits rate score sec cap advice"}
_RIGHT = range(1, 7)  # the numbers
_LEAST_NAME = 16
_WORDS = {
    "keep": ("保留", "keep"),
    "drop": ("舍弃", "drop"),
    "raise": ("提升", "raise"),
    "few_fetches": ("样本少", "few pages"),
    "no_hits_yet": ("尚无命中", "no hits yet"),
    "above": ("高于整体", "above others"),
    "below": ("远低于整体", "far below"),
    "leads": ("引向命中", "leads to hits"),
    "lower": ("低于整体", "below others"),
    "usual": ("正常", "as others"),
}


def laid_out(sites: TopicSites, chosen: Sequence[SiteCard], columns: int, *, chinese: bool) -> str:
    """The ``chosen`` cards as a table of at most ``columns`` columns, with what is to be said of all of them."""
    lines = [_head(sites, chinese=chinese)]
    if chosen:
        heads = _HEADS[chinese].split()
        lines += ["", *_table([heads, *(_row(card, chinese=chinese) for card in chosen)], columns)]
    if notes := _notes(sites, chosen, chinese=chinese):
        lines += ["", *notes]
    return "\n".join(fit(line, columns) for line in lines)


def _head(sites: TopicSites, *, chinese: bool) -> str:
    cards = sites.cards
    count, rate = len(cards.cards), f"{cards.hit_rate:.0%}"
    if chinese:
        return f"{sites.topic}：{count:,} 个网站，{cards.pages:,} 个网页，命中 {cards.hits:,}（{rate}）"
    plural = "" if count == 1 else "s"
    return f"{sites.topic}: {count:,} site{plural}, {cards.pages:,} pages, {cards.hits:,} hits ({rate})"


def _row(card: SiteCard, *, chinese: bool) -> list[str]:
    words = [_WORDS[word][0 if chinese else 1] for word in (card.advice.word, card.advice.reason)]
    advice = ("：" if chinese else ": ").join(words)
    if card.is_blocked:
        advice = "已封禁" if chinese else "blocked"
    rate = "-" if card.hit_rate is None else f"{card.hit_rate:.0%}"
    numbers = [_short(number) for number in (card.mean_score, card.response_seconds, card.capacity)]
    return [readable_host(card.site), f"{card.pages:,}", f"{card.hits:,}", rate, *numbers, advice]


def _short(number: float | None) -> str:
    """Three digits that count, as far as there is room."""
    if number is None:
        return "-"
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:,.0f}"


def _table(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """The numbers and the advice stay whole: a long name is cut at its front, for its end says whose it is."""
    widths = [max(width(row[at]) for row in rows) for at in range(len(rows[0]))]
    room = columns - sum(widths[1:]) - len(widths) + 1
    widths[0] = min(widths[0], max(_LEAST_NAME, room))
    lines = []
    for row in rows:
        cells = [pad(_cut(row[0], widths[0]), widths[0])]
        cells += [pad(cell, widths[at], right=at in _RIGHT) for at, cell in enumerate(row) if at]
        lines.append(" ".join(cells).rstrip())
    return lines


def _cut(name: str, columns: int) -> str:
    return name if width(name) <= columns else fit(name[::-1], columns)[::-1]


def _notes(sites: TopicSites, chosen: Sequence[SiteCard], *, chinese: bool) -> list[str]:
    notes = []
    if left := len(sites.cards.cards) - len(chosen):
        notes.append(f"还有 {left:,} 个网站（--limit）" if chinese else f"{left:,} more (--limit)")
    if waiting := sites.cards.waiting:
        chinese_words, plural = f"队列里另有 {waiting:,} 个网站尚未访问", "" if waiting == 1 else "s"
        notes.append(chinese_words if chinese else f"{waiting:,} more site{plural} in the queue, not asked yet")
    notes += [sites.note] if sites.note else []
    if sites.crawl and any(card.advice.word == DROP and not card.is_blocked for card in chosen):
        command = f"scrapy frontier --topic {shell_word(sites.crawl)} block"
        notes.append(f"舍弃：{command} 主机" if chinese else f"to drop one: {command} HOST")
    return notes
