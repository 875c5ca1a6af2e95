"""Finds candidates for seeds: the links of a page of search results, or stored hits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from topicspider.errors import one_line
from topicspider.relevance.judgement import PageWords
from topicspider.text.normalise import normalise
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_of, site_of
from topicspider.url.words import words_in_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topicspider.page.links.link import Link
    from topicspider.store.contract import PageRow, Store
    from topicspider.workbench.bench import Bench

MOST = 50
"""(a) Li 2002 takes the first 50 results of a search."""
_MADE_UP = "file.invalid"  # what links are relative to on a page whose address nobody knows


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible seed. ``trouble`` says in words why a crawl would not get it; "" when it would."""

    url: str
    title: str = ""
    snippet: str = ""
    score: float = 0.0
    trouble: str = ""


def of_results(address: str, links: Sequence[Link]) -> list[Candidate]:
    """The first MOST pages that a page of search results leads to: links of its main part, away from its own site.

    A link of the site itself that names another address in its query (``/url?q=https://…``) counts as a link to that address. Of a page
    without an address the own sites are those that such links, or most links of its menus, lead to.
    """
    own = _own_sites(address, links)
    leading = [(url, link) for link in links if (url := _target(link.url, own)) and site_of(host_of(url)) not in own]
    # on a page of nothing but links the main part may not be told from its furniture
    main = [(url, link) for url, link in leading if link.block == "main"] or leading
    found: dict[str, Candidate] = {}
    for url, link in main:
        known = found.get(url, Candidate(url))
        # what stands before a result belongs to the one before it
        snippet = known.snippet if link.after in known.snippet else f"{known.snippet} {link.after}".strip()
        found[url] = Candidate(url, known.title or link.anchor or link.title, snippet)
    return list(found.values())[:MOST]


def of_hits(stores: Iterable[Store], query: str, bench: Bench) -> list[Candidate]:
    """The MOST best stored hits, of any topic, whose title and text have every word of ``query``; scored for this topic."""
    words = normalise(query).split()
    found: dict[str, Candidate] = {}
    for row in _hits(stores):
        item = row.item
        text = normalise(f"{item.title}\n{item.body}")
        if item.url not in found and all(word in text for word in words):
            score = bench.judge(bench.words(item.title, item.body)).value
            found[item.url] = Candidate(item.url, one_line(item.title), one_line(item.summary), score)
    return best_first(found.values())[:MOST]


def scored(candidates: Iterable[Candidate], bench: Bench) -> list[Candidate]:
    """Each with its score by title, snippet and the words of its URL; the best first."""
    return best_first(
        Candidate(one.url, one.title, one.snippet, bench.judge(_words(one, bench)).value) for one in candidates
    )


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """In the order of their scores; equal ones stay as they were."""
    return sorted(candidates, key=lambda one: -round(one.score, 6))


def _words(one: Candidate, bench: Bench) -> PageWords:
    of_url = [word for piece in words_in_url(one.url) for word in bench.segmenter.words(piece)]
    of_text = bench.words(one.title, one.snippet)
    return PageWords(title=of_text.title, body=(*of_text.body, *of_url))


def _hits(stores: Iterable[Store]) -> Iterator[PageRow]:
    for store in stores:
        yield from (row for row in store.all_hits() if not row.item.duplicate_of)


def _own_sites(address: str, links: Sequence[Link]) -> set[str]:
    host = host_of(address)
    if host != _MADE_UP:
        return {site_of(host)}
    own = {_MADE_UP} | {site_of(host_of(link.url)) for link in links if _inner(link.url)}
    menus = Counter(site_of(host_of(link.url)) for link in links if link.block != "main")
    return own | {site for site, count in menus.most_common(1) if count > 1}


def _target(url: str, own: set[str]) -> str:
    """Where a link leads in the end, as far as it says so itself."""
    return (_inner(url) if site_of(host_of(url)) in own else "") or url


def _inner(url: str) -> str:
    """The address of another site in the query of ``url``, "" when there is none."""
    for _name, value in parse_qsl(urlsplit(url).query):
        if value.startswith(("http://", "https://")) and (inner := canonicalize(value)):
            return inner if site_of(host_of(inner)) != site_of(host_of(url)) else ""
    return ""
