"""The sentence encoder: texts of one meaning lie together, in every language, from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from topicspider.errors import UnavailableError
from topicspider.text import encoder as home

needs_encoder = pytest.mark.skipif(not home.is_installed(), reason=f"needs the extra semantic: {home.INSTALL}")


@needs_encoder
@pytest.mark.parametrize(
    ("text", "like", "unlike"),
    [
        ("周末去山里住一晚民宿", "到海边度假的行程", "央行宣布下调利率"),
        ("周末去山里住一晚民宿", "a weekend trip to the mountains", "the parliament passed a law"),
        ("how to bake bread at home", "家常面包的做法", "新车上市价格公布"),
        ("我的 travel 日记", "旅行 diary", "股票 market"),
    ],
)
def test_texts_of_one_meaning_lie_together_whatever_their_language(text, like, unlike):
    rows = home.encoder().encode([text, like, unlike])
    assert float(rows[0] @ rows[1]) > float(rows[0] @ rows[2]) + 0.1


@needs_encoder
def test_rows_have_length_one_and_those_of_blank_texts_are_zero():
    rows = home.encoder().encode(["旅游", "", "travel", " \n", "\ud800 half a character", "长" * 50_000])
    assert rows.shape == (6, home.encoder().dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 0, 1, 1], atol=1e-5)
    assert home.encoder().encode([]).shape == (0, home.encoder().dimension)


@needs_encoder
def test_only_the_beginning_of_a_long_text_is_read():
    text = "山" * home.LONGEST
    first, second = home.encoder().encode([text, text + "股票" * 500])
    assert np.array_equal(first, second)


@needs_encoder
def test_a_text_s_row_does_not_depend_on_its_neighbours_or_the_thread():
    texts = [f"第{number}天的行程 day {number}" for number in range(70)]
    together = home.encoder().encode(texts)
    with ThreadPoolExecutor(4) as pool:
        alone = np.concatenate(list(pool.map(lambda text: home.encoder().encode([text]), texts)))
    assert np.allclose(together, alone, atol=1e-4)


def test_a_missing_extra_is_one_line_that_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(home, "is_installed", lambda: False)
    home.encoder.cache_clear()
    with pytest.raises(
        UnavailableError, match=r"the extra `semantic` is not installed\. pip install -r requirements-semantic\.txt"
    ):
        home.encoder()
