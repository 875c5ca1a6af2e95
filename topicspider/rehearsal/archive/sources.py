"""Where the pages of a web are read from, in whatever process: a WARC file, or a made web."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from topicspider.rehearsal.archive.warc import response_at
from topicspider.rehearsal.archive.warc_records import open_recording
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from topicspider.rehearsal.response import RecordedResponse

Place = tuple[str, int, int]
"""A canonical URL, and where its record lies (0, 0 in a made web)."""


class Source(Protocol):
    """Plain data, so that any process can open it."""

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """What finds the response at a place, until the process ends."""

    def marks(self) -> AbstractSet[int] | None:
        """Fingerprints of all URLs that are known to be there; None when they are all there are."""


@dataclass(frozen=True, slots=True)
class WarcSource:
    """The records of a WARC; http and https are two webs."""

    path: Path

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """See Source; reads no index: places lead to the records."""
        recording = open_recording(self.path)
        return lambda place: response_at(recording, place[0], place[1:], exact_scheme=True)

    def marks(self) -> None:
        """See Source."""


@dataclass(frozen=True, slots=True)
class SyntheticSource:
    """A made web by its spec, without ``made:``."""

    spec: str

    def open(self) -> Callable[[Place], RecordedResponse | None]:
        """See Source."""
        web = SyntheticWeb.read(self.spec)
        return lambda place: web.find(place[0])

    def marks(self) -> AbstractSet[int]:
        """See Source: links lead to redirects that no list has."""
        web = SyntheticWeb.read(self.spec)
        return {fingerprint(url) for url, _truth in web.labels(len(web))}
