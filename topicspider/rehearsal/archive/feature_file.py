"""One SQLite file of pages that were read: the cache of a web's features, and the log of a crawl."""

from __future__ import annotations

import sqlite3
import sys
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicspider.errors import RecordingError, one_line
from topicspider.rehearsal.archive.features_codec import (
    decode_features,
    decode_verdicts,
    encode_features,
    encode_verdicts,
)
from topicspider.rehearsal.archive.page_features import Answer, LoggedPage
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

APPLICATION = 0x74735F66  # "ts_f", in the file's head: whose file it is
LAYOUT = 1
BUSY_SECONDS = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (host TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    fingerprint INTEGER PRIMARY KEY,  -- of the canonical URL
    number INTEGER NOT NULL,          -- in the order of writing
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    target TEXT NOT NULL,             -- of a redirect
    seconds REAL,
    outcome TEXT NOT NULL,            -- the rest is of crawl logs
    score REAL NOT NULL,
    on_topic INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    referrer TEXT NOT NULL,
    scores TEXT NOT NULL              -- JSON: topic to score
);
-- apart, so that the tables above stay small and are read in a moment
CREATE TABLE IF NOT EXISTS features (
    fingerprint INTEGER PRIMARY KEY, targets BLOB NOT NULL, features BLOB NOT NULL, verdicts BLOB
);
"""
_PAGES = "fingerprint, url, status, target, seconds, outcome, score, on_topic, depth, referrer, scores"
_ADD_PAGE = f"""
INSERT INTO pages ({_PAGES}, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (fingerprint) DO UPDATE SET
    (number, status, target, seconds, outcome, score, on_topic, depth, referrer, scores)
    = (excluded.number, excluded.status, excluded.target, excluded.seconds, excluded.outcome, excluded.score, excluded.on_topic,
       excluded.depth, excluded.referrer, excluded.scores)
"""  # noqa: S608 - names of columns
_FOREIGN = """
SELECT (SELECT count(*) FROM pages WHERE (typeof(url), typeof(target), typeof(status)) != ('text', 'text', 'integer'))
     + (SELECT count(*) FROM features WHERE (typeof(targets), typeof(features)) != ('blob', 'blob'))
"""
_ANSWER = """
SELECT url, status, target, seconds, features FROM pages LEFT JOIN features USING (fingerprint) WHERE fingerprint = ?
"""


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A LoggedPage as the file holds it; ``targets`` are fingerprints of link targets, in page order with repeats."""

    page: tuple[Any, ...]
    features: tuple[Any, ...] | None


def packed(answer: Answer) -> PackedPage:
    """What the file keeps of an answer that no crawl has judged."""
    return packed_log(LoggedPage(answer))


def packed_log(page: LoggedPage, scores: str = "{}") -> PackedPage:
    """What the file keeps of ``page``; ``scores``: JSON of topic to score."""
    answer = page.answer
    mark = fingerprint(answer.url)
    row = (
        mark,
        answer.url,
        answer.status,
        answer.target,
        answer.seconds,
        page.outcome,
        page.score,
        int(page.on_topic),
        page.depth,
        page.referrer,
        scores,
    )
    if answer.features is None:
        return PackedPage(row, None)
    targets = array("q", [fingerprint(link.url) for link in answer.features.links])
    verdicts = encode_verdicts(page.links) if page.links else None
    return PackedPage(row, (mark, _little_endian(targets), encode_features(answer.features), verdicts))


class FeatureFile:
    """An open file. One thread at a time; several processes may have it open, one of them to write.

    Every method raises RecordingError when the file is damaged, or cannot be read or written.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._number = 0  # of the next page, once known

    @classmethod
    def open(cls, path: Path) -> FeatureFile:
        """To read; raises RecordingError when it is no such file, a damaged one, or of another version."""
        if not path.is_file():
            raise RecordingError(one_line(f"{path}: there is no such file"))
        connection = _connect(path, f"{path.absolute().as_uri()}?mode=ro")
        try:
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return cls(path, connection)

    @classmethod
    def create(cls, path: Path) -> FeatureFile:
        """To write, with all that it holds already; made when it is not there."""
        connection = _connect(path, f"{path.absolute().as_uri()}?mode=rwc")
        try:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                _check(path, connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(
                f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {LAYOUT};{_SCHEMA}COMMIT;"
            )
        except sqlite3.Error as error:
            connection.close()
            raise _broken(path, error) from None
        except BaseException:
            connection.close()
            raise
        return cls(path, connection)

    def meta(self, key: str) -> str:
        """A fact about the file; "" when it was never set."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def set_meta(self, facts: dict[str, str]) -> None:
        """Keep ``facts``, all or none."""
        self._write([("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(facts.items()))])

    def add(self, pages: Iterable[PackedPage]) -> int:
        """Keep ``pages``, all or none, in place of what is known of their URLs; returns how many are new."""
        pages = list(pages)
        rows = [(*one.page, number) for number, one in enumerate(pages, self._next_number())]
        marks = {one.page[0] for one in pages}
        known = f"SELECT count(*) FROM pages WHERE fingerprint IN ({', '.join('?' * len(marks))})"  # noqa: S608
        old = int(self._all(known, tuple(marks))[0][0])
        self._write(
            [
                ("DELETE FROM features WHERE fingerprint = ?", [one.page[:1] for one in pages]),
                (_ADD_PAGE, rows),
                (
                    "INSERT OR REPLACE INTO features VALUES (?, ?, ?, ?)",
                    [one.features for one in pages if one.features is not None],
                ),
            ]
        )
        self._number += len(pages)
        return len(marks) - old

    def add_robots(self, bodies: dict[str, bytes]) -> None:
        """Keep robots.txt bodies by host key."""
        self._write([("INSERT OR REPLACE INTO robots VALUES (?, ?)", list(bodies.items()))])

    def robots(self, host: str) -> bytes | None:
        """The robots.txt of a host key, if the file has one."""
        rows = self._all("SELECT body FROM robots WHERE host = ?", (host,))
        return bytes(rows[0][0]) if rows else None

    def page(self, mark: int) -> LoggedPage | None:
        """The page of this fingerprint with its verdicts."""
        rows = self._all(f"SELECT {_PAGES} FROM pages WHERE fingerprint = ?", (mark,))  # noqa: S608
        if not rows:
            return None
        kept = self._all("SELECT features, verdicts FROM features WHERE fingerprint = ?", (mark,))
        features, verdicts = kept[0] if kept else (None, None)
        return self._logged(rows[0], features, verdicts)

    def answer(self, mark: int) -> Answer | None:
        """The answer of this fingerprint."""
        rows = self._all(_ANSWER, (mark,))
        return self._answer(*rows[0]) if rows else None

    def pages(self) -> Iterator[LoggedPage]:
        """All pages in the order in which they were written, one at a time."""
        sql = f"SELECT {_PAGES} FROM pages ORDER BY number"  # noqa: S608
        for row in self._all(sql):
            kept = self._all("SELECT features, verdicts FROM features WHERE fingerprint = ?", (row[0],))
            yield self._logged(row, *(kept[0] if kept else (None, None)))

    def urls(self) -> list[str]:
        """The URLs that answered with something, in the order in which they were written."""
        return [row[0] for row in self._all("SELECT url FROM pages WHERE status > 0 ORDER BY number")]

    def marks(self) -> set[int]:
        """The fingerprints of all that the file holds."""
        return {row[0] for row in self._all("SELECT fingerprint FROM pages")}

    def count(self) -> int:
        """How many pages have features."""
        return int(self._all("SELECT count(*) FROM features")[0][0])

    def foreign(self) -> int:
        """How many rows hold what this class never writes; 0 unless somebody else changed the file."""
        return int(self._all(_FOREIGN)[0][0])

    def graph(self) -> dict[int, array[int]]:
        """See ArchivedWeb.graph."""
        rows = self._all("SELECT fingerprint, target FROM pages WHERE target != ''")
        graph = {mark: array("q", [fingerprint(target)]) for mark, target in rows}
        for mark, targets in self._all("SELECT fingerprint, targets FROM features"):
            graph[mark] = _machine_order(targets)
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
            raise _broken(self.path, error) from None
        finally:
            self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _next_number(self) -> int:
        if self._number == 0:
            self._number = int(self._all("SELECT coalesce(max(number), 0) FROM pages")[0][0]) + 1
        return self._number

    def _logged(self, row: tuple[Any, ...], features: bytes | None, verdicts: bytes | None) -> LoggedPage:
        _mark, url, status, target, seconds, outcome, score, on_topic, depth, referrer, _scores = row
        return LoggedPage(
            self._answer(url, status, target, seconds, features),
            score,
            bool(on_topic),
            depth,
            referrer,
            outcome,
            decode_verdicts(verdicts) if verdicts else (),
        )

    def _answer(self, url: str, status: int, target: str, seconds: float | None, features: bytes | None) -> Answer:
        try:
            return Answer(url, status, None if features is None else decode_features(features), target, seconds)
        except RecordingError as error:
            raise RecordingError(one_line(f"{self.path}: {url}: {error}")) from None

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise _broken(self.path, error) from None

    def _write(self, statements: list[tuple[str, list[Any]]]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for sql, rows in statements:
                self._connection.executemany(sql, rows)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._number = 0
            raise _broken(self.path, error) from None


def _connect(path: Path, uri: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _broken(path, error) from None


def _check(path: Path, connection: sqlite3.Connection) -> None:
    try:
        ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise _broken(path, error) from None
    if not ours:
        raise RecordingError(one_line(f"{path}: is a database, but not one of pages that topicspider has read"))
    if layout != LAYOUT:
        raise RecordingError(
            one_line(f"{path}: has layout {layout}, and this version reads {LAYOUT}; delete the file, or crawl anew")
        )


def _broken(path: Path, error: sqlite3.Error) -> RecordingError:
    return RecordingError(one_line(f"{path}: cannot be used as a file of read pages: {error}"))


def _little_endian(numbers: array[int]) -> bytes:
    return _swapped(numbers).tobytes()


def _machine_order(data: bytes) -> array[int]:
    numbers = array("q")
    numbers.frombytes(data[: len(data) // 8 * 8])
    return _swapped(numbers)


def _swapped(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
