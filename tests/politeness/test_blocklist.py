"""Hosts that asked not to be crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from topicspider.errors import ConfigError
from topicspider.politeness.blocklist import DoNotCrawl

if TYPE_CHECKING:
    from pathlib import Path

SETTING = "TOPICSPIDER_DO_NOT_CRAWL"


@pytest.mark.parametrize(
    ("value", "host", "covered"),
    [
        ("", "a.example", False),
        ("a.example", "a.example", True),
        ("a.example", "A.EXAMPLE", True),
        ("a.example", "news.a.example", True),
        ("a.example", "ba.example", False),
        (" x.example , a.example ,", "a.example", True),
        ("*.a.example", "b.a.example", True),
        ("https://a.example:8443/path", "a.example", True),
        ("旅游.example", "xn--fhqs71l.example", False),
        ("旅游.example", "www.旅游.example", True),
        ("192.0.2.1", "192.0.2.1", True),
        ("[2001:db8::1]", "[2001:db8:0::1]", True),
    ],
)
def test_a_name_covers_itself_and_what_is_below_it(value: str, host: str, covered: bool) -> None:
    assert DoNotCrawl.read(SETTING, value).covers(host) is covered


def test_a_file_has_one_name_a_line(tmp_path: Path) -> None:
    path = tmp_path / "请勿抓取.txt"
    path.write_text("\ufeff# 请勿抓取\na.example\n\nb.example # 来信 2026-11\n", encoding="utf-8")
    hosts = DoNotCrawl.read(SETTING, f"@{path}")
    assert hosts.covers("a.example")
    assert hosts.covers("www.b.example")


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_DO_NOT_CRAWL.*none\.txt.*No such file"):
        DoNotCrawl.read(SETTING, f"@{tmp_path / 'none.txt'}")


@pytest.mark.parametrize("value", ["a b.example", "http://", "a..example", "*.*"])
def test_a_name_that_is_none_is_an_error(value: str) -> None:
    with pytest.raises(ConfigError, match="host names"):
        DoNotCrawl.read(SETTING, value)
