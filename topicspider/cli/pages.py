"""Reads pages for commands as a crawl does: from files, folders, WARC recordings, and the web."""

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
    """A page from a file or the web. ``url`` is "" if it is not known; ``trouble`` says in words what is wrong, "" for nothing."""

    file: str
    url: str = ""
    body: bytes = b""
    content_type: str = ""
    fetched_on: date | None = None
    trouble: str = ""


def pages_in(path: Path) -> Iterator[LocalPage]:
    """The pages of a file, of a WARC recording, or of all files below a folder, in the order of their names.

    Pages are cut at MAX_PAGE_BYTES. Raises ConfigError if ``path`` does not exist; what cannot be read is a page with ``trouble``.
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
    """The files below ``folder``, sorted by name, without hidden ones and those in folders that cannot be entered."""
    found = {path.relative_to(folder).parts: path for path in folder.rglob("*") if not path.is_dir()}
    return [found[parts] for parts in sorted(found) if not any(part.startswith(".") for part in parts)]


def _pages_of_file(path: Path) -> Iterator[LocalPage]:
    if not path.is_file():  # reading a pipe or a socket could block
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
        is_text = not is_markup(body, "") and b"\0" not in body  # UTF-16 is recognised by its byte order mark
        trouble = "" if body else "it is empty"
        yield LocalPage(str(path), body=body, content_type="text/plain" if is_text else "", trouble=trouble)


def _recorded_pages(path: Path) -> Iterator[LocalPage]:
    """The responses with status 2xx, in the order of the recording; reading ends at a damaged record."""
    try:
        for record in WarcFile(path).records(whole=True):
            response = read_response(record.uri, record.block) if record.kind == "response" else None
            if response is not None and response.status // 100 == 2:
                day = record.fields.get("warc-date", "")
                yield _kept_page(str(path), record.uri, response.headers, response.body, day)
    except RecordingError as error:
        yield LocalPage(str(path), trouble=str(error))


def snapshot_page(snapshot: Snapshot) -> LocalPage:
    """The page of a snapshot that a crawl has kept."""
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
"""The names of the fields that ``account_of`` returns, in their order."""
_EXPLAINED = ("title", "published", "modified", "data", "condition")


def account_of(page: Page) -> dict[str, Any]:
    """The fields of ``page`` by the names in FIELDS, as values for JSON. Never raises (promise P1)."""
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
    """The address that the page gives itself (canonical, og:url), for pages from files; "" if it gives none."""
    reading = page.reading
    canonical = next((href for rel, href in reading.head_links if "canonical" in rel.split()), "")
    for address in (canonical, reading.meta.get("og:url", "")):
        if address.lower().startswith(("http://", "https://")) and (url := canonicalize(address)):
            return url
    return ""


NOWHERE = "http://file.invalid/"
"""The base URL for links on a page whose address is not known."""


class PageReader:
    """Reads local pages and describes their fields; documents are converted in a separate process."""

    def __init__(self, options: Options, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._extraction = options.extraction

    def account(self, local: LocalPage) -> dict[str, Any]:
        """What is shown of a page: ``file``, ``url``, ``error`` in words or None, and the fields of ``account_of``."""
        where = {"file": local.file or None, "url": local.url or None}
        page, trouble = self.page(local)
        return where | {"error": trouble or None} | account_of(page or Page(NOWHERE, b"", "application/octet-stream"))

    def page(self, local: LocalPage) -> tuple[Page | None, str]:
        """The page, or None; and what is wrong with it in words ("" for nothing)."""
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
        if not local.url and (address := declared_address(page)):  # relative links, and dates in URLs, need an address
            page = made(address, body, content_type, self._segmenter)
        return page, local.trouble or ("" if page.is_readable else _("it is neither markup nor text"))


class FetchOnlySpider(Spider):
    """Puts the answer to each of ``urls``, whatever its status, into ``pages`` by URL; without an answer, the reason in words."""

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
        """Keep an error response, or the reason why there is no response."""
        url, response = failure.request.cb_kwargs["url"], getattr(failure.value, "response", None)
        if isinstance(response, Response):
            self.parse(response, url)
        else:
            reason = failure.request.meta.get(OUTCOME) or failure.type.__name__
            self._pages[url] = LocalPage("", url, trouble=str(reason))


def fetched(process: CrawlerProcessBase, urls: Sequence[str]) -> list[LocalPage]:
    """The pages at ``urls`` (canonical), in that order; a page that cannot be had has ``trouble``. Works once in a process."""
    pages: dict[str, LocalPage] = {}
    process.crawl(FetchOnlySpider, urls=urls, pages=pages)
    process.start()
    return [pages.get(url) or LocalPage("", url, trouble="no answer") for url in urls]
