"""Bytes become the text their author wrote, whatever the page says about itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.decode import MAX_BYTES, decode
from topicspider.page.page import Page

SIMPLIFIED = "云台山位于河南省焦作市，是著名的旅游胜地，每年春天都有许多游客来这里登山赏花。"
TRADITIONAL = "陽明山國家公園位於臺北市，是著名的旅遊勝地，每年春天都有許多遊客來這裡登山賞花。"
JAPANESE = "京都は日本の古い都です。春になると、たくさんの人が桜を見にやって来ます。"
RUSSIAN = "Москва — столица России, крупнейший по численности населения город страны и её главный центр."


def page(text: str, declared: str) -> str:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if declared else ""
    return f"<html><head>{meta}<title>{text[:10]}</title></head><body><p>{text}</p><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "written", "declared", "header", "encoding"),
    [
        (SIMPLIFIED, "utf-8", "utf-8", "", "utf-8"),
        (SIMPLIFIED, "utf-8", "", "", "utf-8"),
        (SIMPLIFIED, "utf-8-sig", "gbk", "", "utf-8"),
        (SIMPLIFIED, "utf-16", "", "", "utf-16-le"),
        (SIMPLIFIED, "utf-16-be", "", "", "utf-16-be"),
        (SIMPLIFIED, "gbk", "gb2312", "", "gb18030"),
        (SIMPLIFIED, "gbk", "", "", "gb18030"),
        (SIMPLIFIED, "gbk", "", "text/html; charset=GBK", "gb18030"),
        (SIMPLIFIED, "gbk", "utf-8", "text/html; charset=utf-8", "gb18030"),
        (SIMPLIFIED, "gbk", "iso-8859-1", "", "gb18030"),
        (SIMPLIFIED, "gbk", "big5", "", "gb18030"),
        (SIMPLIFIED, "utf-8", "gb2312", "", "utf-8"),
        (SIMPLIFIED, "utf-8", "gbk", "text/html; charset=gbk", "utf-8"),
        (SIMPLIFIED, "gb18030", "no-such-charset", "", "gb18030"),
        (SIMPLIFIED, "hz", "hz-gb-2312", "", "hz-gb-2312"),
        (TRADITIONAL, "big5", "big5", "", "big5"),
        (TRADITIONAL, "big5", "", "", "big5"),
        (TRADITIONAL, "big5", "utf-8", "", "big5"),
        (TRADITIONAL, "gbk", "gbk", "", "gb18030"),
        (JAPANESE, "shift_jis", "shift_jis", "", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp", "", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", "", "iso-2022-jp"),
        (RUSSIAN, "cp1251", "windows-1251", "", "windows-1251"),
        (RUSSIAN, "cp1251", "utf-8", "", "windows-1251"),
        ("Der Käse schmeckt schön, und die Straße führt über die Brücke.", "cp1252", "iso-8859-1", "", "windows-1252"),
        ("Zażółć gęślą jaźń, a potem pójdź do domu i śpij spokojnie.", "cp1250", "windows-1250", "", "windows-1250"),
        (
            "서울은 대한민국의 수도이며 가장 큰 도시입니다. 봄에는 많은 관광객이 찾아옵니다.",
            "euc_kr",
            "euc-kr",
            "",
            "euc-kr",
        ),
    ],
)
def test_the_text_comes_back(text, written, declared, header, encoding):
    found = decode(page(text, declared).encode(written), header)
    assert text in found.text
    assert found.encoding == encoding


@pytest.mark.parametrize(
    ("text", "written", "encoding"),
    [(SIMPLIFIED, "gbk", "gb18030"), (TRADITIONAL, "big5", "big5"), (RUSSIAN, "cp1251", "windows-1251")],
)
@pytest.mark.parametrize("declared", ["utf-8", "gb2312", ""])
def test_text_behind_a_hundred_kilobytes_of_script_comes_back(text, written, encoding, declared):
    html = page(text, declared).replace("<title>", f"<script>{'if (a < 1) b = 1;' * 6_000}</script><title>")
    assert decode(html.encode(written)).encoding == encoding


@pytest.mark.parametrize(
    ("part", "broken"),
    [(b"\xff", 2), ("\ud83d\ude00".encode("utf-8", "surrogatepass"), 7), (SIMPLIFIED[:8].encode("gbk"), 7)],
)
def test_bad_bytes_or_a_part_in_another_encoding_do_not_turn_utf8_into_something_else(part, broken):
    found = decode(page(SIMPLIFIED, "utf-8").encode() + part + b"\xe4\xb8")
    assert (found.charset.used, found.charset.why, found.charset.repaired) == ("utf-8", "repaired", broken)
    assert SIMPLIFIED in found.text


@pytest.mark.parametrize(
    ("written", "meta", "header", "declared", "why"),
    [
        ("gbk", "utf-8", "iso-8859-1", "windows-1252 (header), utf-8 (meta)", "guess"),
        ("gbk", "gb2312", "", "gb18030", "meta"),
        ("gbk", "utf-8", "gbk", "gb18030 (header), utf-8 (meta)", "header"),
        ("gbk", "gb2312", "utf-8", "utf-8 (header), gb18030 (meta)", "meta"),
        ("gbk", "", "", "", "guess"),
        ("utf-8", "gb2312", "", "gb18030", "utf-8"),
        ("utf-8-sig", "gb2312", "gb2312", "gb18030", "bom"),
        ("ascii", "big5", "", "big5", "utf-8"),
    ],
)
def test_what_was_declared_and_why_something_was_used_are_kept(written, meta, header, declared, why):
    text = "Nothing but ASCII." if written == "ascii" else SIMPLIFIED
    found = decode(page(text, meta).encode(written), f"text/html; charset={header}" if header else "text/html").charset
    assert (found.declared, found.why, found.repaired) == (declared, why, 0)
    assert found.used == ("gb18030" if written == "gbk" else "utf-8")


def test_replacement_characters_that_stand_in_the_page_are_no_repairs():
    found = decode(page("\ufffd" + SIMPLIFIED, "utf-8").encode() + b"\xff").charset
    assert (found.why, found.repaired) == ("repaired", 1)


def test_text_cut_off_within_a_character_stays_utf8():
    found = decode("云台山的春天".encode()[:-1]).charset
    assert (found.used, found.why, found.repaired) == ("utf-8", "utf-8", 1)


def test_full_width_forms_are_left_as_they_are():
    assert (
        "ＡＢＣ１２３，（全角）" in decode("<p>ＡＢＣ１２３，（全角）</p>".encode("gbk"), "text/html; charset=gbk").text
    )


@pytest.mark.parametrize(
    "label", ["", "base64", "rot13", "zip", "\x00", "x" * 1000, "undefined", "idna", "unicode_escape"]
)
def test_codecs_that_are_no_text_encodings_are_not_believed(label):
    assert SIMPLIFIED in decode(page(SIMPLIFIED, label).encode("gbk"), f"text/html; charset={label}").text


def test_no_more_than_the_bound_is_decoded():
    assert len(decode(b"a" * (MAX_BYTES + 10)).text) == MAX_BYTES


@given(st.binary(max_size=300), st.text(max_size=60))
def test_any_bytes_give_text_that_utf8_can_hold(body, content_type):
    found = decode(body, content_type)
    assert len(found.text) <= max(len(body), 1)
    found.text.encode("utf-8")


@pytest.mark.parametrize(
    ("written", "declared"), [("gbk", "gb2312"), ("gbk", "utf-8"), ("gb18030", ""), ("utf-8", "gb2312")]
)
def test_a_page_reads_the_same_in_every_encoding(written, declared):
    read = Page("http://www.example.cn/", page(SIMPLIFIED, declared).encode(written), "text/html")
    assert read.title == SIMPLIFIED[:10]
    assert SIMPLIFIED in read.body
    assert "游客" in read.body_words
