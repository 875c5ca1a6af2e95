"""One page: what the store has of it, what it looked like when it was fetched, and the links to and from it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from topicspider.cli.crawl_data import topics_in
from topicspider.cli.explain import link_score
from topicspider.errors import UnavailableError
from topicspider.i18n import as_typed, shell_word
from topicspider.i18n import gettext as _
from topicspider.page.decode import decode, is_markup
from topicspider.serve.labels import labelled
from topicspider.serve.site import Content, Data, Download, Fields, Site, View
from topicspider.serve.stored import SEARCHES, stored_page
from topicspider.store.rows import LinkRow, PageRow
from topicspider.store.snapshots import read_snapshot
from topicspider.store.store import Store

MOST_LINKS = 50
SNAPSHOT_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-DNS-Prefetch-Control": "off",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_LOADING = re.compile(r"<(/?)(link|meta|base)(?=[\s/>])", re.IGNORECASE)
_LEADING = re.compile(r"<(/?)(?:a|area)(?=[\s/>])", re.IGNORECASE)
"""The policy below does not stop some elements from loading (preconnect, refresh): these are renamed to another void element. Links are
disabled, because a frame that is led elsewhere shows an error."""


def crawl_name(folder: Path, topic: str) -> str:
    """The name of the crawl by which the sampled links are stored."""
    return unquote(folder.name) if topic in topics_in(folder) else topic


def page(site: Site, fields: Fields) -> Data:
    """All that the store has of a page; its links are a sample."""
    with stored_page(site, fields) as (folder, store, row):
        crawl, url = crawl_name(folder, row.item.topic), row.item.url
        leads = [link_of(link) for link in store.links_from(crawl, url, MOST_LINKS) if link.target_url != url]
        linked = linked_by(store, crawl, url, row.item.referrer)
    item = asdict(row.item)
    verdict = {name: getattr(row, name) for name in ("on_topic", "threshold", "scorer")}
    return {
        "page": item | verdict,
        "facts": list(facts(item["data"]))[:40],
        "label": labelled(site, row.item.topic).get(url),
        "crawl": fields.get("crawl", ""),
        "leads": leads,
        "linked": linked,
        "copies": _copies(site, folder, row),
    }


def link_of(link: LinkRow) -> Data:
    told = link_score(link)
    more = {"from": link.source_url, "is_sum": told.is_sum, "is_known": told.is_known, "policy": link.policy}
    return asdict(told) | more


def linked_by(store: Store, crawl: str, url: str, referrer: str = "") -> list[Data]:
    """The sampled links to a page; first the one from ``referrer``, the page where it was found, even if the sample lacks that link."""
    found = [link_of(link) for link in store.links_to(crawl, url, MOST_LINKS) if link.source_url != url]
    if referrer and all(link["from"] != referrer for link in found):
        unknown: Data = {"score": None, "pruned": "", "parts": {}, "is_sum": False, "is_known": False, "policy": ""}
        found.append({"from": referrer, "url": url, "anchor": "", **unknown})
    return sorted(found, key=lambda link: link["from"] != referrer)


def _copies(site: Site, folder: Path, row: PageRow) -> list[str]:
    if not row.on_topic:
        return []
    original = row.item.duplicate_of or row.item.url
    urls = SEARCHES.ask(site, lambda search: search.copies(row.item.topic, original), [folder])
    return [url for url in dict.fromkeys([original, *urls]) if url != row.item.url]


def facts(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Typed data as pairs of name and value; names of nested data are joined by a dot."""
    for name, value in data.items():
        whole = f"{above}.{name}" if above else str(name)
        if isinstance(value, dict):
            yield from facts(value, whole)
        elif value not in (None, "", []):
            yield whole, value if isinstance(value, str) else _listed(value)


def _listed(value: object) -> str:
    if isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def snapshot(site: Site, fields: Fields, _folder: Path) -> Content:
    """The page as it was fetched, for a frame in which nothing runs or loads; if no snapshot was kept, its text."""
    with stored_page(site, fields) as (folder, _store, row):
        text, kind = row.item.body or _("No snapshot was kept of this page, and of misses no text."), "text/plain"
    with suppress(UnavailableError):  # its file was deleted, or lies on another node
        if row.item.snapshot:
            kept = read_snapshot(folder, row.item.snapshot)
            content_type = next((value for name, value in kept.headers if name.lower() == "content-type"), "")
            if is_markup(kept.body, content_type):
                text, kind = harmless(decode(kept.body, content_type).text), "text/html"
            elif not row.item.body:
                text = as_typed(_("A crawl has kept it: `scrapy read --snapshot {url}`", url=shell_word(row.item.url)))
    return Content(text.encode("utf-8", "replace"), kind, SNAPSHOT_HEADERS)


def harmless(markup: str) -> str:
    """``markup`` without links, and without what a browser loads before it applies any policy; the policy of the answer stops the rest."""
    return _LEADING.sub(r"<\1s-a", _LOADING.sub(r"<\1param", markup.removeprefix("\ufeff")))


VIEWS = (View("/page", "page.html", page),)
DOWNLOADS = (Download("/page.snapshot", snapshot),)
