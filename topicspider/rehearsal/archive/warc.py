"""Finds the recorded response of a URL in a WARC file of any writer, without holding the file in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

from topicspider.errors import RecordingError
from topicspider.rehearsal.archive.warc_records import RecordHead, open_recording
from topicspider.rehearsal.message import read_response, status_of
from topicspider.rehearsal.response import RecordedResponse
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from topicspider.rehearsal.archive.warc_records import Recording

_REDIRECTS = range(300, 400)


class WarcWeb:
    """The responses of one WARC file.

    A URL is found in any spelling of its canonical form; of several records of one URL the one with the same
    spelling and scheme wins, then one with status 200, then the first. A revisit record is answered by what it
    refers to. Memory: 26 bytes a record, and the names of the hosts.
    """

    def __init__(self, path: Path, *, exact_scheme: bool = False, join_schemes: bool = False) -> None:
        """``exact_scheme``: what was recorded over http is not there over https, nor the other way round.

        ``join_schemes``: it is there as a redirect to what was recorded, so that no page is there twice.
        """
        self._exact_scheme, self._join_schemes = exact_scheme, join_schemes
        self._recording = open_recording(path)
        self._index = _Index()
        for record in self._recording.records():
            self._index.add(record)
        self._index.seal()
        if not len(self._index):
            raise RecordingError(f"{path}: holds no recorded response, so there is nothing to replay")

    def find(self, url: str) -> RecordedResponse | None:
        """What was recorded for ``url``; https finds http records too and the other way round, redirects excepted."""
        place = self.place(url)
        if place is None:
            return None
        return response_at(
            self._recording, url, place, exact_scheme=self._exact_scheme, join_schemes=self._join_schemes
        )

    def place(self, url: str) -> tuple[int, int] | None:
        """Offset and length of the record that ``find`` answers ``url`` with."""
        places = list(self._index.places(url_key(url)))
        if not places:
            return None
        best = places[0] if len(places) == 1 else min(places, key=lambda place: self._rank(url, place))
        return best[0], best[1]

    def urls(self) -> Iterator[str]:
        """Each recorded URL, canonical, once, in the order of the file, which is read again; http and https count apart."""
        seen: set[int] = set()
        for record in self._recording.records():
            url = canonicalize(record.uri)
            if url is None or record.kind not in ("response", "resource", "revisit"):
                continue
            mark = _hash(url)
            if mark not in seen and self.place(url) is not None:
                seen.add(mark)
                yield url

    def knows(self, host: str) -> bool:
        """Whether a response of ``host`` was recorded."""
        return host in self._index.hosts

    def hosts(self) -> Iterator[str]:
        """The recorded hosts, those with most records first."""
        return (host for host, _count in self._index.hosts.most_common())

    def host_count(self) -> int:
        """How many hosts were recorded."""
        return len(self._index.hosts)

    def __len__(self) -> int:
        """How many URLs were recorded."""
        return len(self._index)

    def close(self) -> None:
        """Close the file."""
        self._recording.close()

    def _rank(self, url: str, place: tuple[int, int, int]) -> tuple[bool, bool, bool, int]:
        """Smaller is better: the same spelling, the same scheme, status 200, the first."""
        offset, length, status = place
        uri = self._recording.head_at(offset, length).uri
        return (uri != url, _scheme(uri) != _scheme(url), status != 200, offset)


def response_at(
    recording: Recording, url: str, place: tuple[int, int], *, exact_scheme: bool = False, join_schemes: bool = False
) -> RecordedResponse | None:
    """What the record at ``place`` answers ``url``; see WarcWeb.find."""
    head, block = recording.record_at(*place)
    response = _answer(url, head, block)
    if response is None or _scheme(head.uri) == _scheme(url):
        return response
    # recorded under the other scheme, a redirect would lead to itself for ever
    if exact_scheme or response.status in _REDIRECTS:
        return None
    return _moved(url, head.uri) if join_schemes else response


def _moved(url: str, target: str) -> RecordedResponse:
    return RecordedResponse(url, 301, "Moved Permanently", (("Location", target),), b"")


def _answer(url: str, head: RecordHead, block: bytes) -> RecordedResponse | None:
    if head.kind == "resource":
        content_type = head.fields.get("content-type", "application/octet-stream")
        return RecordedResponse(url, 200, "OK", (("Content-Type", content_type),), block)
    return read_response(url, block)


def _scheme(url: str) -> str:
    return url.partition(":")[0]


class _Index:
    """Sorted 64-bit keys of URLs beside the places of their records."""

    def __init__(self) -> None:
        self.hosts: Counter[str] = Counter()
        self._keys = array("Q")
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._statuses = array("H")
        self._digests = array("Q")
        self._revisits: list[tuple[int, int, int, str]] = []
        self._distinct = 0

    def __len__(self) -> int:
        return self._distinct

    def add(self, record: RecordHead) -> None:
        """Take a record in, if it answers an http or https URL."""
        host = host_of(record.uri)
        status = 200 if record.kind == "resource" else status_of(record.start)
        if (
            not host
            or record.kind not in ("response", "resource", "revisit")
            or (record.kind != "revisit" and not status)
        ):
            return
        digest = _hash(record.fields.get("warc-payload-digest", ""))
        if record.kind == "revisit":
            refers = url_key(record.fields.get("warc-refers-to-target-uri", "").strip("<>"))
            self._revisits.append((url_key(record.uri), refers, digest, host))
        elif status != 304:
            self._append(url_key(record.uri), record.offset, record.length, status, digest)
            self.hosts[host] += 1

    def seal(self) -> None:
        """Resolve revisits and sort; places() may be asked from now on."""
        self._sort()
        if self._revisits:
            self._resolve_revisits()
            self._sort()
        self._digests, self._revisits = array("Q"), []
        self._distinct = sum(1 for i, key in enumerate(self._keys) if i == 0 or key != self._keys[i - 1])

    def places(self, key: int) -> Iterator[tuple[int, int, int]]:
        """Offset, length and status of each record under ``key``."""
        at = bisect_left(self._keys, key)
        while at < len(self._keys) and self._keys[at] == key:
            yield self._offsets[at], self._lengths[at], self._statuses[at]
            at += 1

    def _append(self, key: int, offset: int, length: int, status: int, digest: int) -> None:
        self._keys.append(key)
        self._offsets.append(offset)
        self._lengths.append(length)
        self._statuses.append(status)
        self._digests.append(digest)

    def _sort(self) -> None:
        order = sorted(range(len(self._keys)), key=lambda i: (self._keys[i], self._offsets[i]))
        for name in ("_keys", "_offsets", "_lengths", "_statuses", "_digests"):
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, (column[i] for i in order)))

    def _resolve_revisits(self) -> None:
        nothing = _hash("")
        by_digest = {digest: i for i, digest in enumerate(self._digests) if digest != nothing}
        for key, refers, digest, host in self._revisits:
            place = next(self.places(refers), None)
            if place is None and digest in by_digest:
                i = by_digest[digest]
                place = (self._offsets[i], self._lengths[i], self._statuses[i])
            if place is not None and next(self.places(key), None) is None:
                self._append(key, *place, nothing)
                self.hosts[host] += 1


def url_key(url: str) -> int:
    """64 bits that are equal for all spellings of a URL, with http and https alike."""
    return _hash((canonicalize(url) or url).partition(":")[2])


def host_of(url: str) -> str:
    """The host of an http(s) URL, with its port unless it is the usual one; empty for any other URL."""
    if not url.startswith(("http://", "https://")):
        return ""
    return (canonicalize(url) or url).split("/", 3)[2]


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest())
