"""Cutting text: promise P2, and words of every script."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.text.segment import make_segmenter
from topicspider.text.stopwords import STOP_WORDS

TEXT = "我们坐火车去云台山旅游，门票一百二十元；The hotel near the lake（免费ＷｉＦｉ）很不错。"
WORDS = ["坐火车", "云台山", "旅游", "门票", "一百二十元", "hotel", "lake", "免费", "wifi", "不错"]

_SEGMENTER = make_segmenter()


@pytest.fixture
def segmenter():
    """A segmenter that no test changes."""
    return _SEGMENTER


def test_words_are_normalised_and_without_stop_words(segmenter):
    assert segmenter.words(TEXT) == WORDS


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "",
        " \r\n\t\u3000",
        "臺灣旅遊 ＡＢＣ",
        "café naïve Привет мир 日本語テスト 안녕하세요 हिन्दी ภาษาไทย",
        "a\ud800旅游\udfffb",
        "\x00\x1b[31m",
        "🏔️👨‍👩‍👧",
    ],
)
def test_p2_pieces_join_back_to_the_text(segmenter, text):
    assert "".join(segmenter.cut(text)) == text


@given(text=st.text() | st.text(alphabet="旅游云台山的 aZ9é-.й\u0301हि\ud800\n，"))
def test_p2_holds_for_any_text_and_words_are_words(text):
    pieces = _SEGMENTER.cut(text)
    assert "".join(pieces) == text
    assert all(pieces)
    words = _SEGMENTER.words(text)
    assert all(any(map(str.isalnum, word)) for word in words)
    assert STOP_WORDS.isdisjoint(words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("café naïve", ["café", "naïve"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ကော်ဖီ កាហ្វេ", ["ကော်ဖီ", "កាហ្វេ"]),
        ("おいしいコーヒーをPDFファイルで", ["おいしい", "コーヒー", "を", "pdf", "ファイル", "で"]),
        ("state-of-the-art", ["state", "art"]),
        ("3.5 公里", ["3.5", "公里"]),
        ("臺灣旅遊", ["台湾", "旅游"]),
        ("我的 ， 。 ! -- a 1", []),
        ("x" * 100, []),
    ],
)
def test_words_of_every_script_stay_whole(segmenter, text, words):
    assert segmenter.words(text) == words


@pytest.mark.parametrize(
    ("own", "text", "found"),
    [
        ("云台山红石峡", "云台山红石峡一日游", "云台山红石峡"),
        ("紅石峽谷", "云台山红石峡谷门票", "红石峡谷"),
        ("wi-fi", "免费Wi-Fi热点", "wi-fi"),
        (" 亲子游 ", "暑假亲子游攻略", "亲子游"),
    ],
)
def test_own_words_stay_whole(own, text, found):
    assert found not in _SEGMENTER.words(text)
    assert found in make_segmenter([own]).words(text)


def test_own_words_in_latin_letters_do_not_cut_longer_ones():
    text = "The party of artists starts in Teahouse 5: T恤, C++ and population; 绿茶tea"
    words = ["party", "artists", "starts", "teahouse", "t恤", "c++", "population", "绿茶", "tea"]
    assert make_segmenter(["art", "tea", "ion", "c++", "t恤"]).words(text) == words


def test_what_is_made_of_an_own_word_counts_as_it_where_meaning_does_not_tell():
    made = {
        "bergwanderungen": "wanderung",
        "jungimker": "imkerei",
        "jardinier": "jardinage",
        "астрономов": "астрономия",
        "등산객은": "등산",
    }
    segmenter = make_segmenter([*made.values(), "coffee", "investing", "latte", "право"])
    assert [segmenter.words(word) for word in made] == [[word, own] for word, own in made.items()]
    others = ["wanderung", "coffeehouse", "investigation", "latter", "umlatten", "православный"]
    assert segmenter.words(" ".join(others)) == others


def test_own_words_are_found_in_runs_without_spaces_and_not_in_other_words():
    segmenter = make_segmenter(["お茶", "カー", "サッカー", "りんご", "กาแฟ", "ชา", "tシャツ"])
    found = segmenter.words(
        "おいしいお茶。スカート、ジュニアサッカー、サッカーチーム。赤いりんごのTシャツ。ฉันดื่มกาแฟเย็น ประชาชน"
    )
    assert {"お茶", "サッカー", "りんご", "tシャツ", "กาแฟ"} <= set(found)
    assert {"スカート", "ประชาชน"} <= set(found)


def test_own_words_of_one_segmenter_are_unknown_to_another():
    first = make_segmenter(["云台山红石峡"])
    second = make_segmenter()
    first.add_words(["潭瀑峡谷"])
    assert {"云台山红石峡", "潭瀑峡谷"} <= set(first.words("云台山红石峡和潭瀑峡谷"))
    assert {"云台山红石峡", "潭瀑峡谷"}.isdisjoint(second.words("云台山红石峡和潭瀑峡谷"))


def test_impossible_own_words_change_nothing():
    segmenter = make_segmenter(["", " ", "two words", "换\n行", "\ud800", "长" * 100])
    assert segmenter.words(TEXT) == WORDS


def test_it_is_quiet_and_does_not_import_jieba():
    script = (
        "import sys; from topicspider.text.segment import make_segmenter;"
        "assert make_segmenter().words('云台山旅游') == ['云台山', '旅游'];"
        "assert 'jieba' not in sys.modules"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("text", ["旅" * 40_000, "a" * 40_000, "的" * 40_000, "旅é" * 20_000, "a-." * 20_000])
def test_hostile_runs_are_cut_in_time_that_grows_with_their_length(segmenter, text):
    segmenter.cut("旅游")  # the dictionary is loaded
    start = time.perf_counter()
    assert "".join(segmenter.cut(text)) == text
    segmenter.words(text)
    assert time.perf_counter() - start < 5  # 12 s and more where it grew with the square


def test_every_word_of_the_dictionary_is_told_however_the_text_is_cut(segmenter):
    assert set(segmenter.dictionary_words("研究生命 and cafe，桂林山水 3.5")) >= {
        "研究",
        "研究生",
        "生命",
        "桂林",
        "山水",
    }
    assert "旅游攻略大全集" not in segmenter.dictionary_words("旅游攻略大全集")
    assert segmenter.dictionary_words("") == segmenter.dictionary_words("plain words \x00 \ud800") == []


def test_a_crawl_holds_the_dictionary_once():
    """A segmenter that adds words keeps the library's own tokenizer when no other uses it, and nobody is lent that one again."""
    code = (
        "import rjieba\n"
        "from topicspider.text.segment import make_segmenter\n"
        "first = make_segmenter(); first.add_words(['潭瀑峡谷'])\n"
        "print(first._tokenizer is rjieba.cut.__self__)\n"
        "second, third = make_segmenter(), make_segmenter(['红石峡谷'])\n"
        "print([one.words('潭瀑峡谷和红石峡谷') for one in (first, second, third)])\n"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, encoding="utf-8", check=True
    )
    kept, words = told.stdout.splitlines()
    assert kept == "True"
    of_first, of_second, of_third = ast.literal_eval(words)
    assert "潭瀑峡谷" in of_first
    assert "潭瀑峡谷" not in of_second + of_third
    assert "红石峡谷" in of_third
    assert "红石峡谷" not in of_first + of_second
