"""Reads pages for commands, as a crawl reads those it fetches: from files, folders, WARC recordings, and from the web."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response

from topicspider.crawled_page import download_of
from topicspider.errors import ConfigError, RecordingError
from topicspider.i18n import gettext as _
from topicspider.meta import OUTCOME
from topicspider.options import MAX_PAGE_BYTES, Options
from topicspider.page.decode import is_markup, kind_of
from topicspider.page.documents.process import convert
from topicspider.page.page import Page
from topicspider.rehearsal.archive.warc import WarcFile, read_response
from topicspider.store.snapshots import Snapshot
from topicspider.text.segment import Segmenter
from topicspider.url import canonicalize


@dataclass(frozen=True, slots=True)
class LocalPage:
    """One page at rest. ``url`` is "" when nobody recorded it; ``trouble`` says in words why ``body`` is empty."""

    file: str
    url: str = ""
    body: bytes = b""
    content_type: str = ""
    fetched_on: date | None = None
    trouble: str = ""


def pages_in(path: Path) -> Iterator[LocalPage]:
    """The pages of a file, of a recording, or of all files below a folder in the order of their names.

    A page larger than MAX_PAGE_BYTES is cut there. Raises ConfigError when there is no such file; what cannot be read of it is a page
    with ``trouble``.
    """
    require_pages(path)
    for file in _files_below(path) if path.is_dir() else [path]:
        yield from _pages_of_file(file)


def require_pages(path: Path) -> None:
    """Raises ConfigError when there is no such file or folder."""
    if not path.exists():
        allowed = "an http:// or https:// URL, a file, a WARC recording, or a folder of them"
        raise ConfigError("page", str(path), allowed)


def _files_below(folder: Path) -> list[Path]:
    """All but hidden ones; a folder that cannot be entered has none."""
    found = {path.relative_to(folder).parts: path for path in folder.rglob("*") if not path.is_dir()}
    return [found[parts] for parts in sorted(found) if not any(part.startswith(".") for part in parts)]


def _pages_of_file(path: Path) -> Iterator[LocalPage]:
    if not path.is_file():  # a pipe or a socket would be waited for
        yield LocalPage(str(path), trouble="it is no file")
        return
    try:
        with path.open("rb") as file:
            body = file.read(MAX_PAGE_BYTES)
    except OSError as error:
        yield LocalPage(str(path), trouble=error.strerror or str(error))
        return
    if body.startswith(b"WARC/") or (body.startswith(b"\x1f\x8b") and ".warc" in path.suffixes):
        yield from _recorded_pages(path)
    else:
        is_text = not is_markup(body, "") and b"\0" not in body  # UTF-16 has its mark, and is read by it
        trouble = "" if body else "it is empty"
        yield LocalPage(str(path), body=body, content_type="text/plain" if is_text else "", trouble=trouble)


def _recorded_pages(path: Path) -> Iterator[LocalPage]:
    """The responses with status 2xx, in the order of the recording; a damage ends them."""
    try:
        for record in WarcFile(path).records(whole=True):
            response = read_response(record.uri, record.block) if record.kind == "response" else None
            if response is not None and response.status // 100 == 2:
                day = record.fields.get("warc-date", "")
                yield _kept_page(str(path), record.uri, response.headers, response.body, day)
    except RecordingError as error:
        yield LocalPage(str(path), trouble=str(error))


def snapshot_page(snapshot: Snapshot) -> LocalPage:
    """A page as a crawl has kept it."""
    return _kept_page("", snapshot.url, snapshot.headers, snapshot.body, snapshot.date)


def _kept_page(file: str, url: str, headers: Iterable[tuple[str, str]], body: bytes, stamp: str) -> LocalPage:
    named = {name.lower(): value for name, value in headers}
    day = None
    with suppress(ValueError):
        day = date.fromisoformat(stamp[:10])
    return LocalPage(file, url, body[:MAX_PAGE_BYTES], named.get("content-type", ""), day)


FIELDS = (
    "title", "body", "summary", "keywords", "published", "modified", "author", "site_name", "language", "type", "data", "encoding",
    "condition", "canonical", "robots", "refresh_url", "link_count", "links", "skipped_links", "why",
)  # fmt: skip
"""The names in an account, in its order."""
_EXPLAINED = ("title", "published", "modified", "data", "condition")


def account_of(page: Page) -> dict[str, Any]:
    """Every field of ``page`` under the names of FIELDS; JSON can hold it. Never raises (promise P1)."""
    links = (link._asdict().items() for link in page.links)
    made = {
        "encoding": asdict(page.charset) if not page.document else None,
        "robots": sorted(page.robots),
        "links": [{name: value for name, value in link if value not in ("", False, None)} for link in links],
        "skipped_links": dict(page.skipped_links),
        "why": {name: getattr(page, f"{name}_why") for name in _EXPLAINED},
    }
    return {name: made[name] if name in made else getattr(page, name) for name in FIELDS}


def declared_address(page: Page) -> str:
    """The address that a page gives itself (canonical, og:url), for pages that lie in a file; "" when it gives none."""
    reading = page.reading
    canonical = next((href for rel, href in reading.head_links if "canonical" in rel.split()), "")
    for address in (canonical, reading.meta.get("og:url", "")):
        if address.lower().startswith(("http://", "https://")) and (url := canonicalize(address)):
            return url
    return ""


NOWHERE = "http://file.invalid/"
"""What links are relative to on a page whose address nobody knows."""


class PageReader:
    """Turns pages at rest into accounts; documents go through a process of their own."""

    def __init__(self, options: Options, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._extraction = options.extraction

    def account(self, local: LocalPage) -> dict[str, Any]:
        """What is shown of one page: where it is from, ``error`` in words or null, and its account."""
        where = {"file": local.file or None, "url": local.url or None}
        page, trouble = self.page(local)
        return where | {"error": trouble or None} | account_of(page or Page(NOWHERE, b"", "application/octet-stream"))

    def page(self, local: LocalPage) -> tuple[Page | None, str]:
        """The page, or None; and in words what is wrong, \"\" when nothing is."""
        if not local.body:
            return None, local.trouble or "it is empty"
        body, content_type, document = local.body, local.content_type, ""
        if kind := kind_of(body, content_type):
            read = convert(kind, body)
            if read.failure:
                return None, read.failure
            body, content_type, document = read.markup, read.content_type, read.readable_kind
        made = partial(Page, extraction=self._extraction, fetched_on=local.fetched_on, document=document)
        page = made(local.url or NOWHERE, body, content_type, self._segmenter)
        if not local.url and (address := declared_address(page)):  # relative links and days in addresses need one
            page = made(address, body, content_type, self._segmenter)
        return page, local.trouble or ("" if page.is_readable else _("it is neither markup nor text"))


class FetchOnlySpider(Spider):
    """Puts what each of ``urls`` answers, whatever its status, into ``pages``, or there in words why there is no answer."""

    name = "fetch_only"

    def __init__(self, urls: Sequence[str], pages: dict[str, LocalPage], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._urls, self._pages = urls, pages

    async def start(self) -> AsyncIterator[Request]:
        for url in self._urls:
            yield Request(url, self.parse, errback=self.note, cb_kwargs={"url": url}, dont_filter=True)

    def parse(self, response: Response, url: str, **_kwargs: Any) -> Iterator[Any]:
        fetch = download_of(response)
        trouble = "" if fetch.status // 100 == 2 else f"the server answered {fetch.status}"
        today = datetime.now(UTC).date()
        content_type = fetch.headers.get("content-type", "")
        self._pages[url] = LocalPage("", fetch.url, fetch.body, content_type, today, trouble)
        return iter(())

    def note(self, failure: Any) -> None:
        """Keep an error response, else the reason why there is none."""
        url, response = failure.request.cb_kwargs["url"], getattr(failure.value, "response", None)
        if isinstance(response, Response):
            self.parse(response, url)
        else:
            reason = failure.request.meta.get(OUTCOME) or failure.type.__name__
            self._pages[url] = LocalPage("", url, trouble=str(reason))


def fetched(process: CrawlerProcessBase, urls: Sequence[str]) -> list[LocalPage]:
    """The pages at ``urls`` (canonical), in their order; one that cannot be had has ``trouble``. A process does this once."""
    pages: dict[str, LocalPage] = {}
    process.crawl(FetchOnlySpider, urls=urls, pages=pages)
    process.start()
    return [pages.get(url) or LocalPage("", url, trouble="no answer") for url in urls]
