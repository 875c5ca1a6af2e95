"""Reads pages at rest as a crawl reads those it fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicspider.page.account import account_of, blank_account, declared_address
from topicspider.page.documents.converter import Converter
from topicspider.page.documents.kinds import kind_of
from topicspider.page.page import Page
from topicspider.visit import manner_of

if TYPE_CHECKING:
    from topicspider.defaults import Options
    from topicspider.readout.local_pages import LocalPage
    from topicspider.text.segment import Segmenter

NOWHERE = "http://file.invalid/"
"""What links are relative to on a page whose address nobody knows."""


class PageReader:
    """Turns pages at rest into accounts; documents go through a process of their own."""

    def __init__(self, options: Options, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._manner = manner_of(options)
        self._max_links = options.links_per_page
        self._converter = Converter()

    def close(self) -> None:
        """End the process that reads documents."""
        self._converter.close()

    def account(self, local: LocalPage) -> dict[str, Any]:
        """What is shown of one page: where it is from, ``error`` in words or null, and its account."""
        where = {"file": local.file or None, "url": local.url or None}
        page, trouble = self.page(local)
        return where | {"error": trouble or None} | (account_of(page) if page is not None else blank_account())

    def page(self, local: LocalPage) -> tuple[Page | None, str]:
        """The page, or None; and in words what is wrong, \"\" when nothing is."""
        if not local.body:
            return None, local.trouble or "it is empty"
        body, content_type, document = local.body, local.content_type, ""
        if kind := kind_of(body, content_type):
            read = self._converter.convert(kind, body)
            if read.failure:
                return None, read.failure
            body, content_type, document = read.markup, read.content_type, read.readable_kind
        page = self._made(local.url or NOWHERE, local, body, content_type, document)
        if not local.url and (address := declared_address(page)):  # relative links and days in addresses need one
            page = self._made(address, local, body, content_type, document)
        return page, local.trouble or ("" if page.is_readable else "it is neither markup nor text")

    def _made(self, url: str, local: LocalPage, body: bytes, content_type: str, document: str) -> Page:
        return Page(
            url,
            body,
            content_type,
            self._segmenter,
            self._max_links,
            manner=self._manner,
            fetched_on=local.fetched_on,
            document=document,
        )
