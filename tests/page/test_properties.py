"""Promise P1 for every input that a page can have: bytes, markup in pieces, URL, content type, encoding, extraction, day."""

from __future__ import annotations

import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.page.asking import check
from tests.page.test_bounds import PIECES
from topicspider.page.decode import decode
from topicspider.page.page import Page

MARKUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=40).map("".join)
CODECS = ["utf-8", "gbk", "gb18030", "big5", "shift_jis", "euc_jp", "iso2022_jp", "euc_kr", "cp1251", "cp1252", "utf-16", "hz"]  # fmt: skip
ENCODED = st.builds(lambda text, codec: text.encode(codec, "ignore"), MARKUP, st.sampled_from(CODECS))
BODIES = st.binary(max_size=400) | ENCODED | st.tuples(ENCODED, st.binary(max_size=20), ENCODED).map(b"".join)
LABELS = st.sampled_from(
    ["utf-8", "gb2312", "big5", "shift_jis", "iso-2022-jp", "utf-16", "utf-7", "hz", "idna", "x" * 99]
) | st.text(max_size=20)
CONTENT_TYPES = st.builds(
    "{}; charset={}".format, st.sampled_from(["text/html", "text/plain", "", "application/pdf", "TEXT/HTML "]), LABELS
)
URLS = st.text(max_size=60) | st.builds(
    "http://{}/{}".format, st.sampled_from(["www.example.cn", "[::1", "例子.中国:99999", ""]), st.text(max_size=40)
)
EXTRACTIONS = st.sampled_from(["default", "published"])
DAYS = st.none() | st.dates(datetime.date(1970, 1, 1), datetime.date(2100, 1, 1))


@settings(max_examples=300)
@given(BODIES, CONTENT_TYPES | st.text(max_size=40), URLS, EXTRACTIONS, DAYS)
def test_p1_no_input_raises_and_every_field_is_bounded(body, content_type, url, extraction, day):
    check(Page(url, body, content_type, extraction=extraction, fetched_on=day))


@settings(max_examples=300)
@given(BODIES, CONTENT_TYPES)
def test_p1_no_bytes_are_decoded_to_more_than_they_are(body, content_type):
    found = decode(body, content_type)
    assert len(found.text) <= max(1, len(body))
    assert 0 <= found.charset.repaired <= len(found.text)
    assert found.charset.why in ("bom", "utf-8", "header", "meta", "repaired", "escapes", "guess", "default")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_p1_utf8_is_never_taken_for_anything_else(text):
    body = ("<p>" + text).encode()
    if b"\x1b$" in body or b"~{" in body or "\0" in text:
        return
    found = decode(body)
    assert (found.text, found.charset.used) == ("<p>" + text, "utf-8")
