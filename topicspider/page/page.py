"""One fetched page: decoded, parsed and split into words at most once, when a property first needs it.

Promise P1: no input makes ``Page`` raise an exception, and every field is bounded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topicspider.items import HUB
from topicspider.page.author import author_of
from topicspider.page.body import body_of, is_thread
from topicspider.page.dates import Dates
from topicspider.page.decode import Charset, Decoded, decode, is_markup
from topicspider.page.documents.plain import declared_title, is_plain_text, markup_of_text, whole_text
from topicspider.page.error_pages import A_PAGE, Condition, condition_of
from topicspider.page.filing import breadcrumbs_of, categories_of
from topicspider.page.links import LONGEST, Link, Links, links_of
from topicspider.page.metadata import (
    base_of,
    canonical_of,
    declared_site_name,
    feeds_of,
    keywords_of,
    meta_keywords,
    refresh_of,
    robots_of,
    shown_site_name,
    summary_of,
)
from topicspider.page.near_duplicate import content_signature, simhash
from topicspider.page.page_type import type_of
from topicspider.page.parsed_page import Reading, safe, zones
from topicspider.page.rewriting import bounded
from topicspider.page.site_titles import Seen
from topicspider.page.structured_data import structured_data
from topicspider.page.title import Cues, headings_of, headlines_of, line, title_of
from topicspider.page.typed_objects import items_of, kind_of, listed_in, objects_of, text_of
from topicspider.page.visual_title import visual_title
from topicspider.page.walk import walk
from topicspider.text.language import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from selectolax.lexbor import LexborNode

    from topicspider.page.site_titles import SiteTitles
    from topicspider.text.segment import Segmenter

MAX_WORDS = 20_000
_FACTS = (
    "is_html", "document", "title", "body", "content_hash", "encoding", "language", "subject_words", "filed_under", "sections", "body_words", "site_name", "type",
    "robots", "feeds",
)  # fmt: skip
_SAMPLE = "<title>旅游</title><p>景区全年开放，门票每人一百二十元。<a href='/a.html'>路线</a></p>"
_OF_HITS = ("summary", "keywords", "published", "modified", "author", "_structured_data", "simhash")


class Page:
    """The content of one response; every property is computed on first use and cached.

    ``segmenter`` splits text into words (None: rjieba). ``extraction``: "default", or "published" for titles as in (a) Li 2002 and keywords
    as in (d) Xu 2007. ``fetched_on``: the day of the fetch; it completes days without a year, and days after the next one are not believed.
    ``document``: pdf or docx if ``body`` is markup made from one. ``robots_header``: the X-Robots-Tag headers, one per line.
    ``site_titles``: the titles of earlier pages to compare with (None: no comparison).
    """

    def __init__(
        self,
        url: str,
        body: bytes,
        content_type: str = "",
        segmenter: Segmenter | None = None,
        *,
        extraction: str = "default",
        fetched_on: date | None = None,
        site_titles: SiteTitles | None = None,
        document: str = "",
        robots_header: str = "",
    ) -> None:
        self.url = url
        self._bytes = body
        self._content_type = content_type
        self._segmenter = segmenter
        self._is_published = extraction == "published"
        self._fetched_on = fetched_on
        self._site_titles = site_titles
        self._document = document
        self._robots_header = robots_header
        self._root: LexborNode | None = None

    @cached_property
    def decoded(self) -> Decoded:
        """The text, with its ``charset``."""
        return decode(self._bytes, self._content_type)

    @property
    def charset(self) -> Charset:
        """How the bytes became text: what was declared, what was used, why, and how many characters were repaired."""
        return self.decoded.charset

    @cached_property
    def encoding(self) -> str:
        """The web's name of the encoding used; "" for a document that was converted to markup."""
        return "" if self._document else self.decoded.encoding

    @property
    def html(self) -> str:
        """The text of the response."""
        return self.decoded.text

    @cached_property
    def reading(self) -> Reading:
        """The result of the one walk over the tree, private to ``page/``; empty when the page is neither markup nor plain text."""
        if not self.is_readable:
            return Reading()
        markup = self.html if self.is_html else markup_of_text(self.html)
        try:
            root = LexborHTMLParser(bounded(markup)).root
            self._root = root if "itemscope" in markup else None
            reading = walk(root)
        except SelectolaxError:
            return Reading()
        reading.encoding = self.encoding
        return reading

    @cached_property
    def _zones(self) -> list[str]:
        return zones(self.reading)

    @cached_property
    def base_url(self) -> str:
        """The base of relative links: ``<base href>`` when it is a usable web address, else the page's URL."""
        return base_of(self.reading, self.url)

    @cached_property
    def is_html(self) -> bool:
        """Whether it is markup: by the content type, else by what the first bytes look like."""
        return is_markup(self._bytes, self._content_type)

    @cached_property
    def document(self) -> str:
        """pdf, docx or text; "" for a web page and for what cannot be read."""
        if self._document or self.is_html:
            return self._document
        is_text = is_plain_text(self.url, self._bytes, self._content_type, self.html)
        return "text" if is_text else ""

    @property
    def is_readable(self) -> bool:
        """Whether there is something to read: markup or plain text (PDF and DOCX arrive converted to markup)."""
        return self.is_html or bool(self.document)

    @cached_property
    def title(self) -> str:
        """The title, at most 300 characters, one line."""
        if self.document:
            return safe(declared_title(self.reading))
        if self._is_published:
            return safe(line(self._visual_title) or title_of(self.reading, self._title_cues)[0])
        return safe(title_of(self.reading, self._title_cues)[0])

    @cached_property
    def _visual_title(self) -> str:
        return visual_title(self.reading, self._zones)

    @property
    def title_why(self) -> str:
        """The rule that found the title; "" without one."""
        if self.document or (self._is_published and self._visual_title):
            return "declared" if self.document else "by looks"
        return title_of(self.reading, self._title_cues)[1]

    @cached_property
    def _title_cues(self) -> Cues:
        headline = next((text for thing in self._objects if (text := text_of(thing.get("headline")))), "")
        names = (self._declared_site_name, self.reading.meta.get("application-name", ""))
        headings = headings_of(self.reading, self._zones)
        cues = Cues(self.url, self._zones, headings, headline, names)
        if self._site_titles is None:
            return cues
        seen = Seen(self.url, line(self.reading.title), headlines_of(headings))
        return replace(cues, common=self._site_titles.compare(seen))

    @cached_property
    def body(self) -> str:
        """The running text, at most 200,000 characters, lines joined by newlines; "" when there is none."""
        if self.document:
            return safe(whole_text(self.reading, self.title))
        return safe(body_of(self.reading, self._zones, self.title, self._is_thread))

    @cached_property
    def content_hash(self) -> int:
        """Signed 64-bit hash that shows a later visit whether title or body changed; see near_duplicate.content_signature."""
        return content_signature(self.title, self.body)

    @cached_property
    def _is_thread(self) -> bool:
        return is_thread(self.url, self.reading.meta, kind_of(self._objects))

    @cached_property
    def summary(self) -> str:
        """The first sentences of the body, at most three and 300 characters."""
        return summary_of(self.body, self.title)

    @cached_property
    def keywords(self) -> list[str]:
        """At most ten keywords, best first."""
        declared = self.reading.meta.get("keywords", "")
        if self._is_published:
            return meta_keywords(declared, self.title_words)
        return keywords_of(declared, self.title_words, self.body_words, self.language)

    @cached_property
    def language(self) -> str:
        """ISO 639-1 code, or "" when unknown; told by the text, as what pages declare is often their template's."""
        text = self.body or self.reading.text
        declared = self.reading.lang or self.reading.meta.get("content-language", "")
        return language_of(f"{self.title}\n{text[:1500]}", declared)

    @cached_property
    def published(self) -> str:
        """The day of publication, YYYY-MM-DD, or ""."""
        return self._dates.published.day

    @property
    def published_why(self) -> str:
        """The source that named the day of publication: json-ld, meta NAME, time, url, text, …; "" without a day."""
        return self._dates.published.source

    @cached_property
    def modified(self) -> str:
        """The day of the last change, YYYY-MM-DD, or ""."""
        return self._dates.modified.day

    @property
    def modified_why(self) -> str:
        """The source that named the day of the last change, as in ``published_why``."""
        return self._dates.modified.source

    @cached_property
    def _dates(self) -> Dates:
        return Dates(self.reading, self._zones, self.url, self.title, self._objects, self._fetched_on)

    @cached_property
    def author(self) -> str:
        """The author or authors, at most 80 characters, or ""."""
        return author_of(self.reading, self._objects + self._microdata, self._zones, self.title, self.url)

    @cached_property
    def site_name(self) -> str:
        """The name of the site, at most 100 characters, or ""."""
        return self._declared_site_name or shown_site_name(self.reading, self._title_cues.common.names)

    @cached_property
    def _declared_site_name(self) -> str:
        return declared_site_name(self.reading, self._objects)

    @cached_property
    def type(self) -> str:
        """article, hub, list, forum, product or document; the rule is in ``page_type.type_of``."""
        return type_of(
            self.reading, self._objects + self._microdata, self.body, self.url, not self.document and self.is_html
        )

    @property
    def is_hub(self) -> bool:
        """Whether the page is a hub: its use is its links to other pages, not its own text."""
        return self.type == HUB

    @property
    def data(self) -> dict[str, str]:
        """Typed fields of a book, a product or a company, with ``kind``; {} when the page is about none."""
        return self._structured_data[0]

    @property
    def data_why(self) -> dict[str, str]:
        """The source of each field of ``data``: "declared", "text", or the label before the value."""
        return self._structured_data[1]

    @cached_property
    def _structured_data(self) -> tuple[dict[str, str], dict[str, str]]:
        if self.document or not self.is_html:
            return {}, {}
        return structured_data(self, self._zones, self._objects + self._microdata)

    @cached_property
    def _condition(self) -> Condition:
        if self._document or not self.is_html:
            return A_PAGE
        return condition_of(self.reading, self.title, self.body)

    @property
    def condition(self) -> str:
        """What the response is instead of a page (soft 404, captcha, …), one of ``error_pages.CONDITIONS``; "" for a page."""
        return self._condition.name

    @property
    def condition_why(self) -> str:
        """The evidence for ``condition``, or ""."""
        return self._condition.why

    @cached_property
    def canonical(self) -> str:
        """The canonical address the page declares, if it is of the same site, else ""."""
        return canonical_of(self.reading, self.base_url, self.url)

    @cached_property
    def robots(self) -> frozenset[str]:
        """The subset of {noindex, nofollow} that the page or its X-Robots-Tag headers ask for."""
        return robots_of(self.reading, self._robots_header)

    @cached_property
    def feeds(self) -> tuple[str, ...]:
        """Canonical URLs of the RSS and Atom feeds that the page declares; they are not among ``links``."""
        return feeds_of(self.reading, self.base_url)

    @cached_property
    def refresh_url(self) -> str:
        """Where a meta refresh leads, or ""."""
        return refresh_of(self.reading, self.base_url)

    @cached_property
    def _objects(self) -> list[dict[str, object]]:
        return objects_of(self.reading)

    @cached_property
    def _microdata(self) -> list[dict[str, object]]:
        """The microdata items, read from the tree, which is kept when the markup contains "itemscope"."""
        _ = self.reading  # sets self._root
        try:
            return items_of(self._root) if self.is_html else []
        except SelectolaxError:
            return []

    @cached_property
    def _links(self) -> Links:
        return links_of(self.reading, self._zones, self.base_url, self.url, listed_in(self._objects))

    @property
    def links(self) -> tuple[Link, ...]:
        """The links in document order, one per (URL, anchor text)."""
        return self._links.links

    @property
    def skipped_links(self) -> Mapping[str, int]:
        """How many links were left out, by reason: scheme, media, invalid, fragment, repeated, limit."""
        return self._links.skipped

    @property
    def link_count(self) -> int:
        return len(self.links)

    @cached_property
    def title_words(self) -> tuple[str, ...]:
        return self._words(self.title)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The tags and categories that the page's site files it under, at most MAX_CATEGORIES."""
        declared = f"{self.reading.meta.get('article:section', '')},{self.reading.meta.get('article:tag', '')}"
        return categories_of(self.links, [name for name in declared.split(",") if 0 < len(name.strip()) <= LONGEST])

    @cached_property
    def breadcrumbs(self) -> tuple[str, ...]:
        """The names of the sections that the page lies in, the outermost first, at most MAX_CATEGORIES."""
        return breadcrumbs_of(self.reading, self._objects, self.title)

    @cached_property
    def subject_words(self) -> tuple[str, ...]:
        """The words of the title and of the categories: what the author says the page is about."""
        return (*self.title_words, *" ".join(self.filed_under).split())

    @cached_property
    def filed_under(self) -> tuple[str, ...]:
        """The words of each category, joined by spaces."""
        return tuple(filter(None, (" ".join(self._words(name)) for name in self.categories)))

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The words of each of ``breadcrumbs``, joined by spaces."""
        return tuple(filter(None, (" ".join(self._words(name)) for name in self.breadcrumbs)))

    @cached_property
    def body_words(self) -> tuple[str, ...]:
        """The words of the body, at most MAX_WORDS."""
        return self._words(self.body)

    @cached_property
    def simhash(self) -> int:
        """64-bit simhash of the body, nearly equal for near-duplicates; see near_duplicate.simhash."""
        return simhash(self.body_words)

    def facts(self, *, is_maybe_hit: bool = True) -> dict[str, Any]:
        """The properties a crawl needs, as plain values that another process can ``take``; fewer for a page that cannot be a hit."""
        plain = {name: getattr(self, name) for name in (*_FACTS, *(_OF_HITS if is_maybe_hit else ()))}
        links = (tuple(map(tuple, self.links)), dict(self._links.skipped))
        return {**plain, "_links": links, "_condition": (self.condition, self.condition_why)}

    def take(self, facts: dict[str, Any]) -> None:
        """Adopt the ``facts`` of the same page, computed elsewhere; other properties are still computed here."""
        links, skipped = facts["_links"]
        facts["_links"] = Links(tuple(map(Link._make, links)), Counter(skipped))
        facts["_condition"] = Condition(*facts["_condition"])
        self.__dict__.update(facts)

    @property
    def is_begun(self) -> bool:
        """Whether the page was read, at least in part, or its facts were taken over."""
        return "is_html" in self.__dict__

    @property
    def job(self) -> tuple[Any, ...]:
        """What another process needs to read the page: those arguments of ``Page`` that differ from page to page."""
        return self.url, self._bytes, self._content_type, self._fetched_on, self._document, self._robots_header

    def _words(self, text: str) -> tuple[str, ...]:
        segmenter = self._segmenter or _default_segmenter()
        return tuple(segmenter.words(text)[:MAX_WORDS])


def sample_page(segmenter: Segmenter, extraction: str) -> Page:
    """A made-up page: reading its ``facts`` loads dictionaries and libraries, which would delay a process's first page by .1 to .2 s."""
    return Page("http://early.invalid/", _SAMPLE.encode(), "text/html", segmenter, extraction=extraction)


@lru_cache(maxsize=1)
def _default_segmenter() -> Segmenter:
    from topicspider.text.segment import make_segmenter

    return make_segmenter()
