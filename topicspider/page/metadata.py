"""What describes a page: its head (canonical address, base, robots, feeds), typed objects (JSON-LD, microdata), author, site name, keywords, summary."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from itertools import accumulate, chain, islice
from operator import mul, neg
from typing import TYPE_CHECKING

from topicspider.page.near_duplicate import told
from topicspider.page.parsed_page import one_line, title_span
from topicspider.text.language import is_small_word
from topicspider.text.lexicon import idfs, is_scrap
from topicspider.text.normalise import normalise
from topicspider.url import canonicalize, encoded_query, host_of, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from selectolax.lexbor import LexborNode

    from topicspider.page.parsed_page import Reading


_REFRESH = re.compile(
    r"\s*+(?:\d{1,9}+(?:\.\d{0,9}+)?+)?+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s][^\"']{0,2000})",
    re.IGNORECASE,
)
_OUR_NAME = "topicspider"
_AGENT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,60}")
_RULES_WITH_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


def canonical_of(reading: Reading, base: str, url: str) -> str:
    """The address of ``<link rel=canonical>`` if it is of the page's own site, else "": wrong ones are common."""
    declared = (
        canonicalize(encoded_query(href, reading.encoding), base)
        for rel, href in reading.head_links
        if "canonical" in rel.split()
    )
    target = next(declared, "") or ""
    return target if site_of(host_of(target)) == site_of(host_of(url)) else ""


def base_of(reading: Reading, url: str) -> str:
    """What relative links are relative to: ``<base href>``, of another host too, as browsers do; else ``url``.

    Not one that leads from the open web into nowhere, such as ``http://localhost/`` left over from writing the page.
    """
    base = canonicalize(reading.base, url) if reading.base else None
    if not base:
        return url
    host = host_of(base)
    return url if host != host_of(url) and ("." not in host or host.startswith("127.")) and "[" not in host else base


def robots_of(reading: Reading, header: str = "") -> frozenset[str]:
    """noindex and nofollow, as far as ``<meta name=robots>`` (or ``name=topicspider``) or the X-Robots-Tag header says so.

    "none" is both. What is addressed to another crawler is none of ours. ``header`` has a line for each header.
    """
    said = [reading.meta.get("robots", ""), reading.meta.get(_OUR_NAME, "")]
    said += [_addressed_to_us(line) for line in header.split("\n")[:20]]
    words = frozenset(re.split(r"[\s,;]+", ",".join(said).lower()))
    both = frozenset({"noindex", "nofollow"})
    return both if "none" in words else words & both


def _addressed_to_us(line: str) -> str:
    """The rules of one X-Robots-Tag header: ``noindex``, ``topicspider: noindex``, but not ``otherbot: noindex``."""
    name, colon, rules = line.partition(":")
    name = name.strip().lower()
    if not colon or not _AGENT.fullmatch(name) or name in _RULES_WITH_VALUES:
        return line
    return rules if name == _OUR_NAME else ""


def feeds_of(reading: Reading, base: str) -> tuple[str, ...]:
    """The feeds of ``<link rel=alternate type=application/rss+xml>`` (or Atom's), canonical."""
    found = (canonicalize(encoded_query(href, reading.encoding), base) for href in reading.feeds)
    return tuple(dict.fromkeys(url for url in found if url))


def refresh_of(reading: Reading, base: str) -> str:
    """Where ``<meta http-equiv=refresh>`` leads, canonical, or ""."""
    found = _REFRESH.match(reading.meta.get("refresh", ""))
    return (canonicalize(encoded_query(found[1], reading.encoding), base) or "") if found and found[1] else ""


_META = ("author", "article:author", "authors", "byl", "dc.creator", "dcterms.creator", "citation_author", "parsely-author", "sailthru.author", "article.author")  # fmt: skip
_NOT_OF_THE_PAGE = frozenset({"comment", "review", "answer", "website", "quotation"})
_NOBODY = re.compile(
    r"(?:admin\w*|webmaster|root|administrator|editor\w*|author|unknown|anonymous|guest|user\d*|test|none|null|discuz.*|.*comsenz.*|dedecms|phpcms|wordpress"
    r"|匿名.*|佚名|未知|不详|本站.*|原创|网络|互联网|转载|管理员|站长|编辑|小编|游客|admin.*)",
    re.IGNORECASE,
)
# What ends a name within a line of 来源, 时间 and others
_STOP = re.compile(
    r"[|｜丨()（）\[\]【】<>《》:：;；\n\t]|\d{2,}|\s{3,}|(?:来源|來源|出处|责任|責任|编辑|編輯|责编|時間|时间|日期|发布|發布|发表|点击|浏览|阅读|字号|通讯员|通訊員|实习生|摄影|攝影|摄|攝|报道|報道|報导|报导|報導|综合|校对|审核|监制|图[/／])"
)
_LABELLED = re.compile(
    r"(?=[作撰文AaАа])(?:(?<![^\W_])|(?<=本文)|(?<=文章))"
    r"(?:作\s{0,4}者|撰\s?文|撰\s?稿人?|文|[Aa]uthors?|[Аа]втор)\s?[:：/／|｜丨]\s{0,3}([^\n]{1,80})"
)
# not before a comma: 记者了解到， begins a sentence
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
    """Who wrote it, at most 80 characters, several joined by commas (、 in Chinese); "" when unknown.

    The first that names somebody: JSON-LD and microdata, a Chinese byline near the title or at the end (templates of Chinese sites
    often put their own name into meta author), meta author, a link with rel=author, an element called author, By Jane Doe.
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
    """The names that JSON-LD and microdata declare: texts, persons, references to some."""
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
    """Links with rel=author, elements called author, then short lines in containers called author or byline near the title."""

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
    """Whether a declared author is but the site's own name: part of its host or the end of its title."""
    squeezed = "".join(reading.meta.get(name, "").lower().split())
    return squeezed in host or "".join(reading.title.lower().split()).endswith(squeezed)


def _names(text: str) -> list[str]:
    """The names at the beginning of a line, up to what is none; Chinese ones may stand side by side."""
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


_RIGHTS = re.compile(r"©|\(c\)|copyright|版权所有|版權所有|著作权|all rights reserved", re.IGNORECASE)
_MARKS = re.compile(r"(?<!\s)\s*(?:[|｜_»«•·]|\s[-–—:]\s|[-—–－](?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[-—–－])\s*")
_CALLED_SITE = re.compile(
    r".{1,12}(?:[网網站]|在线|在線|论坛|論壇|社区|社區|[日晚晨时時]报|[日晚晨時]報|电视台|電視台|百科)"
)
_HOME = re.compile(r"(?:(?:https?:)?//[^/]+)?/?|\./")


def declared_site_name(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """og:site_name, application-name, JSON-LD WebSite, then a publisher; else ""."""
    objects = list(objects)
    named = chain(
        (reading.meta.get(name, "") for name in ("og:site_name", "application-name", "site_name", "sitename")),
        (text_of(thing.get("name")) for thing in objects if "website" in types_of(thing)),
        (text_of(thing.get("publisher")) for thing in objects),
        [reading.meta.get("apple-mobile-web-app-title", "")],
    )
    return next(filter(None, (one_line(name, 100) for name in named)), "")


def shown_site_name(reading: Reading, learned: tuple[str, ...] = ()) -> str:
    """The name that readers see, or ""; ``learned`` is what titles of the host have in common, whole and in parts.

    A part of the title that the copyright line or a link to the front page confirms, else a last part that says it is a site
    (山水网, 山水论坛), else the last learned name.
    """
    parts = [part for part in _MARKS.split(reading.title[:300]) if len(part) > 1]
    rights = [line for line in reading.text[-3000:].split("\n") if len(line) <= 300 and _RIGHTS.search(line)]
    confirmed = (part for part in reversed(parts[1:] or parts) if any(part in line for line in rights))
    last = (
        parts[-1] if len(parts) > 1 and (_CALLED_SITE.fullmatch(parts[-1]) or parts[-1] in _home_texts(reading)) else ""
    )
    return one_line(next(confirmed, "") or last or (learned[-1] if learned else ""), 100)


def _home_texts(reading: Reading) -> set[str]:
    """What the first links to a front page say."""
    links = (one for one in reading.anchors[:50] if _HOME.fullmatch(one.href.strip()[:100]))
    return {one_line(reading.text[one.start : min(one.end, one.start + 100)], 100) for one in links}


# --- typed objects ------------------------------------------------------------------------------

_CONTROL = re.compile(r"[\x00-\x1f]+")

ARTICLES = frozenset(
    {"article", "newsarticle", "blogposting", "reportagenewsarticle", "techarticle", "report", "liveblogposting"}
)
PRODUCTS = frozenset({"product", "productgroup", "individualproduct", "vehicle"})
_KINDS = {
    "article": ARTICLES,
    "forum": frozenset({"discussionforumposting", "socialmediaposting", "qapage", "question"}),
    "product": PRODUCTS | {"book"},
    "list": frozenset({"itemlist", "collectionpage", "searchresultspage"}),
}


def objects_of(reading: Reading) -> list[dict[str, object]]:
    """Every typed object of a page's JSON-LD, at most 200, outer ones first; malformed scripts are left out."""
    found: list[dict[str, object]] = []
    for script in reading.json_ld:
        found.extend(_typed(_parsed(script)))
    return found[:200]


def types_of(thing: dict[str, object]) -> frozenset[str]:
    """The lower-case type names of an object, without the address of the vocabulary."""
    declared = thing.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return frozenset(name.rpartition("/")[2].lower()[:60] for name in names if isinstance(name, str))


def kind_of(objects: list[dict[str, object]]) -> str:
    """article, forum, product or list, as the outermost typed object says; "" when none does."""
    kinds = (kind for thing in objects for kind, names in _KINDS.items() if types_of(thing) & names)
    return next(kinds, "")


def text_of(value: object) -> str:
    """The text of a JSON-LD value: itself, its name, or the first of a list; at most 500 characters, one line."""
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return one_line(value if isinstance(value, str) else f"{value:.15g}", 500)


def _parsed(script: str) -> object:
    """The JSON of one script; line breaks in strings and a trailing comma or semicolon are forgiven."""
    text = script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    if text.count("{") + text.count("[") > 20_000:
        return None
    text = _CONTROL.sub(" ", text)
    for one in (text, re.sub(r",\s*([}\]])", r"\1", text)):
        with suppress(ValueError, RecursionError):
            return json.loads(one, parse_int=float)  # int() refuses more than 4,300 digits
    return None


def _typed(value: object, depth: int = 0) -> Iterator[dict[str, object]]:
    if depth > 8:
        return
    if isinstance(value, list):
        for part in value[:200]:
            yield from _typed(part, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement"):
            yield from _typed(value.get(name), depth + 1)


def items_of(root: LexborNode | None) -> list[dict[str, object]]:
    """The typed items of a tree in document order, inner ones inside their properties, too; each property is a list."""
    if root is None:
        return []
    items: dict[int, dict[str, object]] = {}
    left = 500_000  # characters of all properties together: nested ones hold the same text again
    nodes = {node.mem_id: node for node in root.css("[itemscope],[itemprop]")[:600]}  # those of both come twice
    for node in nodes.values():
        attributes = node.attributes
        names = (attributes.get("itemprop") or "").split()[:4]
        value: object
        if "itemscope" in attributes:
            types = (attributes.get("itemtype") or "").split()[:5]
            value = items[node.mem_id] = {"@type": types} if types else {}
        else:
            value = _attribute_value(node, names)
            if not value and left > 0:
                text = node.text(deep=True) or ""
                value, left = one_line(text[:2_000], 500), left - len(text)
        owner = _owner(node, items) if names else None
        if owner is not None and value != "":
            for name in names:
                values = owner.setdefault(name[:60], [])
                if isinstance(values, list) and name != "@type":
                    values.append(value)
    return [item for item in items.values() if "@type" in item]


def _owner(node: LexborNode, items: dict[int, dict[str, object]]) -> dict[str, object] | None:
    parent = node.parent
    for _ in range(60):
        if parent is None:
            return None
        if parent.mem_id in items:
            return items[parent.mem_id]
        parent = parent.parent
    return None


def _attribute_value(node: LexborNode, names: list[str]) -> str:
    """What a property's element declares: its content or datetime, or the address it names."""
    is_text = node.tag == "a" and "url" not in names and "sameAs" not in names
    wanted = ("content", "datetime") if is_text else ("content", "datetime", "href", "src")
    return one_line(next((value for name in wanted if (value := node.attributes.get(name))), ""), 500)


MAX_KEYWORDS = 10
_SEPARATORS = re.compile(r"[,，、;；|｜\n\t]+")
_AMOUNT = re.compile(r"[\d一二三四五六七八九十百千万亿零〇两]{2,}|\d")


def keywords_of(declared: str, title_words: Sequence[str], body_words: Sequence[str], language: str = "") -> list[str]:
    """At most ten keywords, best first, no two alike, no small words of ``language``. ``declared`` is the page's own list: at most five of it, if the words confirm them.

    Words come normalised (half width, lower case, simplified), so a declared word in traditional characters is confirmed by
    simplified ones. It is kept as the page writes it.
    """
    counts = Counter(body_words)
    for word in title_words:
        counts[word] += 3  # titles name the subject, bodies repeat it
    chosen = _confirmed(declared, counts, (title_words, body_words))
    known = set(chosen)
    keywords = list(chosen.values())
    for word in _by_weight(counts):
        if len(keywords) >= MAX_KEYWORDS:
            break
        if word not in known and _is_keyword(word) and not is_small_word(word, language):
            keywords.append(word)
    return keywords


def meta_keywords(declared: str, title_words: Sequence[str]) -> list[str]:
    """(d) Xu 2007's rule, as published: the first ten of meta keywords, else of the title's words."""
    return _split(declared)[:MAX_KEYWORDS] or list(dict.fromkeys(title_words))[:MAX_KEYWORDS]


def _by_weight(counts: Counter[str]) -> Iterator[str]:
    """The words by count times idf, the heaviest first, equals in the order of their characters; those said once come last."""
    for is_repeated in (True, False):
        some = {word: count for word, count in counts.items() if (count > 1) == is_repeated}
        weights = map(mul, some.values(), idfs(some))
        yield from (word for _weight, word in sorted(zip(map(neg, weights), some, strict=True)))


def _confirmed(declared: str, counts: Counter[str], words: tuple[Sequence[str], ...]) -> dict[str, str]:
    """Normalised word to the page's spelling, for those of the page's list that stand in its text, in one piece or several."""
    confirmed: dict[str, str] = {}
    joined = ""
    for word in _split(declared)[:40]:
        plain = normalise(word)
        if plain not in counts:
            joined = joined or "\n".join("".join(part) for part in words)
            if "".join(plain.split()) not in joined:
                continue
        confirmed.setdefault(plain, word)
        if len(confirmed) == 5:  # only 43 % of such words stand in the body at all
            break
    return confirmed


def _split(declared: str) -> list[str]:
    words = _SEPARATORS.split(declared[:2000])
    if len(words) == 1:
        words = declared[:2000].split()
    lines = (one_line(word, 30) for word in words)
    return list(dict.fromkeys(word for word in lines if len(word) > 1))


def _is_keyword(word: str) -> bool:
    return 1 < len(word) <= 30 and any(map(str.isalpha, word)) and not _AMOUNT.match(word) and not is_scrap(word)


MAX_SUMMARY = 300
_SENTENCE = re.compile(r"[^\n]+?(?:[。！？!?…；]+[”’」』）)\"]*|\.[”’\")]*(?=\s[^a-z]|\s?$)|(?=\n)|$)")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, Chinese and Latin; a line break ends one, a dot within a number or a name does not."""
    return (part for found in _SENTENCE.finditer(text) if (part := found[0].strip()))


MOST_SENTENCES = 40
"""Of those that were added or removed; a page that has more of them is another page."""


def changed_sentences(before: str, after: str) -> tuple[list[str], list[str]]:
    """The sentences that were added and those that were removed, at most MOST_SENTENCES of each; what makes no change (content_signature) is passed over."""
    old, new = ({"".join(told(one).split()): one for one in sentences(text[:200_000])} for text in (before, after))
    pairs = ((new, old), (old, new))
    added, removed = ([one for key, one in some.items() if key and key not in others] for some, others in pairs)
    return added[:MOST_SENTENCES], removed[:MOST_SENTENCES]


def summary_of(body: str, title: str = "") -> str:
    """The first sentences of a text that say something besides the title: at most three, and MAX_SUMMARY characters."""
    all_telling = (sentence for sentence in sentences(body[:4000]) if _tells(sentence, title))
    telling = list(islice(all_telling, 3)) or [body[:4000]]
    sizes = accumulate(map(len, telling))
    return _in_one_line(telling[: max(1, sum(size <= MAX_SUMMARY for size in sizes))])


def _tells(sentence: str, title: str) -> bool:
    """Whether it has eight Chinese characters or so many bytes, and is not the title."""
    return len(sentence.encode("utf-8", "ignore")) >= 24 and sentence.strip("。.!！?？") != title


def _in_one_line(chosen: list[str]) -> str:
    text = ""
    for sentence in chosen:
        text += (" " if text and text[-1].isascii() else "") + " ".join(sentence.split())
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"
