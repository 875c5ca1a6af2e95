"""Finds the author of a page: in declared objects, Chinese bylines, meta author, links and elements named author, and "By Jane Doe"."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from topicspider.page.parsed_page import one_line, title_span
from topicspider.page.typed_objects import text_of, types_of
from topicspider.url import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from topicspider.page.parsed_page import Reading


_META = ("author", "article:author", "authors", "byl", "dc.creator", "dcterms.creator", "citation_author", "parsely-author", "sailthru.author", "article.author")  # fmt: skip
_NOT_OF_THE_PAGE = frozenset({"comment", "review", "answer", "website", "quotation"})
_NOBODY = re.compile(
    r"(?:admin\w*|webmaster|root|administrator|editor\w*|author|unknown|anonymous|guest|user\d*|test|none|null|discuz.*|.*comsenz.*|dedecms|phpcms|wordpress"
    r"|匿名.*|佚名|未知|不详|本站.*|原创|网络|互联网|转载|管理员|站长|编辑|小编|游客|admin.*)",
    re.IGNORECASE,
)
# Ends a name within a byline, which goes on with 来源 (source), 时间 (time) and others
_STOP = re.compile(
    r"[|｜丨()（）\[\]【】<>《》:：;；\n\t]|\d{2,}|\s{3,}|(?:来源|來源|出处|责任|責任|编辑|編輯|责编|時間|时间|日期|发布|發布|发表|点击|浏览|阅读|字号|通讯员|通訊員|实习生|摄影|攝影|摄|攝|报道|報道|報导|报导|報導|综合|校对|审核|监制|图[/／])"
)
_LABELLED = re.compile(
    r"(?=[作撰文AaАа])(?:(?<![^\W_])|(?<=本文)|(?<=文章))"
    r"(?:作\s{0,4}者|撰\s?文|撰\s?稿人?|文|[Aa]uthors?|[Аа]втор)\s?[:：/／|｜丨]\s{0,3}([^\n]{1,80})"
)
# no name if a comma follows: 记者了解到， (the reporter learned) begins a sentence
_REPORTER = re.compile(
    r"(?:记者|記者)[\s:：]{0,4}([\u4e00-\u9fff·]{2,4}(?:[、\s]{1,3}[\u4e00-\u9fff·]{2,4}){0,4})(?=[\s、/／|)）】]|$)",
    re.MULTILINE,
)
_CAPITAL = r"(?:[A-ZÀ-ÞŁŚŻČŠŽĞİА-ЯΑ-Ω][\w.'’-]{0,20})"
_LATIN_NAME = rf"{_CAPITAL}(?:[ ](?:(?:de|da|di|du|del|van|von|der|den|la|le|el|bin|al)[ ])?{_CAPITAL}){{1,3}}"
_BY = re.compile(
    rf"(?:^|[|·•–—]\s?)(?:(?:[Ww]ritten|[Ww]ords|[Pp]osted|[Ss]tory|[Tt]ext|[Rr]eported)\s)?(?:[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|Di|[Dd]oor|Av|Af)[:]?\s({_LATIN_NAME}(?:(?:,\s|\s(?:and|und|et|y|e|&)\s|,\sand\s){_LATIN_NAME}){{0,4}})(?=\s*(?:$|[|·•–—,;(\d]|\bon\b|am\b|le\b))",
    re.MULTILINE,
)
_BETWEEN = re.compile(r"[、,，/／&;；]|\s(?:and|und|et|y)\s|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_HAN = re.compile(r"[\u4e00-\u9fff·]+")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}|[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff·]{1,10}")
_CALLED_AUTHOR = re.compile(r"author|byline|zuozhe", re.IGNORECASE)
_NO_NAME = re.compile(
    r"[。！？!?，@]|://|www\.|[分字文手大状狀][享号體体字机機小态態]|获悉|獲悉|热线|熱線|打印|评论|收藏|昨日|今日|[网網报報讯訊電电]$|来源|關注|关注|连线|表示|發現|发现"
)
_PREFIX = re.compile(
    r"^(?:(?:written |posted )?by:?\s|von\s|par\s|por\s|di\s|由\s|(?:记者|記者)\s?(?=[\u4e00-\u9fff]{2,4}$)|作者[:：]\s?|文[/／]\s?|[Aa]uthor:\s?)",
    re.IGNORECASE,
)


def author_of(reading: Reading, objects: Iterable[dict[str, object]], zones: list[str], title: str, url: str) -> str:
    """The author, at most 80 characters, several joined by commas (、 in Chinese); "" when unknown.

    The first source that yields a name: JSON-LD and microdata, a Chinese byline near the title or at the end (templates of Chinese sites
    often put the site's name into meta author), meta author, a link with rel=author, an element named author, "By Jane Doe".
    """
    start, end = title_span(reading, title)
    near = reading.text[max(0, start - 300) : end + 3000]
    bylines = (by.finditer(text) for text in (near, reading.text[-1500:]) for by in (_LABELLED, _REPORTER))
    candidates = chain(
        _declared_authors(list(objects)),
        (_names(found[1]) for found in chain.from_iterable(bylines)),
        (_names(reading.meta.get(name, "")) for name in _META if not _is_site(reading, name, host_of(url))),
        (_names(line) for line in _marked_lines(reading, zones, start, end)),
        (_BETWEEN.split(found[1]) for found in _BY.finditer(near)),
    )
    return next(filter(None, map(_joined, candidates)), "")


def _declared_authors(objects: list[dict[str, object]]) -> Iterator[list[str]]:
    """For each object, the author names that it declares: as text, as a person, or as a reference (@id) to one."""
    known = {str(thing["@id"]): text_of(thing.get("name")) for thing in objects if "@id" in thing}
    for thing in objects:
        value = thing.get("author") or thing.get("creator")
        if value and not types_of(thing) & _NOT_OF_THE_PAGE:
            some = (value if isinstance(value, list) else [value])[:6]
            names = [
                text_of(one) or known.get(str(one.get("@id")) if isinstance(one, dict) else "", "") for one in some
            ]
            yield [_PREFIX.sub("", name[:160]) for name in names]


def _marked_lines(reading: Reading, zones: list[str], title: int, end: int) -> Iterator[str]:
    """Texts of links with rel=author, of elements named author, then of short blocks near the title in containers named so or byline."""

    def is_own(container: int, start: int) -> bool:  # right below the title also in boxes such as post-meta
        return zones[container] in ("main", "header") or (zones[container] == "aside" and end <= start <= end + 150)

    for link in reading.anchors:
        if "author" in link.rel and zones[link.container] in ("main", "header"):
            yield reading.text[link.start : link.end]
    for start, container in reading.authors:
        if is_own(container, start):
            yield reading.text[start : start + 80].lstrip().partition("\n")[0]
    for block in reading.blocks:
        if title - 300 <= block.start <= end + 3000 and block.end - block.start <= 80 and block.container >= 0:
            is_called = _CALLED_AUTHOR.search(reading.containers[block.container].names)
            if is_called and is_own(block.container, block.start):
                yield reading.block_text(block)


def _is_site(reading: Reading, name: str, host: str) -> bool:
    """Whether a declared author is only the site's name: part of its host or the end of ``<title>``."""
    squeezed = "".join(reading.meta.get(name, "").lower().split())
    return squeezed in host or "".join(reading.title.lower().split()).endswith(squeezed)


def _names(text: str) -> list[str]:
    """The names at the beginning of a line, up to the first part that is no name; a space separates Chinese names."""
    if "://" in text or "www." in text:
        return []
    text = _STOP.split(_PREFIX.sub("", one_line(text, 160)), maxsplit=1)[0]
    parts = [part.strip(" .-—_·") for part in _BETWEEN.split(text)]
    names = [part for part in parts[:1] if part]
    for part in parts[1:6]:
        if not part or (_HAN.match(part) and not _HAN_NAME.fullmatch(part)):
            break
        names.append(part)
    return names


def _joined(names: list[str]) -> str:
    kept = [name for name in dict.fromkeys(one_line(name, 41) for name in names[:6]) if _is_name(name)]
    mark = "、" if any(_HAN.search(name) for name in kept) else ", "
    while kept and len(mark.join(kept)) > 80:
        kept.pop()
    return mark.join(kept)


def _is_name(name: str) -> bool:
    is_short = 1 < len(name) <= 40 and name.count(" ") <= 5 and any(map(str.isalpha, name))
    return is_short and not _NOBODY.fullmatch(name) and not _NO_NAME.search(name)
