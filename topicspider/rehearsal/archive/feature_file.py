"""The answer of a URL in an archived web, already read and cut into words, and an SQLite file of such answers."""

from __future__ import annotations

import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topicspider.errors import RecordingError, one_line
from topicspider.i18n import gettext as _
from topicspider.page.links import Link
from topicspider.url import fingerprint

LARGEST = 32 << 20
"""The most bytes of a page's features, decompressed; with the usual 2,000 links and 1.5 million characters they are some 16 MB."""


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """All that judging needs of a page; see interfaces.ReadPage. ``simhash``: 64 bits, signed; 0 when the body is too short."""

    title: str = ""
    subject_words: tuple[str, ...] = ()
    body_words: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    published: str = ""
    robots: AbstractSet[str] = frozenset()
    simhash: int = 0
    condition: str = ""
    is_hub: bool = False
    filed_under: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of ``url`` (canonical).

    A page has ``features``; a redirect (by HTTP or by meta refresh) has ``target``, canonical; a dead link or an error has neither.
    ``status``: of HTTP, 0 when nothing answered. ``seconds``: how long the recorded download took, if known.
    """

    url: str
    status: int = 0
    features: PageFeatures | None = None
    target: str = ""
    seconds: float | None = None

    @property
    def is_page(self) -> bool:
        """Whether a crawl would take it for a page."""
        return self.features is not None and not self.features.condition

    @property
    def targets(self) -> list[str]:
        """The URLs to which it leads: the links of a page, or a redirect's target."""
        if self.features is None:
            return [self.target] if self.target else []
        return [link.url for link in self.features.links]


def encode_features(features: PageFeatures) -> bytes:
    """``features`` as a JSON array, compressed by zlib, with the links by columns; decode_features is the inverse."""
    columns = list(zip(*features.links, strict=True))
    data = [
        features.title, features.subject_words, features.body_words, features.published, sorted(features.robots),
        features.simhash, features.condition, features.is_hub, features.filed_under, features.sections, columns,
    ]  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def decode_features(data: bytes) -> PageFeatures:
    """The features that encode_features was given; raises RecordingError for other bytes."""
    try:
        inflate = zlib.decompressobj()
        text = inflate.decompress(data, LARGEST)
        if not inflate.eof:
            raise ValueError(f"they end too early, or unpacked they have more than {LARGEST:,} bytes")
        title, subject, body, published, robots, simhash, condition, is_hub, *filing, columns = json.loads(
            text.decode("utf-8", "surrogatepass")
        )
        links = tuple(map(Link._make, zip(*columns, strict=True)))
        known = frozenset(robots), simhash, condition, bool(is_hub), *map(tuple, filing)
        return PageFeatures(title, tuple(subject), tuple(body), links, published, *known)
    except (ValueError, TypeError, RecursionError, zlib.error) as error:
        raise RecordingError(_("a page's features are damaged: {error}", error=error)) from None


_APPLICATION = 0x74735F66  # "ts_f": the id in the head of our SQLite files
LAYOUT = 7
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {LAYOUT};
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE robots (host TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order of writing
    fingerprint INTEGER NOT NULL UNIQUE,       -- of the canonical URL
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    target TEXT NOT NULL,                      -- of a redirect
    seconds REAL
);
-- apart, so that the tables above stay small and are read in a moment
CREATE TABLE features (fingerprint INTEGER PRIMARY KEY, targets BLOB NOT NULL, features BLOB NOT NULL);
"""
_COLUMNS = "fingerprint, url, status, target, seconds"
_ADD_PAGE = f"INSERT OR REPLACE INTO pages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608
_FIND = f"SELECT {_COLUMNS}, features FROM pages LEFT JOIN features USING (fingerprint) WHERE fingerprint = ?"  # noqa: S608


Packed = tuple[tuple[Any, ...], tuple[Any, ...] | None]
"""The rows of an answer in the tables ``pages`` and ``features``; None when it has no features."""


def packed(answer: Answer) -> Packed:
    """The rows of ``answer``. Making them takes most of the time of writing, so other processes and threads do it."""
    key = fingerprint(answer.url)
    page = key, answer.url, answer.status, answer.target, answer.seconds
    if answer.features is None:
        return page, None
    targets = array("q", [fingerprint(link.url) for link in answer.features.links])
    return page, (key, targets.tobytes(), encode_features(answer.features))


class FeatureFile:
    """An open file of answers. One thread may use it at a time; several processes may have it open, one of them to write.

    Every method raises RecordingError when the file is damaged, or cannot be read or written.
    """

    def __init__(self, path: Path, *, is_new: bool = False) -> None:
        """Open to read, or if ``is_new`` to write (made if missing); raises RecordingError for a damaged file, or one of another layout."""
        self.path = path
        if not is_new and not path.is_file():
            raise RecordingError(one_line(_("{path}: there is no such file", path=path)))
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if is_new else 'ro'}"
        with self._broken():
            self._connection = sqlite3.connect(uri, uri=True, timeout=10.0, check_same_thread=False)
        try:
            if is_new and not self._all("SELECT 1 FROM sqlite_master"):
                with self._broken():
                    self._connection.executescript(_SCHEMA)
            if trouble := self._trouble():
                raise RecordingError(one_line(f"{self.path}: {trouble}"))
            if is_new:
                self._all("PRAGMA synchronous = NORMAL")
        except BaseException:
            self.close()
            raise

    def meta(self, key: str) -> str:
        """A fact about the file; "" when it was never set."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def set_meta(self, facts: Mapping[str, str]) -> None:
        """Write ``facts`` in one transaction."""
        self._write([("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))])

    def add(self, pages: Iterable[Packed]) -> None:
        """Write ``pages`` in one transaction; they replace earlier answers of their URLs."""
        pages = list(pages)
        self._write(
            [
                ("DELETE FROM features WHERE fingerprint = ?", [page[:1] for page, _features in pages]),
                # REPLACE gives the row a new number, so a later answer stands at the end
                (_ADD_PAGE, [page for page, _features in pages]),
                ("INSERT INTO features VALUES (?, ?, ?)", [features for _page, features in pages if features]),
            ]
        )

    def add_robots(self, bodies: Mapping[str, bytes]) -> None:
        self._write([("INSERT OR REPLACE INTO robots VALUES (?, ?)", list(bodies.items()))])

    def robots(self, host: str) -> bytes | None:
        """The robots.txt of ``host`` (see url.host_key); None when the file has none."""
        rows = self._all("SELECT body FROM robots WHERE host = ?", (host,))
        return bytes(rows[0][0]) if rows else None

    def answer(self, key: int) -> Answer | None:
        """The answer of the URL with the fingerprint ``key``; None when the file has none."""
        for _key, url, status, target, seconds, features in self._all(_FIND, (key,)):
            try:
                return Answer(url, status, None if features is None else decode_features(features), target, seconds)
            except RecordingError as error:
                raise RecordingError(one_line(f"{self.path}: {url}: {error}")) from None
        return None

    def urls(self) -> list[str]:
        """The URLs that got an answer (canonical), in the order in which they were written."""
        return [row[0] for row in self._all("SELECT url FROM pages WHERE status > 0 ORDER BY number")]

    def size(self) -> int:
        """How many URLs the file holds."""
        return int(self._all("SELECT count(*) FROM pages")[0][0])

    def count(self) -> int:
        """How many pages have features."""
        return int(self._all("SELECT count(*) FROM features")[0][0])

    def graph(self) -> dict[int, array[int]]:
        """From the fingerprint of each page to those of its link targets, in page order, with repeats; a redirect has its one target."""
        rows = self._all("SELECT fingerprint, target FROM pages WHERE target != ''")
        graph = {key: array("q", [fingerprint(target)]) for key, target in rows}
        for key, data in self._all("SELECT fingerprint, targets FROM features"):
            targets = array("q")
            targets.frombytes(data[: len(data) // 8 * 8])
            graph[key] = targets
        return graph

    def finish(self) -> None:
        """Close, and leave one file without a journal, which can also be read in a folder that cannot be written."""
        try:
            # this fails while another process reads the file: the journal stays, and nothing is lost
            with self._broken(), suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self.close()

    def close(self) -> None:
        self._connection.close()

    def _trouble(self) -> str:
        if self._all("PRAGMA application_id")[0][0] != _APPLICATION:
            return "is a database, but not one of pages that topicspider has read"
        ((layout,),) = self._all("PRAGMA user_version")
        return (
            ""
            if layout == LAYOUT
            else f"has layout {layout}, and this version reads {LAYOUT}; delete the file, or crawl anew"
        )

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._broken():
            return self._connection.execute(sql, values).fetchall()

    def _write(self, statements: list[tuple[str, list[Any]]]) -> None:
        with self._broken(), self._connection:
            for sql, rows in statements:
                self._connection.executemany(sql, rows)

    @contextmanager
    def _broken(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            words = _("{path}: cannot be used as a file of read pages: {error}", path=self.path, error=error)
            raise RecordingError(one_line(words)) from None
