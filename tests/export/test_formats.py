"""Every format is read back, by a reader that is not ours where there is one."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.page.standard_cases import naughty_strings
from tests.search.conftest import hit
from topicspider.cli.command import print_anything
from topicspider.errors import ConfigError, UnavailableError
from topicspider.export import formats
from topicspider.export.formats import BOM, FIELDS, FORMATS, LONGEST_CELL, Sheet, print_table, write_export
from topicspider.store.rows import PageRow
from topicspider.store.snapshots import Snapshot, SnapshotWriter, read_snapshot

CHINESE = hit("1", "桂林山水甲天下", '漓江,"两岸"\n的风景 🚣', summary="漓江两岸", snapshot="")
FORMULAS = hit("2", '=HYPERLINK("http://evil.example")', "@SUM(1+1)", author="＝1＋1", summary="-1", snapshot="")
HOSTILE = hit("3", "<script>alert(1)</script> & ]]>", "\x1b[31m \x07 \u2028 \ufffe", summary="<b>'\"", snapshot="")
LONG = hit("4", "长", "长" * 100_000, snapshot="")
ROWS = [CHINESE, FORMULAS, HOSTILE, LONG]


def no_snapshot(place: str) -> Snapshot:
    raise UnavailableError(f"snapshot {place}", "none here")


def written(folder: Path, ending: str, rows: Iterable[PageRow] = ROWS, title: str = "旅游 · <桂林>") -> Path:
    path = folder / f"hits{ending}"
    write_export(path, rows, Sheet(title, no_snapshot))
    return path


def test_jsonl_has_every_field(tmp_path: Path) -> None:
    lines = written(tmp_path, ".jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line) for line in lines] == [asdict(row.item) for row in ROWS]
    assert "桂林山水甲天下" in lines[0]


def test_csv_is_read_back_and_opens_in_excel(tmp_path: Path) -> None:
    raw = written(tmp_path, ".csv").read_bytes()
    assert raw.startswith("\ufeff".encode())
    csv.field_size_limit(sys.maxsize)
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert rows[0]["title"] == "桂林山水甲天下"
    assert rows[0]["body"] == CHINESE.item.body
    assert rows[0]["keywords"] == "桂林, 漓江"
    assert float(rows[0]["relevance"]) == CHINESE.item.relevance
    assert json.loads(rows[0]["parts"]) == CHINESE.item.parts
    assert list(rows[0]) == list(FIELDS)
    assert len(rows[3]["body"]) == LONGEST_CELL


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(written(tmp_path, ".csv").read_text("utf-8-sig"), newline="")))
    texts = [text for row in rows[1:] for text in row if not re.fullmatch(r"-?[\d.e+-]+", text)]
    assert not [text for text in texts if text[:1] in "=+-@\t\r＝＋－＠" and text]
    assert "'=HYPERLINK" in rows[2][FIELDS.index("title")]


def test_xlsx_is_read_back_without_formulas(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(written(tmp_path, ".xlsx"))
    sheet = book["hits"]
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0] == FIELDS
    assert rows[1][FIELDS.index("title")] == "桂林山水甲天下"
    assert rows[1][FIELDS.index("relevance")] == pytest.approx(CHINESE.item.relevance)
    assert rows[2][FIELDS.index("title")] == FORMULAS.item.title
    assert {one.data_type for row in sheet.iter_rows() for one in row} <= {"s", "n", "inlineStr"}
    assert len(rows[4][FIELDS.index("body")]) == LONGEST_CELL
    book.close()


def test_parquet_is_read_back(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    rows = pq.read_table(written(tmp_path, ".parquet", ROWS * 150)).to_pylist()
    assert len(rows) == 600
    for row, back in zip(ROWS, rows, strict=False):
        expected = asdict(row.item)
        assert back == {
            **expected,
            "data": json.dumps(expected["data"], ensure_ascii=False),
            "parts": json.dumps(expected["parts"]),
        }


def test_warc_has_snapshots_as_they_came_and_texts_of_the_others(tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    writer = SnapshotWriter(tmp_path, "run")
    body = "<html>桂林</html>".encode("gbk")
    taken = Snapshot(CHINESE.item.url, 200, (("Content-Type", "text/html"),), body, "2026-11-21T05:00:00Z")
    place = writer.submit(taken).result()
    writer.close()
    rows = [hit("1", "桂林", snapshot=place), FORMULAS, hit("5", "桂林", "漓江", snapshot="snapshots/gone.warc.gz:0")]
    path = tmp_path / "hits.warc.gz"
    assert write_export(path, rows, Sheet("", lambda where: read_snapshot(tmp_path, where))) == 3
    with path.open("rb") as file:
        records = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
            for record in ArchiveIterator(file)
        ]
    assert records[0][0] == "warcinfo"
    assert records[1] == ("response", CHINESE.item.url, body)
    assert records[2][:2] == ("conversion", FORMULAS.item.url)
    assert records[3][2].decode() == "桂林\n\n漓江\n"


def test_html_is_escaped_and_runs_nothing(tmp_path: Path) -> None:
    text = written(tmp_path, ".html").read_text("utf-8")
    assert "<script" not in text
    assert "default-src 'none'" in text
    assert "<h1>旅游 · &lt;桂林&gt;</h1>" in text
    assert [html.unescape(title) for title in re.findall(r"<h2><a href=\"[^\"]*\">(.*?)</a></h2>", text)] == [
        row.item.title for row in ROWS
    ]
    text = written(tmp_path / "..", f"-{os.getpid()}.html", [js()]).read_text("utf-8")
    assert 'href="javascript' not in text
    assert " · 2026-11-21 · " in text  # without a day of its own, that of the fetch


def js() -> PageRow:
    row = hit("9", "click", published="")
    row.item.url = "javascript:alert(1)"
    return row


def test_rss_is_well_formed(tmp_path: Path) -> None:
    root = ET.parse(written(tmp_path, ".rss")).getroot()
    items = root.findall("./channel/item")
    assert (root.get("version"), len(items)) == ("2.0", 4)
    assert [one.findtext("link") for one in items] == [row.item.url for row in ROWS]
    assert items[0].findtext("pubDate") == "Fri, 01 May 2026 00:00:00 +0000"
    assert [one.text for one in items[0].findall("category")] == ["tourism", "桂林", "漓江"]
    assert items[2].findtext("title") == HOSTILE.item.title
    assert root.findtext("./channel/title") == "旅游 · <桂林>"


@pytest.mark.parametrize("ending", FORMATS)
def test_naughty_strings_are_written(tmp_path: Path, ending: str) -> None:
    if FORMATS[ending].needs:
        pytest.importorskip(FORMATS[ending].needs)
    rows = [hit(str(number), text, text, summary=text, author=text) for number, text in enumerate(naughty_strings())]
    path = written(tmp_path, ending, rows, title=naughty_strings()[100])
    if ending == ".rss":
        assert len(ET.parse(path).getroot().findall("./channel/item")) == len(rows)
    assert path.stat().st_size > 1000


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    path = written(tmp_path, ".jsonl")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="--force"):
        write_export(path, [], Sheet("", no_snapshot))
    assert path.read_bytes() == before
    assert write_export(path, [CHINESE], Sheet("", no_snapshot), force=True) == 1
    assert path.read_bytes().count(b"\n") == 1


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = written(tmp_path, ".csv")
    before = path.read_bytes()

    def rows() -> Iterable[PageRow]:
        yield CHINESE
        raise UnavailableError("the store", "went away")

    with pytest.raises(UnavailableError, match="went away"):
        write_export(path, rows(), Sheet("", no_snapshot), force=True)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["hits.csv"]


@pytest.mark.parametrize("name", ["hits", "hits.txt", "hits.json", ".csv", "none/hits.csv", "folder.csv"])
def test_a_file_that_cannot_be_is_told_before_anything_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ConfigError, match="-o"):
        write_export(tmp_path / name, iter(lambda: pytest.fail("read"), 0), Sheet("", no_snapshot))


def test_a_missing_package_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "find_spec", lambda _name: None)
    for ending in (".xlsx", ".parquet"):
        with pytest.raises(UnavailableError, match=r"topicspider\[export\]"):
            written(tmp_path, ending)
    assert written(tmp_path, ".csv").exists()


TABLE = [{"url": "http://甲.example/", "title": "古镇旅游 🏯"}]


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", BOM), ("gb18030", BOM), ("gbk", ""), ("big5", ""), ("ascii", "")]
)
@pytest.mark.parametrize("rows", [TABLE, []])
def test_the_first_name_is_readable_in_any_encoding(encoding: str, mark: str, rows: list[dict[str, str]]) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_anything(out)
    print_table(rows, out, ("url", "title"))
    out.flush()
    written = out.buffer.getvalue().decode(encoding)
    assert written.splitlines()[0] == f"{mark}url,title"
    assert len(written.splitlines()) == 1 + len(rows)


COMPANY = hit(
    "5",
    "青禾",
    snapshot="",
    data={"kind": "company", "name": "青禾食品有限公司", "products": "稻米、杂粮", "phone": "0571-88886666"},
)


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
def test_a_table_of_one_kind_has_its_fields_as_columns(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"companies{ending}"
    write_export(path, [COMPANY], Sheet("", no_snapshot, "company"))
    if ending == ".csv":
        (row,) = csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    elif ending == ".xlsx":
        names, values = pytest.importorskip("openpyxl").load_workbook(path)["hits"].values
        row = dict(zip(names, values, strict=True))
    else:
        (row,) = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    assert (row["name"], row["products"], row["phone"]) == ("青禾食品有限公司", "稻米、杂粮", "0571-88886666")
    assert row["url"] == COMPANY.item.url
    assert "body" not in row
