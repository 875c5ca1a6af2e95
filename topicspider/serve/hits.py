"""Hits: the search box, the results with facets, suggestions, and the export of the hits of a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topicspider.cli.command import one_of, whole_number
from topicspider.cli.crawl_data import opened_searches
from topicspider.cli.hits import answer_as_json, check_query
from topicspider.errors import ConfigError
from topicspider.export.formats import FORMATS, Sheet, write_export
from topicspider.i18n import N_, as_typed
from topicspider.search import SORTS
from topicspider.search.search import JointSearch, SearchRequest
from topicspider.serve.labels import labelled
from topicspider.serve.site import Content, Data, Download, Fields, Site, View
from topicspider.serve.stored import SEARCHES, folders
from topicspider.store.rows import GONE
from topicspider.store.snapshots import Snapshot, read_snapshot

HITS_A_PAGE = 20
MOST_PAGES = 500
"""For more hits than on these pages there is the export."""
FACETS = ("topic", "type", "year", "language", "site")


def query_of(fields: Fields) -> str:
    """The chosen facets and the words as one query; the words come last, since they may end in an open quote, or be too long."""
    chosen = [f'{name}:"{fields[name]}"' for name in FACETS if name != "year" and fields.get(name)]
    if year := fields.get("year", ""):
        if not (year.isascii() and year.isdigit() and len(year) == 4):
            raise ConfigError("year", year, N_("a year: 2026"))
        chosen.append(f"after:{year} before:{int(year) + 1:04}")
    return " ".join(filter(None, [*chosen, fields.get("q", "").strip()]))


def request_of(fields: Fields) -> SearchRequest:
    """The search that ``fields`` ask for; raises ConfigError if it is not valid."""
    offset = (whole_number("page", fields.get("page") or "1", MOST_PAGES) - 1) * HITS_A_PAGE
    query, sort = query_of(fields), one_of("sort", fields.get("sort") or SORTS[0], SORTS)
    check_query(query)
    return SearchRequest(query, sort, HITS_A_PAGE, offset, copies=bool(fields.get("copies")), facets=True)


def hits(site: Site, fields: Fields) -> Data:
    """The search and its results; if the query is not valid, ``problem`` says so, and it stays in the search box."""
    asked = {name: fields.get(name, "") for name in ("q", *FACETS, "sort", "copies", "page")}
    try:
        request = request_of(fields)
    except ConfigError as error:
        return {**_nothing(site), "asked": asked, "problem": as_typed(str(error)), "page": 1, "pages": 1}
    places = folders(site)
    found = SEARCHES.ask(site, lambda search: _answer(search, request), places) if places else _nothing(site)
    pages = min(MOST_PAGES, max(1, -(-found["total"] // HITS_A_PAGE)))
    labels = {topic: labelled(site, topic) for topic in {hit["topic"] for hit in found["hits"]}}
    for hit in found["hits"]:
        hit["label"] = labels[hit["topic"]].get(hit["url"])
        hit["is_gone"] = hit["status"] in GONE
    return {**found, "asked": asked, "problem": "", "page": request.offset // HITS_A_PAGE + 1, "pages": pages}


def _nothing(site: Site) -> Data:
    return {"query": "", "total": 0, "is_more": False, "is_relaxed": False, "is_empty_query": False, "hits": [], "facets": {}, "is_bare": not folders(site)}  # fmt: skip


def _answer(search: JointSearch, request: SearchRequest) -> Data:
    answer = search.answer(request)
    found: dict[str, Any] = {**answer_as_json(answer), "is_bare": False}
    for hit, told in zip(answer.hits, found["hits"], strict=True):
        told["title_html"] = hit.title.html()
    return found


def suggestions(site: Site, fields: Fields) -> Data:
    """Words of the hits that begin like the last word of ``q``, each with the query that results from it."""
    before, blank, last = fields.get("q", "")[-200:].rpartition(" ")
    words = SEARCHES.ask(site, lambda search: search.words_like(last, 10)) if last and folders(site) else []
    return {"words": words, "queries": [f"{before}{blank}{word}" for word in words]}


def export(site: Site, fields: Fields, folder: Path) -> Content:
    """Every hit of the query, in its order, as a file in the format that ``format`` (a file's ending) names."""
    ending = one_of("format", fields.get("format", ""), FORMATS)
    request, path = request_of({**fields, "page": "1"}), folder / f"hits{ending}"
    with opened_searches(site.options) as (search, places):
        sheet = Sheet(request.text or "topicspider", lambda place: _snapshot(places, place))
        write_export(path, search.rows(request), sheet)
    headers = {"Content-Disposition": f'attachment; filename="{path.name}"'}
    return Content(path, "application/octet-stream", headers)


def _snapshot(places: list[Path], place: str) -> Snapshot:
    """The snapshot at ``place``, which only one of the folders can have, as runs have names of their own."""
    file = place.rpartition(":")[0]
    return read_snapshot(next((folder for folder in places if (folder / file).is_file()), places[0]), place)


VIEWS = (
    View("/hits", "hits.html", hits, N_("Hits"), is_of_hits=True),
    View("/suggestions", "suggestions.html", suggestions),
)
DOWNLOADS = (Download("/hits.export", export),)
