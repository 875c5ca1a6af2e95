"""One page: decoded, parsed, walked and cut into words at most once, whoever asks first.

Invariant P1: no input raises out of ``Page``, and every field is bounded.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topicspider.page.body import Body, body_of
from topicspider.page.bounds import bounded
from topicspider.page.decode import Decoded, decode
from topicspider.page.links import Links, links_of
from topicspider.page.title import title_of
from topicspider.page.walk import Reading, walk
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from topicspider.page.link import Link
    from topicspider.text.segment import Segmenter

MAX_WORDS = 20_000


class Page:
    """What one response says; every property is computed on first use and kept.

    ``segmenter`` cuts the words (``None``: rjieba); ``max_links`` bounds ``links``.
    """

    def __init__(
        self, url: str, body: bytes, content_type: str = "", segmenter: Segmenter | None = None, max_links: int = 2000
    ) -> None:
        self.url = url
        self._bytes = body
        self._content_type = content_type
        self._segmenter = segmenter
        self._max_links = max_links

    @cached_property
    def decoded(self) -> Decoded:
        """The text, with the encoding declared, the one used, and how it was found."""
        return decode(self._bytes, self._content_type)

    @property
    def encoding(self) -> str:
        """The encoding used, as the web names it."""
        return self.decoded.encoding

    @property
    def html(self) -> str:
        """The text of the response."""
        return self.decoded.text

    @cached_property
    def reading(self) -> Reading:
        """What the one walk noted: private to this room."""
        try:
            return walk(LexborHTMLParser(bounded(self.html)).root)
        except SelectolaxError:
            return Reading()

    @cached_property
    def base_url(self) -> str:
        """What relative links are relative to: ``<base href>`` when it is a web address, else the page's URL."""
        base = self.reading.base
        return (canonicalize(base, self.url) if base else None) or self.url

    @cached_property
    def title(self) -> str:
        """The title, at most 300 characters."""
        return title_of(self.reading)

    @cached_property
    def _body(self) -> Body:
        return body_of(self.reading, self.title)

    @property
    def body(self) -> str:
        """The running text, lines joined by newlines; "" when there is none."""
        return self._body.text

    @cached_property
    def _links(self) -> Links:
        return links_of(self.reading, self.base_url, self._max_links)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links in document order, one per (URL, anchor)."""
        return self._links.links

    @property
    def link_count(self) -> int:
        """The number of ``links``."""
        return len(self.links)

    @cached_property
    def title_words(self) -> tuple[str, ...]:
        """The words of the title."""
        return self._words(self.title)

    @cached_property
    def body_words(self) -> tuple[str, ...]:
        """The words of the body, at most MAX_WORDS."""
        return self._words(self.body)

    def _words(self, text: str) -> tuple[str, ...]:
        if self._segmenter is None:
            from topicspider.text.segment import make_segmenter

            self._segmenter = make_segmenter("rjieba")
        return tuple(self._segmenter.words(text)[:MAX_WORDS])
