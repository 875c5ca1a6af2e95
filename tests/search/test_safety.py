"""No query is an error, and none changes anything."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.page.standard_cases import naughty_strings
from tests.search.conftest import Library, hit

OPERATORS = [
    '"', '""', '"""', "'", "*", "^", "a*", "^a", "a OR b", "a AND b", "a NOT b", "NOT a", "OR", "AND", "NOT", "NEAR(a b, 3)", "NEAR(",
    "(", ")", "(a", "a)", "title:a", "title : a", "{title body} : a", "- {title} : a", "a + b", "a:b:c", "-", "--", "- -", '-"', "+a", "~a", "a b^2",
    "words", "rowid:1", "rank MATCH 'bm25()'", "a\x00b", "\ufeff", "\ud800", "site:", "site:\x00", "min:", "min:nan", "min:-1", "min:1e9", "after:0000", "after:9999-99-99",
]  # fmt: skip
SQL = [
    "'; DROP TABLE pages; --", '"; DELETE FROM words; --', "' OR 1=1 --", "x' UNION SELECT * FROM facts --", "site:' OR '1'='1", "topic:x'; DROP TABLE pages;--",
    "Robert'); DROP TABLE pages;--", "%", "_", "site:%", "1; ATTACH DATABASE 'x' AS y", "INSERT INTO words (words) VALUES ('delete-all')",
]  # fmt: skip
HOSTILE = [*naughty_strings(), *OPERATORS, *SQL]


def state(library: Library) -> list[object]:
    tables = ("facts", "pages", "texts", "words_data", "words_idx", "words_docsize", "words_config")
    pages = list(library.store.all_hits())
    return [*(library.index.read(f"SELECT * FROM {table}") for table in tables), pages]


@pytest.fixture
def filled(library: Library) -> Library:
    library.put(hit("1", "桂林山水 null undefined", "a b or and not near"), hit("2", "旅游", "select from where"))
    return library


def test_no_query_is_an_error_or_changes_anything(filled: Library) -> None:
    before = state(filled)
    for text in HOSTILE:
        for asked in (text, f"桂林 {text}", f"-{text}", f'"{text}"', f"site:{text}"):
            answer = filled.answer(asked, facets=True)
            assert 0 <= len(answer.hits) <= answer.total <= 2
    assert state(filled) == before
    assert filled.find("桂林") == ["1"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(text=st.text() | st.text(alphabet="ab -:\"*(){}^+'~桂林旅 \x00\ud800ORAND"))
def test_any_text(filled: Library, text: str) -> None:
    filled.answer(text)
