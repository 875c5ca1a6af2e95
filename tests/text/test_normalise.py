"""One spelling of a text."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.text.normalise import has_cjk, is_cjk, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello World", "hello world"),
        ("ＡＢＣ１２３！", "abc123!"),
        ("旅游　攻略", "旅游 攻略"),
        ("ﾃｽﾄ", "テスト"),
        ("㎡ ① ℃", "m2 1 °c"),
        # traditional to simplified
        ("臺灣旅遊資訊", "台湾旅游资讯"),
        ("萬里長城風景區門票", "万里长城风景区门票"),
        ("薴", "苎"),
        # characters that simplified text holds too are left as they are
        ("著名的乾隆皇帝", "著名的乾隆皇帝"),
        ("皇后在后面", "皇后在后面"),
        # NFKC's traps: compatibility ideographs and radicals are the characters they stand for
        ("\uf900\ufa1e", "岂羽"),
        ("⻓城⻔票", "长城门票"),
        ("〇", "〇"),
        ("𠮷野家", "𠮷野家"),
        # what cannot be seen
        ("旅\u200b游", "旅游"),
        ("\ufeff旅游", "旅游"),
        ("so\u00adft", "soft"),
        ("a\x00b\x1bc", "abc"),
        ("一行\r\n二行\t三", "一行  二行 三"),
        ("a\ud800b", "ab"),
        ("e\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("ΟΔΟΣ οδος", "οδοσ οδοσ"),
        ("STRASSE ÉTÉ ПРИВЕТ", "strasse été привет"),
        # what some write and others leave out
        ("İstanbul ЁЛКА ёлка ΚΑΦΕΣ καφές", "istanbul елка елка καφεσ καφεσ"),
        ("الْقَهْوَة قهـــوة שָׁלוֹם כַּדּוּר־אֲוִיר कॉफ़ी", "القهوة قهوة שלום כדור־אויר कॉफी"),
        ("観光 図書館 販売 有効", "观光 图书馆 贩卖 有效"),
        ("", ""),
    ],
)
def test_spellings_of_a_word_become_one(text, expected):
    assert normalise(text) == expected


@given(st.text() | st.text(alphabet=st.characters(min_codepoint=0x2E80, max_codepoint=0xFFEF)))
def test_it_is_idempotent_in_nfkc_and_without_control_characters(text):
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFKC", once)
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in once)


@pytest.mark.parametrize("char", ["旅", "遊", "〇", "々", "㐀", "𠮷", "\uf900", "⼭"])
def test_ideographs_are_cjk(char):
    assert is_cjk(char)
    assert has_cjk(f"x {char} y")


def test_a_hundred_thousand_marks_on_one_letter_are_cut_to_thirty_at_once():
    start = time.perf_counter()
    text = normalise("旅a" + "\u0316\u0301" * 50_000 + "游")
    assert time.perf_counter() - start < 5
    assert text.startswith("旅")
    assert text.endswith("游")
    assert len(text) < 40


@given(
    pieces=st.lists(
        st.text(min_size=1, max_size=8) | st.sampled_from(["臺灣旅遊，", "ＡＢＣ ", "ΐ", "㎡", "普通的文字。"]),
        min_size=1,
    )
)
def test_a_long_text_is_normalised_as_its_pieces_are(pieces):
    line = "".join(pieces) + "\n"
    times = 1 + 2000 // len(line)
    assert normalise(line * times) == "".join(normalise(line) for _ in range(times))


_KINDS = st.one_of(
    st.characters(),
    st.sampled_from("旅遊萬里長城…㎡①ＡＢ　\u200b\ud800\ufeff\n\tß臺薴𠮷😀é"),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
)


@given(st.text(_KINDS, min_size=1, max_size=60))
def test_a_long_text_is_normalised_as_its_short_lines_are(text):
    assert normalise("\n".join([text] * 400)) == " ".join([normalise(text)] * 400)


def test_a_long_text_of_what_cannot_be_seen_is_nothing():
    assert normalise("\u200b" * 1000) == ""
