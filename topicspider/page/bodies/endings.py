"""Cuts off what stands around a running text: the byline above, boxes of links within, and what follows its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.markup.bylines import is_byline

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Block, Reading

_LONGEST = 80
_LONG_TEXT = 80
"""Characters from which a block is a paragraph."""
_END = re.compile(
    r"[\W_]*(?:责任编辑|責任編輯|责编|编辑[:：]|(?:本文)?来源[:：]|\(?本文来源|(?:特别|郑重|重要|免责|版权|特別|鄭重)?(?:声明|聲明)[:：]|免责声明|版权声明|"
    r"凡(?:本网|注明|本站)|转载请注明|轉載請註明|上一篇|下一篇|上一页|下一页|分享到|网友评论|我要评论|发表评论|跟贴|热门评论|"
    r"Share this|Comments?\W*(?:\(?\d+\)?)?$|Leave a (?:reply|comment)|Sign up\b|Advertisement\W*$|About the author|Комментарии)",
    re.IGNORECASE,
)
"""What follows a text: who wrote it, whose it is, how to go on, what others say."""
_RELATED = re.compile(
    r"[\W_]*(?:相关(?:热词|标签|专题|新闻|阅读|文章|链接|报道|推荐)|相關(?:新聞|文章|報導)|延伸(?:阅读|閱讀)|(?:推荐|热门|精彩)(?:阅读|文章|推荐)|[猜為为](?:你|您)(?:喜欢|推荐|推薦)|"
    r"更多(?:关于|新闻|精彩)|其他.{0,6}新[闻聞]|最新(?:新闻|消息|文章)|你可能(?:也)?(?:喜欢|感兴趣)|您可能|大家都在看|往期|(?:本文|文章)?(?:标签|標籤)[:：]|(?:Tags|Filed under|Etiquetas|Schlagw[oö]rter|Теги|Метки)\s?:|"
    r"Related (?:articles|stories|posts|news|links|content|topics)|More (?:from|on|stories|news)\b|Read more\b|"
    r"You (?:may|might) also (?:like|enjoy|be interested)|Recommended for you|Most (?:read|popular|viewed)|Recent posts|Latest (?:news|posts|stories)|Trending|"
    r"Читайте также|По теме|Новости по теме|Последние|Похожие|Смотрите также|Διαβάστε (?:ακόμη|επίσης)|Σχετικά|Zobacz (?:też|także)|Czytaj (?:też|także|więcej)|"
    r"Mehr zum Thema|Lesen Sie auch|Das könnte Sie|Weitere (?:Artikel|Themen)|(?:À )?lire aussi|Sur le même sujet|Articles (?:liés|similaires)|Leggi anche|"
    r"Potrebbe interessar|Te puede interesar|Lea también|Noticias relacionadas|Artículos relacionados|Leia (?:também|mais)|Veja (?:também|mais)|"
    r"Notícias relacionadas|İlgili haber|Lees ook|Läs (?:också|mer)|関連記事|あわせて読みたい|おすすめ記事|관련 ?기사)",
    re.IGNORECASE,
)
"""The heading of a box of links to other pages."""
_GOES_ON = 0.25
"""Share of the paragraphs at the text's own level behind which a heading such as Related is taken for part of the text."""
_SWALLOWED = 0.7
"""The same of all paragraphs, where what follows up to the next line at the text's level would go with the box."""


def without_endings(reading: Reading, chosen: list[Block]) -> list[Block]:
    """Without boxes such as 相关新闻 and what follows the end of the text.

    A box ends where the text goes on at its own level of the tree; the end of the text is where it does not.
    """
    levels = [_level(reading, block) for block in chosen]
    home = _home(chosen, levels)
    is_text = _goes_on([_paragraph(block) for block in chosen], levels, home)
    kept: list[Block] = []
    is_boxed = is_home = False
    for place, (block, level) in enumerate(zip(chosen, levels, strict=True)):
        ending = _ending(reading, block)
        if ending == "related" and is_text[place]:
            continue
        if ending:
            if level == home and is_home:
                return kept
            is_boxed = True
        elif is_boxed and level == home:
            is_boxed = False
        if not is_boxed:
            kept.append(block)
            is_home = is_home or level == home
    return kept


def without_bylines(lines: list[str], title: str) -> list[str]:
    """Without the title and the line of date and source above the text."""
    first = 0
    while first < min(len(lines) - 1, 4) and (lines[first] == title or is_byline(lines[first])):
        first += 1
    return lines[first:]


def _ending(reading: Reading, block: Block) -> str:
    """end, related, or "" for a line that is neither."""
    if block.end - block.start >= _LONGEST:
        return ""
    text = reading.block_text(block)
    return "end" if _END.match(text) else "related" if _RELATED.match(text) else ""


def _paragraph(block: Block) -> int:
    length = block.end - block.start
    return length if length > _LONG_TEXT and block.linked * 3 < length else 0


def _goes_on(sizes: list[int], levels: list[int], home: int) -> list[bool]:
    """Of each block, whether too much text follows for a box or an ending to begin there; ``sizes`` are those of paragraphs."""
    all_text = max(1, sum(sizes))
    home_text = max(1, sum(size for size, level in zip(sizes, levels, strict=True) if level == home))
    result: list[bool] = []
    behind_home = swallowed = 0
    for size, level in zip(reversed(sizes), reversed(levels), strict=True):
        if level == home:
            result.append(behind_home > _GOES_ON * home_text)
            behind_home += size
            swallowed = 0
        else:
            result.append(swallowed > _SWALLOWED * all_text)
            swallowed += size
    return result[::-1]


def _level(reading: Reading, block: Block) -> int:
    """The container a block stands in; a paragraph stands in its parent."""
    if block.container < 0:
        return -1
    container = reading.containers[block.container]
    return container.parent if container.tag in ("p", "h2", "h3", "h4") else block.container


def _home(chosen: list[Block], levels: list[int]) -> int:
    """The level that holds most text."""
    sizes: dict[int, int] = {}
    for block, level in zip(chosen, levels, strict=True):
        sizes[level] = sizes.get(level, 0) + block.end - block.start - block.linked
    return max(sizes, key=sizes.__getitem__, default=-1)
