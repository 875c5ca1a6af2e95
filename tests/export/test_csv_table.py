"""A table as CSV on stdout: with a byte order mark where the encoding has one."""

from __future__ import annotations

import io

import pytest

from topicspider.cli.command import print_anything
from topicspider.export.tables import BOM, print_table

ROWS = [{"url": "http://甲.example/", "title": "古镇旅游 🏯"}]


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", BOM), ("gb18030", BOM), ("gbk", ""), ("big5", ""), ("ascii", "")]
)
@pytest.mark.parametrize("rows", [ROWS, []])
def test_the_first_name_is_readable_in_any_encoding(encoding: str, mark: str, rows: list[dict[str, str]]) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    print_anything(out)
    print_table(rows, out, ("url", "title"))
    out.flush()
    written = out.buffer.getvalue().decode(encoding)
    assert written.splitlines()[0] == f"{mark}url,title"
    assert len(written.splitlines()) == 1 + len(rows)
