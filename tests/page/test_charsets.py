"""All charset cases: texts of many languages, in their encodings, short and long, rightly, wrongly and not declared."""

from __future__ import annotations

import pytest

from support.charsets import DECLARATIONS, LABELS, SIZES, TELLING, TEXTS, page
from topicspider.page.decoding.charset import READINGS, likeliest, likelihood, sample_of
from topicspider.page.decoding.decode import decode

CASES = [pytest.param(text, codec, id=f"{text.language}-{codec}") for text in TEXTS for codec in text.codecs]


@pytest.mark.parametrize(("text", "codec"), CASES)
@pytest.mark.parametrize("size", SIZES)
def test_a_right_declaration_is_believed(text, codec, size):
    label = LABELS.get(codec, codec)
    declared = page(text, size, label).encode(codec, "ignore")
    assert decode(declared, "text/html").text == declared.decode(codec)
    plain = page(text, size).encode(codec, "ignore")
    assert decode(plain, f"text/html; charset={label}").text == plain.decode(codec)


@pytest.mark.parametrize(("text", "codec"), CASES)
@pytest.mark.parametrize("size", SIZES)
def test_no_wrong_or_missing_declaration_hides_a_text(text, codec, size):
    if size == "title" and text.language not in TELLING and codec != "utf-8":
        pytest.skip("a short word of an alphabet with few letters beyond ASCII says nothing about its encoding")
    for label in DECLARATIONS:
        meta = page(text, size, label).encode(codec, "ignore")
        plain = page(text, size).encode(codec, "ignore")
        assert decode(meta).text == meta.decode(codec), f"meta {label}"
        assert decode(plain, f"text/html; charset={label}").text == plain.decode(codec), f"header {label}"
        assert decode(meta, "text/html; charset=utf-8").text == meta.decode(codec), f"meta {label}, header utf-8"


@pytest.mark.parametrize("text", TEXTS, ids=[text.language for text in TEXTS])
def test_utf8_with_bad_bytes_stays_utf8(text):
    body = page(text, "long", "gbk").encode()
    damaged = body[:300] + b"\xff" + body[300:-20] + b"\xe4\xb8" + body[-20:]
    assert decode(damaged, "text/html; charset=gbk").charset.used == "utf-8"


def test_english_with_one_typographic_quote_of_windows_1252():
    body = b"<title>The guide</title><p>It\x92s the best month to come, and the gardens are in bloom.</p>"
    for content_type in (
        "text/html",
        "text/html; charset=utf-8",
        "text/html; charset=iso-8859-1",
        "text/html; charset=gbk",
    ):
        assert "It\u2019s the best" in decode(body, content_type).text


@pytest.mark.parametrize("characters", ["\u3400\u4dae", "\U00020000\U0002a6d6", "\u1820\u1821"])
def test_four_byte_characters_of_gb18030_are_read(characters):
    text = page(TEXTS[0], "page", "gb2312").replace("<p>", f"<p>{characters}")
    assert decode(text.encode("gb18030")).text == text


def test_the_sample_never_begins_within_a_character():
    body = ("<p class='标'>" + "旅A游" * 5 + "</p> plain <b>云</b>").encode("gbk")
    assert sample_of(body).decode("gbk").replace(" ", "") == "旅A游" * 5 + "云"
    assert sample_of(b"nothing") == b""


def test_the_likeliest_reading_wins_and_a_declaration_weighs_less_than_a_sentence():
    sample = TEXTS[0].text.encode("gbk")
    assert likeliest(sample)[0] == "gb18030"
    assert likeliest(sample, ("big5hkscs",))[0] == "gb18030"
    assert likelihood(sample, "gb18030") > likelihood(sample, "big5hkscs")
    assert likeliest(b"") == ("", float("-inf"))


def test_every_reading_has_a_codec_that_python_knows():
    assert all(b"a".decode(codec) == "a" for codec, _, _ in READINGS)
