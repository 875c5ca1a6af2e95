"""Promise P1 over published test data: every tree-construction and encoding case of html5lib, every naughty string."""

from __future__ import annotations

import time

import pytest

from tests.page.asking import ask, check
from tests.page.made import article
from tests.page.standard_cases import DATA, encodings, naughty_strings, tree_construction
from topicspider.page.decode import decode
from topicspider.page.page import Page

SECONDS = 1.0
"""Most cost a few milliseconds, on any machine."""
URL = "http://www.example.cn/"


def read(body: bytes, content_type: str = "text/html") -> Page:
    """The page, everything of it asked for within the time that a hostile page may take."""
    started = time.process_time()
    page = Page(URL, body, content_type)
    ask(page)
    assert time.process_time() - started < SECONDS
    check(page)
    return page


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    for codec in ("utf-8", "gbk"):  # dictionaries and tables are loaded once a process, not once a page
        ask(Page(URL, article().encode(codec), "text/html"))


def test_all_cases_are_there():
    assert (len(tree_construction()), len(encodings()), len(naughty_strings())) == (1704, 83, 517)


@pytest.mark.parametrize("markup", tree_construction().values(), ids=tree_construction())
def test_p1_a_tree_construction_case_is_read(markup):
    read(markup)
    read(b"<p>" + markup + article().encode(), "text/html; charset=utf-8")


@pytest.mark.parametrize("markup", [markup for markup, _expected in encodings().values()], ids=encodings())
def test_p1_an_encoding_case_is_read(markup):
    assert read(markup).encoding


def test_big5_is_told_as_html5lib_expects():
    body = (DATA / "html5lib-tests/encoding/chardet/test_big5.txt").read_bytes()
    assert decode(body).charset.used == "big5"


@pytest.mark.parametrize("text", naughty_strings(), ids=range(len(naughty_strings())))
def test_p1_a_naughty_string_is_read_wherever_it_stands(text):
    raw = text.encode("utf-8", "surrogatepass")
    read(raw)
    read(b"<title>%b</title><meta name=keywords content='%b'><p title=\"%b\">%b<a href='%b'>" % ((raw,) * 5))
    data = b"<script type='application/ld+json'>%b</script>" % raw
    read(data + article(title=text).encode("utf-8", "surrogatepass"))
    ask(Page(text, article().encode(), text))
