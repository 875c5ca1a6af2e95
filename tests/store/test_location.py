"""TOPICSPIDER_STORE is read strictly, and no password is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.errors import ConfigError
from topicspider.store.location import MysqlPlace, SqlitePlace, parse
from topicspider.url import masked

DEFAULT = Path("data/tourism/pages.sqlite")
MYSQL = MysqlPlace("db.example", 3307, "u", "p@ss:w/rd 密", "pages")

GOOD = [
    ("", SqlitePlace(DEFAULT)),
    ("  ", SqlitePlace(DEFAULT)),
    ("memory:", SqlitePlace(None)),
    ("sqlite:///data/页 面.sqlite", SqlitePlace(Path("data/页 面.sqlite"))),
    ("sqlite:////srv/pages.sqlite", SqlitePlace(Path("/srv/pages.sqlite"))),
    ("sqlite:///~/p.sqlite", SqlitePlace(Path.home() / "p.sqlite")),
    ("mysql://u:p%40ss%3Aw%2Frd%20%E5%AF%86@db.example:3307/pages", MYSQL),
    ("mysql://u@db.example/pages", MysqlPlace("db.example", 3306, "u", "", "pages")),
    ("mysql://u:p@[::1]:3306/pages", MysqlPlace("::1", 3306, "u", "p", "pages")),
    (
        "mysql://u:p@/pages?unix_socket=/run/my%20sql.sock&ssl=unverified",
        MysqlPlace("127.0.0.1", 3306, "u", "p", "pages", unix_socket="/run/my sql.sock", ssl="unverified"),
    ),
]


@pytest.mark.parametrize(("url", "place"), GOOD)
def test_a_good_url_names_a_place(url: str, place: object) -> None:
    assert parse(url, DEFAULT) == place


BAD = [
    "postgres://u:secret@db.example/pages", "mysql:/u:secret@db.example/pages",
    "mysql//u:secret@db.example/pages", "u:secret@db.example/pages", "mysql://u:secret@db.example",
    "mysql://u:secret@db.example/", "mysql://u:secret@db.example/a/b", "mysql://:secret@db.example/pages",
    "mysql://u:secret@db.example:port/pages", "mysql://u:secret@db.example:99999/pages",
    "mysql://u:secret@db.example:0/pages", "mysql://u:secret#x@db.example/pages",
    "mysql://u:secret/x@db.example/pages", "mysql://u:secret@x@db.example:y/pages", "mysql://u:secret",
    "mysql://u:secret@db.example/pages?sll=on", "mysql://u:secret@db.example/pages?ssl=maybe",
    "mysql://u@db.example/pages?password=secret", "mysql://u:secret@[db.example/pages",
    "sqlite://pages.sqlite", "sqlite:pages.sqlite", "sqlite:///", "/srv/pages.sqlite", "memory",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD)
def test_a_bad_url_is_one_line_with_what_value_and_what_is_allowed(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(url, DEFAULT)
    text = str(caught.value)
    assert text.startswith("TOPICSPIDER_STORE: ")
    assert "secret" not in text
    assert all(form in text for form in ("sqlite:///PATH", "memory:", "mysql://USER"))
    assert "\n" not in text
    assert masked(url)[:6] in text


@given(st.text(st.characters(blacklist_characters="&"), min_size=1).filter(lambda word: not word.isspace()))
def test_no_password_however_odd_is_shown(password: str) -> None:
    marked = f"Zz{password}zZ"
    assert marked not in masked(f"mysql://user:{marked}@db.example:3306/pages")


@given(st.text())
def test_any_mysql_url_is_a_place_or_a_config_error(rest: str) -> None:
    assert _is_place_or_config_error("mysql://" + rest)


def _is_place_or_config_error(url: str) -> bool:
    try:
        return isinstance(parse(url, DEFAULT), (SqlitePlace, MysqlPlace))
    except ConfigError as error:
        return "TOPICSPIDER_STORE" in str(error)
