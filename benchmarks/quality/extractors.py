"""Reads a page by our own rules, and by each of the libraries with which they are compared."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from topicspider.page.decode import decode
from topicspider.page.page import Page


@dataclass(frozen=True, slots=True)
class Found:
    """What an extractor finds in a page; "" for what it does not find."""

    title: str = ""
    body: str = ""
    date: str = ""


Reader = Callable[[str, bytes], Found]


def read_ours(url: str, body: bytes) -> Found:
    """By our own rules."""
    page = Page(url, body)
    return Found(page.title, page.body, page.published)


def read_trafilatura(url: str, body: bytes) -> Found:
    """By trafilatura in its fast mode."""
    return _trafilatura(url, body, fast=True)


def read_trafilatura_full(url: str, body: bytes) -> Found:
    """By trafilatura in its default mode."""
    return _trafilatura(url, body, fast=False)


def _trafilatura(url: str, body: bytes, *, fast: bool) -> Found:
    import trafilatura

    found: Any = trafilatura.bare_extraction(
        _text(body), url=url, fast=fast, include_comments=False, with_metadata=True
    )
    return Found(found.title or "", found.text or "", found.date or "") if found else Found()


def read_readability(url: str, body: bytes) -> Found:
    """By readability-lxml."""
    import lxml.html
    import readability

    document = readability.Document(_text(body))
    text = "\n".join(lxml.html.fromstring(document.summary(html_partial=True)).itertext())
    return Found(document.short_title() or "", text)


def read_resiliparse(url: str, body: bytes) -> Found:
    """By resiliparse's extractor of the main content."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(_text(body))
    return Found(tree.title or "", extract_plain_text(tree, main_content=True))


def read_newspaper(url: str, body: bytes) -> Found:
    """By newspaper4k."""
    import newspaper

    article = newspaper.Article(url, fetch_images=False)
    article.download(input_html=_text(body))
    article.parse()
    return Found(article.title or "", article.text or "", str(article.publish_date or "")[:10])


def read_htmldate(url: str, body: bytes) -> Found:
    """By htmldate, which finds dates only."""
    import htmldate

    return Found(date=htmldate.find_date(_text(body), url=url, original_date=True) or "")


def _text(body: bytes) -> str:
    """The text by our own decoder, so that only the extraction is compared, not the decoding."""
    return decode(body, "").text


@dataclass(frozen=True, slots=True)
class Extractor:
    """A reader, the module that it needs, and the name of the distribution that has this module."""

    read: Reader
    module: str
    distribution: str

    @property
    def is_installed(self) -> bool:
        """Whether its module is installed."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The version of the distribution."""
        return version(self.distribution)


LIBRARIES: Mapping[str, Extractor] = {
    "trafilatura": Extractor(read_trafilatura, "trafilatura", "trafilatura"),
    "trafilatura-full": Extractor(read_trafilatura_full, "trafilatura", "trafilatura"),
    "readability": Extractor(read_readability, "readability", "readability-lxml"),
    "resiliparse": Extractor(read_resiliparse, "resiliparse", "resiliparse"),
    "newspaper": Extractor(read_newspaper, "newspaper", "newspaper4k"),
    "htmldate": Extractor(read_htmldate, "htmldate", "htmldate"),
}
