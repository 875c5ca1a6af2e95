"""Finds the running text of a page: the blocks that read like sentences, in the container where they are densest."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.page.parsed_page import Block, Reading


_MARKS = re.compile(r"[，。！？；、：,.!?;:…”]")
_SHORT = 60
"""Bytes (20 Chinese characters, 10 English words) below which a line needs two punctuation marks to count as text."""
_LINE = 120
"""Characters up to which a block with a third of its text in links is an entry of a list, not text."""
_LITTLE = 400
"""Bytes of text below which comments, and then asides and menus, are considered, too."""
_TEASER_BYTES = 600
_TEASER = 0.3
"""Share of its score that a short text between two links keeps (it is usually another page's teaser), unless the page has little else."""
_MAIN = frozenset({"main", "header"})
_POSTS = _MAIN | {"comment"}
_WIDER = ((frozenset({"comment"}), 1 / 8), (frozenset({"aside", "nav"}), 1 / 4))
"""Zones to add, in this order, where there is little text; each only if the text so far is below this share of the text with them."""


def block_scores(reading: Reading, places: list[str], links: list[bool], is_thread: bool) -> list[float]:
    """The score of each block: its bytes of running text outside links, reduced for doubtful text, or 0; ``links``: is it mostly links?

    Comments count in a thread or where there is little other text, then asides and menus; short lines only where no block scores.
    """
    plain = _with_teasers(places, links, [_score(reading, block) for block in reading.blocks])
    allowed = _POSTS if is_thread else _MAIN
    values = _only(plain, places, allowed)
    for others, least in _WIDER:
        more = _only(plain, places, allowed | others)
        if sum(values) < min(_LITTLE, sum(more) * least):
            allowed, values = allowed | others, more
    if any(values):
        return values
    return [
        0.0 if is_link else _short_score(block, place)
        for block, place, is_link in zip(reading.blocks, places, links, strict=True)
    ]


def _only(values: list[float], places: list[str], allowed: frozenset[str]) -> list[float]:
    return [value if place in allowed else 0.0 for value, place in zip(values, places, strict=True)]


def _score(reading: Reading, block: Block) -> float:
    length = block.end - block.start
    if block.linked * (2 if length > _LINE else 3) > length:
        return 0.0
    text = reading.text[block.start : block.end]
    size = length if text.isascii() else len(text.encode("utf-8", "ignore"))
    marks = len(_MARKS.findall(text)) if size < 400 else 2
    if size < _SHORT and marks < 2:
        return 0.0
    return size * (1 - block.linked / length) * (1.0 if marks else 0.3)


def _with_teasers(places: list[str], links: list[bool], values: list[float]) -> list[float]:
    links = [*links, False]  # after the last block; index -1 is before the first
    less = [
        value * _TEASER if 0 < value < _TEASER_BYTES and links[index - 1] and links[index + 1] else value
        for index, value in enumerate(values)
    ]
    return less if sum(_only(less, places, _MAIN)) >= sum(_only(values, places, _MAIN)) / 10 else values


def _short_score(block: Block, place: str) -> float:
    length = block.end - block.start
    return 0.0 if place not in ("main", "comment") or length < 4 else float(length)


_DESCEND = 0.72
"""The body is sought in a child container that holds this share of its parent's text (tried from .5 to .9 on the measuring set)."""
_DESCEND_THREAD = 0.85
"""The same for a thread, whose body is all its posts, not the longest one (tried from .72 to .98)."""
_TITLED = 0.3
"""The child container with the title is chosen if it holds this share of the text (tried from .25 to .4); less is only a lead paragraph."""
_TITLED_BYTES = 300
_BEFORE_TITLE = 0.5
"""Weight of text above the title: usually notices, menus, or what a site says about itself."""
_SAME_TITLE = 0.6


def titled_block(reading: Reading, places: list[str], title: str) -> int:
    """Index of the heading block whose text is (nearly) the title: the first such h1, else h2, else other heading; -1 for none."""
    best, best_rank = -1, 0
    title = title.strip()
    for index in reading.headings:
        block = reading.blocks[index]
        rank = {"h1": 3, "h2": 2}.get(block.tag, 1)
        if rank > best_rank and places[index] in ("main", "header") and _says(reading.block_text(block), title):
            best, best_rank = index, rank
    return best


def _says(heading: str, title: str) -> bool:
    heading = heading.strip()
    shorter, longer = sorted((heading, title), key=len)
    return len(shorter) >= 4 and len(shorter) >= _SAME_TITLE * len(longer) and shorter in longer


def region(reading: Reading, values: list[float], titled: int, is_thread: bool) -> int:
    """The container to take the body from, -1 for the whole page.

    The search starts at the root. It goes down to the child with the title's heading (block ``titled``) if that holds enough text, else to
    the child that holds most of its parent's text, and stops where there is neither.
    """
    weighed = [value * _BEFORE_TITLE if index < titled else value for index, value in enumerate(values)]
    tree = _Tree(reading, weighed, titled)
    place = -1
    while place in tree.children:
        child = tree.next(place, is_thread)
        if child < 0 or reading.containers[child].tag in ("p", "li"):
            break
        place = child
    return place


class _Tree:
    """The scores of blocks, summed for each container over its whole subtree."""

    def __init__(self, reading: Reading, values: list[float], titled: int) -> None:
        count = len(reading.containers)
        self.held = [0.0] * (count + 1)  # the last stands for the page
        self.children: dict[int, list[int]] = {}
        for block, value in zip(reading.blocks, values, strict=True):
            self.held[block.container] += value
        for index in range(count - 1, -1, -1):
            parent = reading.containers[index].parent
            if self.held[index]:
                self.held[parent] += self.held[index]
                self.children.setdefault(parent, []).append(index)
        self.above = set(_above(reading, titled))

    def next(self, place: int, is_thread: bool) -> int:
        """The child to go down to, or -1."""
        held = self.held[place]
        best = max(self.children[place], key=self.held.__getitem__)
        if not held:
            return -1
        if not is_thread:
            titled = self.titled_child(place)
            return titled if titled >= 0 else best if self.held[best] >= _DESCEND * held else -1
        if self.above and best not in self.above:
            return -1
        return best if self.held[best] >= _DESCEND_THREAD * held else -1

    def titled_child(self, place: int) -> int:
        """The child that contains the title, if it holds more text than a lead paragraph would; else -1."""
        titled = next((child for child in self.children[place] if child in self.above), -1)
        return titled if titled >= 0 and self.held[titled] >= max(_TITLED_BYTES, _TITLED * self.held[place]) else -1


def _above(reading: Reading, titled: int) -> list[int]:
    """The containers around block ``titled``, innermost first; none for -1."""
    found: list[int] = []
    index = reading.blocks[titled].container if titled >= 0 else -1
    while index >= 0:
        found.append(index)
        index = reading.containers[index].parent
    return found


_ADDRESS = re.compile(
    r"(?<![a-z])(?:forums?|foren|foro|foros|forumas|boards?|bbs|threads?|viewtopic|viewthread|showthread|showtopic|topics?|discuss|discussions?|questions?"
    r"|answers?|community|luntan|tieba|wenda|zhidao|ask|faq|qa|tid)(?![a-z])|/(?:t|d|q)/(?:[^/]{1,100}/)?\d",
    re.IGNORECASE,
)
_SOFTWARE = re.compile(
    r"discuz|phpbb|phpwind|vbulletin|xenforo|discourse|flarum|nodebb|mybb|invision|simple machines|vanilla forum|question2answer|asgaros|bbpress",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_MOMENT = re.compile(r"(?:19|20)\d\d.{0,20}\d\d?:\d\d")


def is_thread(url: str, meta: Mapping[str, str], declared: str) -> bool:
    """Whether the page is a forum thread, by its declared type, the forum software that made it, or its address."""
    if declared == "forum" or _SOFTWARE.search(meta.get("generator", "")[:500]):
        return True
    return _ADDRESS.search(url[:500]) is not None


def frames_of(reading: Reading) -> list[bool]:
    """For each block, whether it only frames a post: a short line that recurs (apart from its numbers), or one with a date and time."""
    lines = [
        _NUMBER.sub("0", reading.block_text(block)).strip() if block.end - block.start <= 60 else ""
        for block in reading.blocks
    ]
    counts = Counter(lines)
    return [
        bool(line) and (counts[line] > 1 or _MOMENT.search(reading.block_text(block)) is not None)
        for line, block in zip(lines, reading.blocks, strict=True)
    ]


_LONG_TEXT = 80
"""A block with more characters is a paragraph."""
_END = re.compile(
    r"[\W_]*+(?:责任编辑|責任編輯|责编|编辑[:：]|(?:本文)?来源[:：]|\(?本文来源|(?:特别|郑重|重要|免责|版权|特別|鄭重)?(?:声明|聲明)[:：]|免责声明|版权声明|"
    r"凡(?:本网|注明|本站)|转载请注明|轉載請註明|上一篇|下一篇|上一页|下一页|分享到|网友评论|我要评论|发表评论|跟贴|热门评论|"
    r"Share this|Comments?\W*(?:\(?\d+\)?)?$|Leave a (?:reply|comment)|Sign up\b|Advertisement\W*$|About the author|Комментарии)",
    re.IGNORECASE,
)
"""Lines that begin what follows an article: editor, source, copyright, next and previous page, sharing, comments."""
_RELATED = re.compile(
    r"[\W_]*+(?:相关(?:热词|标签|专题|新闻|阅读|文章|链接|报道|推荐)|相關(?:新聞|文章|報導)|延伸(?:阅读|閱讀)|(?:推荐|热门|精彩)(?:阅读|文章|推荐)|[猜為为](?:你|您)(?:喜欢|推荐|推薦)|"
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
"""If more than this share of the paragraphs at the text's own level follows a heading such as Related, no box begins there."""
_SWALLOWED = 0.7
"""The same for a heading at another level: share of all paragraphs that would be removed, up to the next line at the text's level."""


def without_trailing_boilerplate(reading: Reading, chosen: list[Block]) -> list[Block]:
    """``chosen`` without boxes of links to other articles (相关新闻) and without what follows the end of the text.

    A box ends at the next block on the text's own level of the tree; a box heading or an ending (责任编辑) on that level ends the text.
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
    """``lines`` without the title and the bylines (date, source, author) above the text."""
    first = 0
    while first < min(len(lines) - 1, 4) and (lines[first] == title or is_byline(lines[first])):
        first += 1
    return lines[first:]


def _ending(reading: Reading, block: Block) -> str:
    """end, related, or "" for a line that is neither."""
    if block.end - block.start >= 80:
        return ""
    text = reading.block_text(block)
    return "end" if _END.match(text) else "related" if _RELATED.match(text) else ""


def _paragraph(block: Block) -> int:
    length = block.end - block.start
    return length if length > _LONG_TEXT and block.linked * 3 < length else 0


def _goes_on(sizes: list[int], levels: list[int], home: int) -> list[bool]:
    """For each block, whether too much text follows for a box to begin there; ``sizes``: characters of a paragraph, 0 for other blocks."""
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
    """Index of the container that a block stands in, of its parent if that is a paragraph or heading; -1 for none."""
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


_BYLINE = re.compile(
    r"^(?:\W*+(?:发布|发表|更新|發布|發表)?(?:时间|日期|于|時間)?[:：\s]*+)?(?:19|20)\d\d\s*+[-/.年]\s*+\d{1,2}\s*+[-/.月]\s*+\d{1,2}\s*+日?(?:[\s\d:：分秒时]|点(?!击))*+(?:$|.{0,60}(?:来源|來源|作者|编辑|人参与|评论|字号|浏览|点击|阅读))"
    r"|^(?:来源|來源|作者|文章来源|稿源|字号|字體|字体|核心提示)\s*[:：]?\s*\S{0,20}$|^(?:大|中|小|\s|\|)+$"
)
_LATIN = re.compile(
    r"\W*(?:by|von|par|por|published|posted|updated|last updated|publié|mis à jour|publicado|atualizado|aktualisiert|veröffentlicht|опубликовано)\b"
    r"[^!?]{0,60}\b(?:19|20)\d\d\b[^.!?]{0,30}",
    re.IGNORECASE,
)


def is_byline(line: str) -> bool:
    """Whether a line says when, where from and by whom a text is, and nothing else."""
    return len(line) < 100 and (_BYLINE.search(line) is not None or _LATIN.fullmatch(line) is not None)


MAX_BODY = 200_000
_ZONES = frozenset({"main", "header"})
_THREAD_ZONES = _ZONES | {"comment"}


def body_of(reading: Reading, named: list[str], title: str, is_thread: bool) -> str:
    """The running text: a line per block, at most MAX_BODY characters; "" when there is none. ``named``: the zone of each container."""
    if not reading.blocks:
        return ""
    places = [named[block.container] for block in reading.blocks]
    links = [block.linked * 2 > block.end - block.start for block in reading.blocks]
    values = block_scores(reading, places, links, is_thread)
    titled = titled_block(reading, places, title)
    root = region(reading, values, titled, is_thread)
    zones = _THREAD_ZONES if is_thread else _ZONES
    kept = [v > 0 or (z in zones and not is_link) for v, z, is_link in zip(values, places, links, strict=True)]
    if is_thread:
        kept = [is_kept and not is_frame for is_kept, is_frame in zip(kept, frames_of(reading), strict=True)]
    chosen = [reading.blocks[index] for index in _chosen(reading, values, kept, root) if index != titled]
    chosen = without_trailing_boilerplate(reading, chosen)
    lines = [reading.block_text(block) for block in [*_lead(reading, places, values, titled, chosen), *chosen]]
    return "\n".join(without_bylines(lines, title))[:MAX_BODY]


def _lead(reading: Reading, places: list[str], values: list[float], titled: int, chosen: list[Block]) -> list[Block]:
    """Paragraphs of the main zone, except captions, between the title's heading and the first block of the body."""
    if titled < 0 or not chosen:
        return []
    end = bisect_left(reading.blocks, chosen[0].start, key=lambda block: block.start)
    found = [index for index in range(titled + 1, end) if values[index] > 0 and places[index] == "main"]
    blocks = [reading.blocks[index] for index in found]
    return [block for block in blocks if _paragraph(block) and not _is_caption(reading, block)]


def _is_caption(reading: Reading, block: Block) -> bool:
    return block.tag == "figcaption" or (
        block.container >= 0 and "caption" in reading.containers[block.container].names
    )


def _chosen(reading: Reading, values: list[float], is_kept: list[bool], root: int) -> list[int]:
    """Indexes of the body's blocks in container ``root``: from the first with a score to the last, and short lines of their kind around."""
    inside = _inside(reading, root)
    found = [index for index, block in enumerate(reading.blocks) if block.container in inside]
    good = [place for place, index in enumerate(found) if values[index] > 0]
    if not good:
        return []
    kept = [is_kept[index] for index in found]
    first = _extended(reading, found, kept, good[0], -1)
    last = _extended(reading, found, kept, good[-1], 1)
    return [found[place] for place in range(first, last + 1) if kept[place]]


def _extended(reading: Reading, found: list[int], kept: list[bool], edge: int, step: int) -> int:
    """The place of the last of at most 20 lines next to the block at ``edge`` that are of its kind; ``step``: 1 forwards, -1 backwards."""
    place = edge
    for _ in range(20):
        following = place + step
        if not 0 <= following < len(found) or not kept[following]:
            break
        if not _are_alike(reading, reading.blocks[found[following]], reading.blocks[found[edge]]):
            break
        place = following
    return place


def _are_alike(reading: Reading, line: Block, text: Block) -> bool:
    """Whether a line stands in the same container as a text, or both are p or li elements of one parent and class."""
    if line.end - line.start < 4:
        return False
    if line.container == text.container:
        return True
    if line.container < 0 or text.container < 0:
        return False
    own, other = reading.containers[line.container], reading.containers[text.container]
    same_kind = own.tag == other.tag and own.tag in ("p", "li") and own.names.strip() == other.names.strip()
    return same_kind and own.parent == other.parent


def _inside(reading: Reading, root: int) -> set[int]:
    inside = {root}
    for index, container in enumerate(reading.containers):
        if container.parent in inside:
            inside.add(index)
    return inside
