"""Why a page or a link has its score: a bar of signed parts, the words in the text, and what would change the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from topicspider.cli.explain import LINK_FORMULAS, PAGE_FORMULAS, PageScoreParts, as_then, explained, meanings_of
from topicspider.errors import NotCrawled, UnknownTopic
from topicspider.i18n import gettext as _
from topicspider.search.snippets import find_words
from topicspider.serve.page import crawl_name, linked_by
from topicspider.serve.site import Data, Fields, Site, View
from topicspider.serve.stored import NotStored, address_in, crawled_topics, judge_named, stored_page, stores
from topicspider.store.store import Store
from topicspider.url import readable_url

BODY_SHOWN = 20_000
"""How many characters of a page's text are shown."""
MOST_PARTS = 8
"""As many colours can be told apart; all other parts are shown as one."""
WIDTH = 1000.0
SMALLEST = 1e-12
"""Smaller parts are left out: no bar can show them."""
_JUDGING = Lock()
"""Held while pages are judged: a judge first loads what its crawl has learned, so only one reader at a time may use it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, from ``start`` and ``width`` wide, in thousandths of the bar; ``colour`` 0 is for the other parts together."""

    name: str
    value: float
    start: float
    width: float
    colour: int


@dataclass(frozen=True, slots=True)
class Bar:
    """Positive parts are to the right of ``zero``, negative ones to the left. ``total``: where the sum ends; ``mark``: the threshold."""

    segments: Sequence[Segment]
    zero: float
    total: float
    mark: float | None


def bar_of(parts: Iterable[tuple[str, float]], threshold: float | None = None) -> Bar:
    """The MOST_PARTS largest parts, and the others together; the axis is long enough for the parts, their sum and the threshold."""
    ranked = sorted((part for part in parts if abs(part[1]) >= SMALLEST), key=lambda part: (-abs(part[1]), part[0]))
    shown = [(name, value, place + 1) for place, (name, value) in enumerate(ranked[:MOST_PARTS])]
    rest = ranked[MOST_PARTS:]
    signed = ([value for _name, value in rest if (value > 0) is sign] for sign in (True, False))
    shown += [(_("{count} more", count=len(values)), sum(values), 0) for values in signed if values]
    shown = [part for part in shown if round(part[1], 4)]  # rounded as it is printed; a part of 0.0000 says nothing
    above, below = (sum(abs(value) for _n, value, _c in shown if (value > 0) is sign) for sign in (True, False))
    scale = WIDTH / max(max(above, threshold or 0.0) + below, SMALLEST)
    zero = right = left = below * scale
    segments = []
    for name, value, colour in shown:
        width = abs(value) * scale
        left -= width if value < 0 else 0.0
        segments.append(Segment(name, value, left if value < 0 else right, width, colour))
        right += width if value > 0 else 0.0
    mark = None if threshold is None else zero + threshold * scale
    return Bar(segments, zero, zero + (above - below) * scale, mark)


def why(site: Site, fields: Fields) -> Data:
    """How a stored page was judged by each topic of its crawl, and each sampled link to it; raises NotStored if there is neither."""
    url, wanted = address_in(fields), fields.get("topic", "")
    try:  # the same crawl as on the page's own view
        with stored_page(site, fields) as (folder, store, row):
            found = _pages(site, folder, store, crawled_topics(folder, store), url)
            pages = [page for page in found if page["topic"] == wanted or not wanted]
            links = linked_by(store, crawl_name(folder, row.item.topic), url, row.item.referrer)
            topic = row.item.topic
    except NotStored:
        pages, (topic, links) = [], _links(site, fields, url)
    return {
        "url": url,
        "topic": topic,
        "crawl": fields.get("crawl", ""),
        "pages": pages,
        "links": [_link(link) for link in links],
        "legend": legend_of([*pages, *links]),
        "link_formula": next((_(LINK_FORMULAS.get(link["policy"], "")) for link in links if link["policy"]), ""),
    }


def _links(site: Site, fields: Fields, url: str) -> tuple[str, list[Data]]:
    """The sampled links to a page that was not fetched, and the topic of their crawl; raises NotStored."""
    for folder, store in stores(site, fields):
        topics = crawled_topics(folder, store)
        for topic in topics if fields.get("topic", "") in ("", *topics) else ():
            if links := linked_by(store, crawl_name(folder, topic), url):
                return fields.get("topic") or topic, links
    raise NotStored(readable_url(url))


def _pages(site: Site, folder: Path, store: Store, topics: Sequence[str], url: str) -> list[Data]:
    """The judged page as in `scrapy explain`; if a topic is gone, the verdict from when the page was crawled."""
    try:
        with _JUDGING:
            found = explained(
                store, topics, folder, url, lambda names: {name: judge_named(name, site) for name in names}
            )
    except (UnknownTopic, NotCrawled):
        rows = [row for topic in topics if (row := store.page(topic, url)) is not None]
        return [_page(as_then(row), row.item.body) for row in rows]
    if found is None:
        return []
    model = found.model.words() if found.model else ""
    bodies = {page.topic: row.item.body for page in found.pages if (row := store.page(page.topic, url)) is not None}
    return [{**_page(page, bodies.get(page.topic, "")), "model": model} for page in found.pages]


def _page(page: PageScoreParts, body: str) -> Data:
    told = asdict(page)
    told["words"] = [{"part": name, "value": value} for name, value in page.words or ()]
    words = dict(page.words or ())
    return {
        **told,
        "model": "",
        "formula": _(PAGE_FORMULAS.get(page.scorer, "")),
        "bar": asdict(bar_of(words.items(), page.threshold)) if words else None,
        "text": marked_words(body[:BODY_SHOWN], words),
        "marked_title": marked_words(page.title, words),
        "is_cut": len(body) > BODY_SHOWN,
        "missing": page.threshold - page.score,
    }


def _link(link: Data) -> Data:
    bar = bar_of(link["parts"].items()) if link["is_sum"] else None
    return {**link, "bar": asdict(bar) if bar and bar.segments else None}


def legend_of(judged: Iterable[Data]) -> dict[str, str]:
    """What the parts of pages and links mean."""
    return meanings_of(
        name for one in judged for name in (*one["parts"], *(word["part"] for word in one.get("words", ())))
    )


def marked_words(text: str, parts: Mapping[str, float]) -> list[tuple[str, int]]:
    """``text`` in pieces: 1 for a word that speaks for the topic, -1 for one that speaks against it, 0 for the rest."""
    values: dict[str, float] = {}
    for name, value in parts.items():
        word = name.rpartition(":")[2].removeprefix("-")
        values[word] = values.get(word, 0.0) + value
    pieces, place = [], 0
    for start, end, word in find_words(text, values):
        if start > place:
            pieces.append((text[place:start], 0))
        pieces.append((text[start:end], 1 if values.get(word, 0.0) > 0 else -1))
        place = end
    return [*pieces, (text[place:], 0)] if place < len(text) else pieces


VIEWS = (View("/why", "why.html", why),)
