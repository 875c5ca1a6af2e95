"""Promise P1 over the inputs that fuzzing found to reach code of their own: nothing raises, every field is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.inputs import page_of
from tests.page.asking import check

CORPUS = sorted((Path(__file__).parents[1] / "data" / "fuzz-corpus").glob("*"))
MOST_BYTES = 300_000


@pytest.mark.parametrize("path", CORPUS, ids=[path.name for path in CORPUS])
def test_p1_an_input_of_the_fuzzer_is_read(path):
    check(page_of(path.read_bytes()))


def test_the_corpus_is_there_and_small():
    assert len(CORPUS) > 100
    assert sum(path.stat().st_size for path in CORPUS) < MOST_BYTES
