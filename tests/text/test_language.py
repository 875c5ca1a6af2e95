"""The language of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.text.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("云台山位于河南省焦作市，门票一百二十元。", "zh"),
        ("雲臺山旅遊攻略", "zh"),
        ("这家 very famous international hotel 的房间很大，服务也很好", "zh"),
        ("阿强の小店", "zh"),
        ("京都の観光案内：おすすめの寺と神社をご紹介します。", "ja"),
        ("サッカー日本代表", "ja"),
        ("서울 여행 안내, 가볼 만한 곳", "ko"),
        ("Москва — столица России, крупнейший город страны", "ru"),
        ("Київ — столиця України, її найбільше місто", "uk"),
        ("Београд је главни град Србије и њен највећи град", "sr"),
        ("القاهرة هي عاصمة مصر", "ar"),
        ("تهران پایتخت ایران و بزرگ‌ترین شهر آن است", "fa"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "th"),
        ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας", "el"),
        ("ירושלים היא עיר הבירה", "he"),
        ("दिल्ली भारत की राजधानी है", "hi"),
        ("The old town lies on a hill and is known for its walls", "en"),
        ("Die alte Stadt liegt auf einem Hügel und ist für ihre Mauern bekannt", "de"),
        ("La vieille ville est sur une colline et les murs sont dans un parc", "fr"),
        ("La ciudad vieja está en una colina y los muros son muy altos", "es"),
        ("La città vecchia è su una collina e le mura sono nella valle con il fiume", "it"),
        ("A cidade velha fica em uma colina e os muros não são altos como dos outros", "pt"),
        ("Herramienta de ampliación", "es"),
        ("Choix de la couleur de fond", "fr"),
        ("Hotel Hilton", "en"),
        ("", ""),
        ("123 … ！？ 🏔️", ""),
    ],
)
def test_languages_are_told(text, language):
    assert language_of(text) == language


@given(st.text())
def test_any_text_has_a_code_of_two_letters_or_none(text):
    language = language_of(text)
    assert language == "" or (len(language) == 2 and language.islower())


def test_only_the_beginning_of_a_long_text_is_looked_at():
    assert language_of("门票" * 2000 + "The hotel " * 100_000) == "zh"


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("京都観光案内", "ja", "ja"),
        ("京都観光案内", "", "zh"),
        ("台灣旅遊", "zh-TW", "zh"),
        ("云台山", "en", "zh"),
        (
            "云台山位于河南省焦作市，是一处以山水景观闻名的旅游胜地，每年春天都有许多游客前来登山赏花，门票每人一百二十元。",
            "ja",
            "zh",
        ),
        ("서울 여행", "ja", "ko"),
        ("旅行ガイド", "zh", "ja"),
        ("Übersicht", "de-AT", "de"),
        ("The hills of the north are green.", "de", "en"),
        ("", "ja", ""),
    ],
)
def test_what_is_declared_decides_what_the_text_leaves_open(text, declared, language):
    assert language_of(text, declared) == language


@given(st.text(max_size=40), st.text(max_size=8))
def test_any_declaration_is_survived(text, declared):
    assert len(language_of(text, declared)) in (0, 2)
