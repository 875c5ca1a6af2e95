"""Which page of a web a label speaks of: what its URL answers with, or the page that it redirects to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.reach import is_page, page_behind
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection

    from topicspider.rehearsal.archive.page_features import ArchivedWeb


class LabelledPages:
    """Finds the pages of some thousand labels while reading only the few that the web's list and graph leave open."""

    def __init__(self, urls: Collection[str], web: ArchivedWeb) -> None:
        """``urls``: of the labels, canonical."""
        self._web = web
        self._listed = {url for url in web.urls() if url in urls}

    def page_of(self, url: str) -> str:
        """The URL of the page that a label of ``url`` speaks of; "" when there is none."""
        if url in self._listed and (not self._web.is_whole or is_page(url, self._web)):
            return url
        if not self._web.is_whole:
            return page_behind(url, self._web)
        links = self._web.graph().get(fingerprint(url))
        if links is None:
            return ""
        # of a WARC that joins http and https, all labels may be of the other scheme: none of them is read
        target = self._names.get(links[0], "") if len(links) == 1 and url not in self._listed else ""
        many = self._web.graph().get(links[0]) if target else None
        return target if many is not None and len(many) != 1 else page_behind(url, self._web)

    @cached_property
    def _names(self) -> dict[int, str]:
        return {fingerprint(url): url for url in self._web.urls()}
