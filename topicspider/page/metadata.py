"""Metadata of a page: from its head (canonical URL, base, robots, feeds), its site's name, keywords and a summary."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, chain, islice
from operator import mul, neg
from typing import TYPE_CHECKING

from topicspider.page.near_duplicate import told
from topicspider.page.parsed_page import one_line
from topicspider.page.typed_objects import text_of, types_of
from topicspider.text.language import is_small_word
from topicspider.text.lexicon import idfs, is_scrap
from topicspider.text.normalise import normalise
from topicspider.url import canonicalize, encoded_query, host_of, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topicspider.page.parsed_page import Reading


_REFRESH = re.compile(
    r"\s*+(?:\d{1,9}+(?:\.\d{0,9}+)?+)?+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s][^\"']{0,2000})",
    re.IGNORECASE,
)
_OUR_NAME = "topicspider"
_AGENT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,60}")
_RULES_WITH_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


def canonical_of(reading: Reading, base: str, url: str) -> str:
    """The address of ``<link rel=canonical>`` if it belongs to the page's own site, else "": wrong ones are common."""
    declared = (
        canonicalize(encoded_query(href, reading.encoding), base)
        for rel, href in reading.head_links
        if "canonical" in rel.split()
    )
    target = next(declared, "") or ""
    return target if site_of(host_of(target)) == site_of(host_of(url)) else ""


def base_of(reading: Reading, url: str) -> str:
    """The base of relative links: ``<base href>``, even on another host, as in browsers; else ``url``.

    A base such as ``http://localhost/``, left over from writing the page, is ignored on pages of other hosts.
    """
    base = canonicalize(reading.base, url) if reading.base else None
    if not base:
        return url
    host = host_of(base)
    return url if host != host_of(url) and ("." not in host or host.startswith("127.")) and "[" not in host else base


def robots_of(reading: Reading, header: str = "") -> frozenset[str]:
    """Those of noindex and nofollow that ``<meta name=robots>`` (or ``name=topicspider``) or an X-Robots-Tag header asks for.

    "none" means both. Rules addressed to another crawler are ignored. ``header`` has a line for each header.
    """
    said = [reading.meta.get("robots", ""), reading.meta.get(_OUR_NAME, "")]
    said += [_addressed_to_us(line) for line in header.split("\n")[:20]]
    words = frozenset(re.split(r"[\s,;]+", ",".join(said).lower()))
    both = frozenset({"noindex", "nofollow"})
    return both if "none" in words else words & both


def _addressed_to_us(line: str) -> str:
    """The rules of one X-Robots-Tag header that apply to us: ``noindex``, ``topicspider: noindex``, but not ``otherbot: noindex``."""
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


_RIGHTS = re.compile(r"©|\(c\)|copyright|版权所有|版權所有|著作权|all rights reserved", re.IGNORECASE)
_MARKS = re.compile(r"(?<!\s)\s*(?:[|｜_»«•·]|\s[-–—:]\s|[-—–－](?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[-—–－])\s*")
_CALLED_SITE = re.compile(
    r".{1,12}(?:[网網站]|在线|在線|论坛|論壇|社区|社區|[日晚晨时時]报|[日晚晨時]報|电视台|電視台|百科)"
)
_HOME = re.compile(r"(?:(?:https?:)?//[^/]+)?/?|\./")


def declared_site_name(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """The site's name by og:site_name, application-name, JSON-LD WebSite or publisher, in this order; else ""."""
    objects = list(objects)
    named = chain(
        (reading.meta.get(name, "") for name in ("og:site_name", "application-name", "site_name", "sitename")),
        (text_of(thing.get("name")) for thing in objects if "website" in types_of(thing)),
        (text_of(thing.get("publisher")) for thing in objects),
        [reading.meta.get("apple-mobile-web-app-title", "")],
    )
    return next(filter(None, (one_line(name, 100) for name in named)), "")


def shown_site_name(reading: Reading, learned: tuple[str, ...] = ()) -> str:
    """The site's name as readers see it, or ""; ``learned``: the names that titles of the host have in common (site_titles.Common).

    A part of the title that the copyright line repeats, else the last part if a link to the front page repeats it or it looks like a
    site's name (山水网, 山水论坛), else the last learned name.
    """
    parts = [part for part in _MARKS.split(reading.title[:300]) if len(part) > 1]
    rights = [line for line in reading.text[-3000:].split("\n") if len(line) <= 300 and _RIGHTS.search(line)]
    confirmed = (part for part in reversed(parts[1:] or parts) if any(part in line for line in rights))
    last = (
        parts[-1] if len(parts) > 1 and (_CALLED_SITE.fullmatch(parts[-1]) or parts[-1] in _home_texts(reading)) else ""
    )
    return one_line(next(confirmed, "") or last or (learned[-1] if learned else ""), 100)


def _home_texts(reading: Reading) -> set[str]:
    """The anchor texts of links to a front page, among the first 50 links."""
    links = (one for one in reading.anchors[:50] if _HOME.fullmatch(one.href.strip()[:100]))
    return {one_line(reading.text[one.start : min(one.end, one.start + 100)], 100) for one in links}


MAX_KEYWORDS = 10
_SEPARATORS = re.compile(r"[,，、;；|｜\n\t]+")
_AMOUNT = re.compile(r"[\d一二三四五六七八九十百千万亿零〇两]{2,}|\d")


def keywords_of(declared: str, title_words: Sequence[str], body_words: Sequence[str], language: str = "") -> list[str]:
    """At most ten keywords, best first: up to five of the page's list ``declared`` that its text contains, then words by count times idf.

    No keyword comes twice, and function words of ``language`` are left out. The text's words are normalised (half width, lower case,
    simplified characters), and so is a declared word to be compared with them; it is returned as the page writes it.
    """
    counts = Counter(body_words)
    for word in title_words:
        counts[word] += 3  # a title names the subject
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
    """The rule of (d) Xu 2007, as published: the first ten meta keywords, else the first ten words of the title."""
    return _split(declared)[:MAX_KEYWORDS] or list(dict.fromkeys(title_words))[:MAX_KEYWORDS]


def _by_weight(counts: Counter[str]) -> Iterator[str]:
    """The words by count times idf, heaviest first, ties in the order of characters; words that occur once come last."""
    for is_repeated in (True, False):
        some = {word: count for word, count in counts.items() if (count > 1) == is_repeated}
        weights = map(mul, some.values(), idfs(some))
        yield from (word for _weight, word in sorted(zip(map(neg, weights), some, strict=True)))


def _confirmed(declared: str, counts: Counter[str], words: tuple[Sequence[str], ...]) -> dict[str, str]:
    """Normalised word to the page's spelling, for at most five declared words that occur in its text, as one word or several."""
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
    """The sentences of a text, Chinese or Latin; a line break ends a sentence, a dot within a number or a name does not."""
    return (part for found in _SENTENCE.finditer(text) if (part := found[0].strip()))


MOST_SENTENCES = 40
"""Most sentences kept of those added, and of those removed."""


def changed_sentences(before: str, after: str) -> tuple[list[str], list[str]]:
    """(sentences added, sentences removed), at most MOST_SENTENCES each; what content_signature ignores makes no difference."""
    old, new = ({"".join(told(one).split()): one for one in sentences(text[:200_000])} for text in (before, after))
    pairs = ((new, old), (old, new))
    added, removed = ([one for key, one in some.items() if key and key not in others] for some, others in pairs)
    return added[:MOST_SENTENCES], removed[:MOST_SENTENCES]


def summary_of(body: str, title: str = "") -> str:
    """The first sentences that are neither very short nor the title: at most three, and at most MAX_SUMMARY characters."""
    all_telling = (sentence for sentence in sentences(body[:4000]) if _tells(sentence, title))
    telling = list(islice(all_telling, 3)) or [body[:4000]]
    sizes = accumulate(map(len, telling))
    return _in_one_line(telling[: max(1, sum(size <= MAX_SUMMARY for size in sizes))])


def _tells(sentence: str, title: str) -> bool:
    """Whether a sentence has at least 24 bytes (eight Chinese characters) and is not the title."""
    return len(sentence.encode("utf-8", "ignore")) >= 24 and sentence.strip("。.!！?？") != title


def _in_one_line(chosen: list[str]) -> str:
    text = ""
    for sentence in chosen:
        text += (" " if text and text[-1].isascii() else "") + " ".join(sentence.split())
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"
