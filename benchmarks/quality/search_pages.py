"""Puts the pages of recorded sites and of a synthetic web into stores, for measuring search.

The synthetic web is written with some 3,000 words, so three words of one page are together in many others, unlike in human text. So each
synthetic page gets further words, drawn from a dictionary as often as text has them.

The sites are sites-dev.warc in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora. Reading takes some minutes of CPU; the stores
are kept in the given folder, and the next run uses them again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import accumulate, islice
from math import exp
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from topicspider.items import PageItem
from topicspider.page.near_duplicate import simhash
from topicspider.page.page import Page
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.rehearsal.response import RecordedResponse
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.store.rows import Batch, PageRow
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.text.lexicon import chinese_idfs
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.url import host_of

TOPIC = "all"
_AT_ONCE = 100
_LARGEST_MADE = 1_000_000
_SHORTEST_PARAGRAPH = 30
_OWN_WORDS = 60


def recorded_store(folder: Path, warc: Path) -> Store:
    """A store of the recorded pages, made when ``folder`` does not have it yet."""
    return _store(folder / "recorded.db", lambda: _recorded(WarcWeb(warc)))


def mixed_store(folder: Path, warc: Path, pages: int) -> Store:
    """A store of ``pages`` pages: the recorded ones, and synthetic ones."""
    return _store(mixed_file(folder, pages), lambda: islice(_mixed(folder, warc, pages), pages))


def mixed_file(folder: Path, pages: int) -> Path:
    """The file of mixed_store."""
    return folder / f"mixed-{pages}-own-words.db"


def _mixed(folder: Path, warc: Path, pages: int) -> Iterator[PageRow]:
    with closing(recorded_store(folder, warc)) as recorded:
        yield from recorded.all_hits()
    web = SyntheticWeb.read(f"pages={2 * pages},hosts={pages // 100}")
    segmenter, own = make_segmenter(), OwnWords()
    for url, truth in web.labels(2 * pages):
        if truth.kind == "page" and (response := web.find(url)) and len(response.body) < _LARGEST_MADE:
            yield _made_row(url, response, segmenter, own)


def _store(path: Path, rows: Callable[[], Iterable[PageRow]]) -> Store:
    if not path.exists():
        half = path.with_suffix(".half")
        half.unlink(missing_ok=True)
        with closing(Store(SqliteDatabase(half))) as store:
            rest = iter(rows())
            while some := list(islice(rest, _AT_ONCE)):
                store.write(Batch(pages=some))
        half.rename(path)
    return Store(SqliteDatabase(path))


def _recorded(web: WarcWeb) -> Iterator[PageRow]:
    """The pages of ``web`` that a crawl would keep, each once."""
    segmenter = make_segmenter()
    for url in web.urls():
        response = web.find(url)
        if response is not None and response.status == 200 and (row := _row(url, response, segmenter)):
            yield row


def _row(url: str, response: RecordedResponse, segmenter: Segmenter) -> PageRow | None:
    headers = {name.lower(): value for name, value in response.headers}
    page = Page(url, response.body, headers.get("content-type", ""), segmenter)
    if not page.is_readable or page.condition or not page.body:
        return None
    return _hit(url, page.title, page.body, page.published, len(page.links), simhash(page.body_words))


class OwnWords:
    """Draws words of two or more characters, as often as they are in text; the same words for the same page."""

    def __init__(self) -> None:
        known = {word: exp(-idf) for word, idf in chinese_idfs().items() if len(word) > 1}
        self._words = list(known)
        self._shares = list(accumulate(known.values()))

    def of(self, url: str) -> str:
        """A line of words."""
        return "、".join(random.Random(url).choices(self._words, cum_weights=self._shares, k=_OWN_WORDS))


def _made_row(url: str, response: RecordedResponse, segmenter: Segmenter, own: OwnWords) -> PageRow:
    """Read a page without our page reader, in a third of the time: the paragraphs of the synthetic web are known by their tag."""
    tree = LexborHTMLParser(Page(url, response.body, dict(response.headers)["Content-Type"]).html)
    title = tree.css_first("title")
    body = "\n".join(text for node in tree.css("p") if len(text := node.text(strip=True)) > _SHORTEST_PARAGRAPH)
    words = segmenter.words(body)  # copies stay copies
    body = f"{body}\n{own.of(url)}"
    return _hit(url, title.text().rpartition("_")[0] if title else "", body, "", len(tree.css("a")), simhash(words))


def _hit(url: str, title: str, body: str, published: str, links: int, mark: int) -> PageRow:
    item = PageItem(
        url,
        host=host_of(url),
        title=title,
        body=body,
        topic=TOPIC,
        relevance=0.5,
        published=published,
        fetched_at="2026-11-01T00:00:00Z",
        link_count=links,
    )
    return PageRow(item, on_topic=True, threshold=0.0, scorer="", simhash=mark)
