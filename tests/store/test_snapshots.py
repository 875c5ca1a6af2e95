"""Snapshots: what was written is read again, alone, by any WARC reader, whatever the page was."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from topicspider.errors import UnavailableError
from topicspider.rehearsal.archive.warc import WarcWeb
from topicspider.store.snapshots import Snapshot, SnapshotWriter, read_snapshot

DATE = "2026-11-21T05:00:00+00:00"
HEADERS = (
    ("Content-Type", "text/html; charset=gb2312"),
    ("Content-Encoding", "gzip"),
    ("Set-Cookie", "a=1"),
    ("Set-Cookie", "b=2"),
)
BODY = "<title>桂林山水</title>".encode("gb18030")


def snapshot(url: str = "http://a.example/桂林?页=1", body: bytes = BODY, **fields: object) -> Snapshot:
    """A page as it came."""
    given = {"url": url, "status": 200, "headers": HEADERS, "body": body, "date": DATE} | fields
    return Snapshot(**given)  # type: ignore[arg-type]


@pytest.fixture
def writer(tmp_path):
    """A writer into an empty folder."""
    one = SnapshotWriter(tmp_path, "run")
    yield one
    one.close()


def test_a_page_comes_back_by_its_place(writer, tmp_path):
    places = [writer.submit(snapshot(f"http://a.example/{n}", b"%d" % n * 5000)).result(10) for n in range(20)]
    assert len(set(places)) == 20
    for n in (19, 0, 7):
        found = read_snapshot(tmp_path, places[n])
        assert (found.url, found.status, found.body) == (f"http://a.example/{n}", 200, b"%d" % n * 5000)
        assert found.date == "2026-11-21T05:00:00Z"


def test_headers_come_back_without_those_of_the_wire(writer, tmp_path):
    found = read_snapshot(tmp_path, writer.submit(snapshot()).result(10))
    assert found.headers == (
        ("Content-Type", "text/html; charset=gb2312"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Content-Length", str(len(BODY))),
    )
    assert found.body == BODY


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "标题", "\x00\x1b[31m", "x" * 100_000, "é"])
def test_an_odd_header_breaks_nothing(writer, tmp_path, value):
    found = read_snapshot(tmp_path, writer.submit(snapshot(headers=(("X-Odd", value),))).result(10))
    assert found.body == BODY
    assert {name for name, _value in found.headers} == {"X-Odd", "Content-Length"}


def test_other_readers_read_the_file(writer, tmp_path):
    writer.submit(snapshot("http://a.example/guilin.html")).result(10)
    writer.close()
    (path,) = (tmp_path / "snapshots").iterdir()
    with path.open("rb") as file:
        assert [record.rec_type for record in ArchiveIterator(file)] == ["warcinfo", "response"]
    recorded = WarcWeb(path).find("http://a.example/guilin.html")
    assert recorded is not None
    assert recorded.body == BODY


PROGRAM = """
import os, resource, signal, sys
from pathlib import Path
from tests.store.test_snapshots import snapshot
from topicspider.store.snapshots import SnapshotWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = SnapshotWriter(Path(sys.argv[1]), "run")
"""


def run_program(folder, program):
    """``program`` in a process of its own, with a ``writer`` into ``folder``."""
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", PROGRAM + program, str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)


def test_what_a_killed_process_told_of_is_there(tmp_path):
    ended = run_program(
        tmp_path, "print(writer.submit(snapshot()).result(10), flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert read_snapshot(tmp_path, ended.stdout.strip()).body == BODY


def test_a_disk_that_is_full_fails_that_snapshot_and_the_next_is_whole(tmp_path):
    ended = run_program(
        tmp_path,
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "first = writer.submit(snapshot('http://a.example/1')).result(10)\n"
        "assert isinstance(writer.submit(snapshot(body=os.urandom(60_000))).exception(10), OSError)\n"
        "print(first, writer.submit(snapshot('http://a.example/2')).result(10))\n"
        "writer.close()\n",
    )
    assert ended.returncode == 0, ended.stderr
    urls = [read_snapshot(tmp_path, place).url for place in ended.stdout.split()]
    assert urls == ["http://a.example/1", "http://a.example/2"]


@pytest.mark.parametrize(
    "place",
    ["", "snapshots/run.warc.gz", "snapshots/none.warc.gz:0", "../../etc/passwd:0", "/etc/passwd:0", "x:1", ":5"],
)
def test_a_place_that_is_none_is_told(tmp_path, place):
    with pytest.raises(UnavailableError, match="snapshot"):
        read_snapshot(tmp_path, place)


@pytest.mark.parametrize("content", [b"", b"no warc", gzip.compress(b"WARC/1.0\r\n", mtime=0), os.urandom(2000)])
def test_a_damaged_file_is_told(tmp_path, content):
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "x.warc.gz").write_bytes(content)
    with pytest.raises(UnavailableError, match=r"x\.warc\.gz:0"):
        read_snapshot(tmp_path, "snapshots/x.warc.gz:0")
