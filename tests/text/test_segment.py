"""Cutting text: P2, both segmenters alike, and jieba truly used."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.errors import ConfigError
from topicspider.text import segment
from topicspider.text.segment import SEGMENTERS, make_segmenter
from topicspider.text.stopwords import STOP_WORDS

TEXT = "我们坐火车去云台山旅游，门票一百二十元；The hotel near the lake（免费ＷｉＦｉ）很不错。"
WORDS = ["坐火车", "云台山", "旅游", "门票", "一百二十元", "hotel", "lake", "免费", "wifi", "不错"]

_CACHE = {name: make_segmenter(name) for name in SEGMENTERS}


@pytest.fixture(params=SEGMENTERS)
def segmenter(request):
    """A segmenter that no test changes."""
    return _CACHE[request.param]


def test_words_are_normalised_and_without_stop_words(segmenter):
    assert segmenter.words(TEXT) == WORDS


def test_both_segmenters_find_the_same_words():
    text = "景区位于河南省焦作市修武县，是国家5A级旅游景区。游客可乘坐观光车游览红石峡、潭瀑峡，全程约3.5公里，state-of-the-art 设施 www.example.com"
    assert _CACHE["jieba"].words(text) == _CACHE["rjieba"].words(text)
    assert "旅游景区" in _CACHE["rjieba"].words(text) or "旅游" in _CACHE["rjieba"].words(text)


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
    for segmenter in _CACHE.values():
        pieces = segmenter.cut(text)
        assert "".join(pieces) == text
        assert all(pieces)
        words = segmenter.words(text)
        assert all(any(map(str.isalnum, word)) for word in words)
        assert STOP_WORDS.isdisjoint(words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("café naïve", ["café", "naïve"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("state-of-the-art", ["state", "art"]),
        ("3.5 公里", ["3.5", "公里"]),
        ("臺灣旅遊", ["台湾", "旅游"]),
        ("我的 ， 。 ! -- a 1", []),
        ("x" * 100, []),
    ],
)
def test_words_of_every_script_stay_whole(segmenter, text, words):
    assert segmenter.words(text) == words


@pytest.mark.parametrize("name", SEGMENTERS)
@pytest.mark.parametrize(
    ("own", "text", "found"),
    [
        ("云台山红石峡", "云台山红石峡一日游", "云台山红石峡"),
        ("紅石峽谷", "云台山红石峡谷门票", "红石峡谷"),
        ("wi-fi", "免费Wi-Fi热点", "wi-fi"),
        (" 亲子游 ", "暑假亲子游攻略", "亲子游"),
    ],
)
def test_own_words_stay_whole(name, own, text, found):
    assert found not in _CACHE[name].words(text)
    assert found in make_segmenter(name, [own]).words(text)


@pytest.mark.parametrize("name", SEGMENTERS)
def test_own_words_of_one_segmenter_are_unknown_to_another(name):
    first = make_segmenter(name, ["云台山红石峡"])
    second = make_segmenter(name)
    first.add_words(["潭瀑峡谷"])
    assert {"云台山红石峡", "潭瀑峡谷"} <= set(first.words("云台山红石峡和潭瀑峡谷"))
    assert {"云台山红石峡", "潭瀑峡谷"}.isdisjoint(second.words("云台山红石峡和潭瀑峡谷"))


@pytest.mark.parametrize("name", SEGMENTERS)
def test_impossible_own_words_change_nothing(name):
    segmenter = make_segmenter(name, ["", " ", "two words", "换\n行", "\ud800", "长" * 100])
    assert segmenter.words(TEXT) == WORDS


def test_an_unknown_segmenter_is_a_clear_error():
    with pytest.raises(ConfigError, match="TOPICSPIDER_SEGMENTER: 'ltp' is not valid; allowed: rjieba, jieba"):
        make_segmenter("ltp")


@pytest.mark.parametrize(("name", "is_imported"), [("rjieba", False), ("jieba", True)])
def test_segmenters_are_quiet_write_nothing_and_import_jieba_only_when_asked(name, is_imported, tmp_path):
    script = (
        "import sys; from topicspider.text.segment import make_segmenter;"
        f"assert make_segmenter('{name}').words('云台山旅游') == ['云台山', '旅游'];"
        f"assert ('jieba' in sys.modules) is {is_imported}"
    )
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_forged_cache_in_the_temporary_folder_is_not_read(monkeypatch, tmp_path):

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "jieba.cache").write_bytes(b"forged")
    segment._dictionary.cache_clear()
    assert make_segmenter("jieba").words("云台山旅游") == ["云台山", "旅游"]
    assert (tmp_path / "jieba.cache").read_bytes() == b"forged"


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
