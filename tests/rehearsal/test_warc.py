"""A WARC of any writer is indexed and answered from; a damaged one says where."""

from __future__ import annotations

import gzip
import random
import resource
import tracemalloc
from pathlib import Path

import pytest

from tests.rehearsal.writers import HTML, INFO, PLAIN, URL, WRITERS, answer, record
from topicspider.errors import ConfigError, RecordingError
from topicspider.rehearsal.archive.warc import WarcWeb, open_web


def opened(tmp_path: Path, data: bytes) -> WarcWeb:
    path = tmp_path / "recording.warc"
    path.write_bytes(data)
    return WarcWeb(path)


@pytest.mark.parametrize("name", WRITERS)
def test_every_writers_record_is_found_with_its_body_and_type(tmp_path: Path, name: str) -> None:
    web = opened(tmp_path, WRITERS[name])
    found = web.find(URL)
    assert found is not None
    assert (found.status, found.body) == (200, HTML)
    assert {header.lower(): value for header, value in found.headers} == {"content-type": "text/html; charset=utf-8"}
    assert (len(web), list(web.hosts()), web.knows("www.huangshan.example")) == (1, ["www.huangshan.example"], True)


@pytest.mark.parametrize(
    "spelling",
    [
        URL,
        "http://www.huangshan.example/%E6%B8%B8%E8%AE%B0/1.html",
        "http://www.huangshan.example/%e6%b8%b8%e8%ae%b0/1.html",
        "http://WWW.huangshan.example:80/x/../游记/1.html#top",
    ],
)
def test_a_url_is_found_in_every_spelling(tmp_path: Path, spelling: str) -> None:
    assert opened(tmp_path, PLAIN).find(spelling) is not None


def test_a_page_is_a_redirect_under_the_other_scheme(tmp_path: Path) -> None:
    web = opened(tmp_path, PLAIN)
    assert web.find(URL).status == 200
    moved = web.find(URL.replace("http:", "https:"))
    assert (moved.status, dict(moved.headers)["Location"]) == (301, URL)


def test_of_several_records_the_same_scheme_then_status_200_then_the_first_wins(tmp_path: Path) -> None:
    data = b"".join(
        [
            record("response", "http://a.example/", answer(b"", "301 Moved", "Location: https://a.example/")),
            record("response", "https://a.example/", answer(b"busy", "503 Busy")),
            record("response", "https://a.example/", answer(b"first")),
            record("response", "https://a.example/", answer(b"second")),
            record("response", "http://b.example/", answer(b"", "302 Found", "Location: https://b.example/")),
            record("response", "http://c.example/", answer(b"", "304 Not Modified")),
        ]
    )
    web = opened(tmp_path, data)
    over_https, over_http = web.find("https://a.example/"), web.find("http://a.example/")
    assert over_https is not None
    assert over_https.body == b"first"
    assert over_http is not None
    assert over_http.status == 301
    # what was redirected to https, and not recorded there, must not be redirected to itself
    assert web.find("https://b.example/") is None
    assert web.find("http://c.example/") is None
    assert (len(web), len(list(web.hosts()))) == (2, 2)


@pytest.mark.parametrize(
    "fields",
    [{"WARC_Refers_To_Target_URI": "http://a.example/1"}, {"WARC_Payload_Digest": "sha1:ABC"}],
    ids=["by address", "by digest"],
)
def test_a_revisit_is_answered_by_what_it_refers_to(tmp_path: Path, fields: dict[str, str]) -> None:
    first = record("response", "http://a.example/1", answer(), WARC_Payload_Digest="sha1:ABC")
    again = record("revisit", "http://a.example/2", b"HTTP/1.1 200 OK\r\n\r\n", **fields)
    lost = record("revisit", "http://a.example/3", b"", WARC_Payload_Digest="sha1:XYZ")
    web = opened(tmp_path, again + first + lost)
    found = web.find("http://a.example/2")
    assert found is not None
    assert found.body == HTML
    assert web.find("http://a.example/3") is None


DAMAGE = {
    "empty": (b"", "offset 0: not a WARC file: it is empty"),
    "a page": (HTML, "offset 0: not a WARC file: it begins with"),
    "a zip": (b"PK\x03\x04" + bytes(100), "not a WARC file"),
    "no response in it": (INFO, "holds no recorded response"),
    "cut within a body": (
        PLAIN[:-20],
        f"offset {len(PLAIN) - len(record('response', URL, answer()))}: cut off: the last record lacks",
    ),
    "cut within a head": (PLAIN + b"WARC/1.1\r\nWARC-Type: resp", "damaged"),
    "rubbish between records": (PLAIN + b"rubbish", "damaged"),
    "no length": (PLAIN + b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", "Content-Length"),
    "length too small": (
        record("response", URL, answer()).replace(b"Content-Length: ", b"Content-Length: 1\r\nX: ", 1),
        "damaged",
    ),
    "packed, cut off": (WRITERS["packed record by record"][:-40], "cut off"),
    "packed as a whole": (gzip.compress(PLAIN), "gunzip"),
    "packed, not WARC": (gzip.compress(HTML), "damaged"),
    "packed, broken": (WRITERS["packed record by record"][:30] + b"\xff" * 40, "offset"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_one_line_with_file_offset_and_reason(tmp_path: Path, name: str) -> None:
    data, words = DAMAGE[name]
    with pytest.raises(RecordingError) as caught:
        opened(tmp_path, data)
    text = str(caught.value)
    assert "recording.warc" in text
    assert words in text
    assert "\n" not in text


def test_cut_off_at_any_byte_it_is_an_error_or_lacks_nothing(tmp_path: Path) -> None:
    last = record("response", "http://a.example/last", answer())
    whole = PLAIN + last
    rng = random.Random(3)
    for cut in rng.sample(range(len(PLAIN) + 1, len(whole)), 60):
        try:
            web = opened(tmp_path, whole[:cut])
        except RecordingError:
            continue
        assert len(web) == 2 if cut > len(whole) - 4 else cut <= len(PLAIN) + 4


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "/no/such.warc",
        "made:pages=x",
        "made:pages=1",
        "made:colour=red",
        "made:pages=500,pages=500",
        "made:hosts=2",
    ],
)
def test_a_web_that_is_none_is_a_config_error(spec: str) -> None:
    with pytest.raises(ConfigError):
        open_web(spec)


def test_memory_does_not_grow_with_payloads(tmp_path: Path) -> None:
    path = tmp_path / "large.warc"
    with path.open("wb") as file:
        for number in range(300):
            file.write(record("response", f"http://h{number % 7}.example/{number}", answer(bytes(200_000))))
    WarcWeb(path)  # warcio is loaded now
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    web = WarcWeb(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(web), len(list(web.hosts()))) == (300, 7)
    assert peak < 2_000_000  # of 60 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
