"""One SQLite file of pages that were read: the cache of a web's features, and the log of a crawl."""

from __future__ import annotations

import sqlite3
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicspider.errors import RecordingError, one_line
from topicspider.rehearsal.archive.page_features import Answer, LoggedPage, decode_features, encode_features
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_APPLICATION = 0x74735F66  # "ts_f", in the file's head: whose file it is
LAYOUT = 2
_BUSY_SECONDS = 10.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {LAYOUT};
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (host TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order of writing
    fingerprint INTEGER NOT NULL UNIQUE,       -- of the canonical URL
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    target TEXT NOT NULL,                      -- of a redirect
    seconds REAL,
    outcome TEXT NOT NULL,                     -- the rest is of crawl logs
    score REAL NOT NULL,
    on_topic INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer TEXT NOT NULL,
    scores TEXT NOT NULL                       -- JSON: topic to score
);
-- apart, so that the tables above stay small and are read in a moment
CREATE TABLE IF NOT EXISTS features (fingerprint INTEGER PRIMARY KEY, targets BLOB NOT NULL, features BLOB NOT NULL);
COMMIT;
"""
_COLUMNS = "fingerprint, url, status, target, seconds, outcome, score, on_topic, depth, referrer, scores"
_ADD_PAGE = f"INSERT OR REPLACE INTO pages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_FOREIGN = """
SELECT (SELECT count(*) FROM pages WHERE (typeof(url), typeof(target), typeof(status)) != ('text', 'text', 'integer'))
     + (SELECT count(*) FROM features WHERE (typeof(targets), typeof(features)) != ('blob', 'blob'))
"""


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A LoggedPage as the rows of the two tables; packing takes most of the time, so other processes and threads do it."""

    page: tuple[Any, ...]
    features: tuple[Any, ...] | None

    @classmethod
    def of(cls, logged: LoggedPage) -> PackedPage:
        """What the file keeps; the fingerprints of link targets stand in page order, with repeats."""
        answer = logged.answer
        key = fingerprint(answer.url)
        page = (
            key, answer.url, answer.status, answer.target, answer.seconds, logged.outcome, logged.score,
            int(logged.on_topic), logged.depth, logged.referrer, logged.scores,
        )  # fmt: skip
        if answer.features is None:
            return cls(page, None)
        targets = _swapped(array("q", [fingerprint(link.url) for link in answer.features.links]))
        return cls(page, (key, targets.tobytes(), encode_features(answer.features)))


class FeatureFile:
    """An open file. One thread at a time; several processes may have it open, one of them to write.

    Every method raises RecordingError when the file is damaged, or cannot be read or written.
    """

    def __init__(self, path: Path, *, is_new: bool) -> None:
        """Use ``open`` or ``create``."""
        self.path = path
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if is_new else 'ro'}"
        try:
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._broken(error) from None

    @classmethod
    def open(cls, path: Path) -> FeatureFile:
        """To read; raises RecordingError when it is no such file, a damaged one, or of another version."""
        if not path.is_file():
            raise RecordingError(one_line(f"{path}: there is no such file"))
        file = cls(path, is_new=False)
        try:
            file._check()
        except BaseException:
            file.close()
            raise
        return file

    @classmethod
    def create(cls, path: Path) -> FeatureFile:
        """To write, with all that it holds already; made when it is not there."""
        file = cls(path, is_new=True)
        try:
            if file._all("SELECT count(*) FROM sqlite_master")[0][0]:
                file._check()
            file._connection.execute("PRAGMA journal_mode = WAL")
            file._connection.execute("PRAGMA synchronous = NORMAL")
            file._connection.executescript(_SCHEMA)
        except BaseException as error:
            file.close()
            if isinstance(error, sqlite3.Error):
                raise file._broken(error) from None
            raise
        return file

    def meta(self, key: str) -> str:
        """A fact about the file; "" when it was never set."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def set_meta(self, facts: Mapping[str, str]) -> None:
        """Keep ``facts``, all or none."""
        self._write([("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))])

    def add(self, pages: Iterable[PackedPage]) -> int:
        """Keep ``pages``, all or none, in place of what is known of their URLs; returns how many are new."""
        pages = list(pages)
        keys = [page.page[:1] for page in pages]
        known = f"SELECT count(*) FROM pages WHERE fingerprint IN ({', '.join('?' * len(keys))})"  # noqa: S608
        old = int(self._all(known, tuple(key for (key,) in keys))[0][0])
        self._write(
            [
                ("DELETE FROM features WHERE fingerprint = ?", keys),
                # REPLACE numbers a page anew: a later answer stands at the end
                (_ADD_PAGE, [page.page for page in pages]),
                (
                    "INSERT OR REPLACE INTO features VALUES (?, ?, ?)",
                    [page.features for page in pages if page.features is not None],
                ),
            ]
        )
        return len(set(keys)) - old

    def add_robots(self, bodies: Mapping[str, bytes]) -> None:
        """Keep robots.txt bodies by host key."""
        self._write([("INSERT OR REPLACE INTO robots VALUES (?, ?)", list(bodies.items()))])

    def robots(self, host: str) -> bytes | None:
        """The robots.txt of a host key, if the file has one."""
        rows = self._all("SELECT body FROM robots WHERE host = ?", (host,))
        return bytes(rows[0][0]) if rows else None

    def page(self, key: int) -> LoggedPage | None:
        """The page of this fingerprint, with what the crawl made of it."""
        return next(self._pages("WHERE fingerprint = ?", (key,)), None)

    def answer(self, key: int) -> Answer | None:
        """The answer of this fingerprint."""
        page = self.page(key)
        return None if page is None else page.answer

    def pages(self) -> Iterator[LoggedPage]:
        """All pages in the order in which they were written, one at a time."""
        for (key,) in self._all("SELECT fingerprint FROM pages ORDER BY number"):
            yield from self._pages("WHERE fingerprint = ?", (key,))

    def urls(self) -> list[str]:
        """The URLs that answered with something, in the order in which they were written."""
        return [row[0] for row in self._all("SELECT url FROM pages WHERE status > 0 ORDER BY number")]

    def fingerprints(self) -> set[int]:
        """Of all URLs that the file holds."""
        return {row[0] for row in self._all("SELECT fingerprint FROM pages")}

    def size(self) -> int:
        """How many URLs the file holds."""
        return int(self._all("SELECT count(*) FROM pages")[0][0])

    def count(self) -> int:
        """How many pages have features."""
        return int(self._all("SELECT count(*) FROM features")[0][0])

    def foreign(self) -> int:
        """How many rows hold what this class never writes; 0 unless somebody else changed the file."""
        return int(self._all(_FOREIGN)[0][0])

    def graph(self) -> dict[int, array[int]]:
        """See ArchivedWeb.graph."""
        rows = self._all("SELECT fingerprint, target FROM pages WHERE target != ''")
        graph = {key: array("q", [fingerprint(target)]) for key, target in rows}
        for key, data in self._all("SELECT fingerprint, targets FROM features"):
            targets = array("q")
            targets.frombytes(data[: len(data) // 8 * 8])
            graph[key] = _swapped(targets)
        return graph

    def identity(self) -> bytes:
        """Bytes that differ when any answer does, but for its features' content, which is told by their size."""
        rows = self._all(
            "SELECT p.fingerprint, status, target, seconds, length(targets), length(features) "
            "FROM pages p LEFT JOIN features f USING (fingerprint) ORDER BY p.number"
        )
        return repr(rows).encode("utf-8", "surrogatepass")

    def finish(self) -> None:
        """Leave one file that stands alone, to be read from a folder that cannot be written too; then close."""
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:  # somebody reads it: the journal stays, and nothing is lost
            pass
        except sqlite3.Error as error:
            raise self._broken(error) from None
        finally:
            self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _pages(self, where: str, values: tuple[Any, ...]) -> Iterator[LoggedPage]:
        sql = f"SELECT {_COLUMNS}, features FROM pages LEFT JOIN features USING (fingerprint) {where}"  # noqa: S608
        for row in self._all(sql, values):
            _key, url, status, target, seconds, outcome, score, on_topic, depth, referrer, scores, features = row
            try:
                answer = Answer(url, status, None if features is None else decode_features(features), target, seconds)
            except RecordingError as error:
                raise RecordingError(one_line(f"{self.path}: {url}: {error}")) from None
            yield LoggedPage(answer, score, bool(on_topic), depth, referrer, outcome, scores)

    def _check(self) -> None:
        if self._all("PRAGMA application_id")[0][0] != _APPLICATION:
            raise RecordingError(
                one_line(f"{self.path}: is a database, but not one of pages that topicspider has read")
            )
        if (layout := self._all("PRAGMA user_version")[0][0]) != LAYOUT:
            raise RecordingError(
                one_line(
                    f"{self.path}: has layout {layout}, and this version reads {LAYOUT}; delete the file, or crawl anew"
                )
            )

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _write(self, statements: list[tuple[str, list[Any]]]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for sql, rows in statements:
                self._connection.executemany(sql, rows)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise self._broken(error) from None

    def _broken(self, error: sqlite3.Error) -> RecordingError:
        return RecordingError(one_line(f"{self.path}: cannot be used as a file of read pages: {error}"))


def _swapped(numbers: array[int]) -> array[int]:
    """To and from little-endian, on any machine."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
