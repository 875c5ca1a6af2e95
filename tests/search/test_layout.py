"""An answer in a terminal: whole words, whole values, nothing that is wider than it."""

from __future__ import annotations

import pytest

from tests.search.conftest import Library, hit
from topicspider.cli.hits import answer_text
from topicspider.search.search import SearchRequest
from topicspider.text.terminal import width

LONG = "漓江两岸的风景都好看，坐竹筏最好。"


def shown(library: Library, text: str, columns: int, **asked: object) -> list[str]:
    answer = library.search.answer(SearchRequest(text, **asked))  # type: ignore[arg-type]
    lines = answer_text(answer, columns, is_bold=False).splitlines()
    assert [line for line in lines if width(line) > columns] == []
    return lines


def test_a_snippet_that_is_cut_says_so(library: Library) -> None:
    library.put(hit("1", "桂林", LONG * 9))
    lines = shown(library, "漓江", 40)
    assert lines[3:5] == ["    漓江两岸的风景都好看，坐竹筏最好。漓", "    江两岸的风景都好看，坐竹筏最好。漓…"]


def test_a_url_is_shown_in_its_own_script(library: Library) -> None:
    library.put(hit("%E6%99%AF%E7%82%B9", "桂林", "漓江。", host="xn--zfvz1q.example"))
    assert shown(library, "漓江", 60)[-1] == "    http://旅游.example/景点"


@pytest.mark.parametrize("columns", [30, 40, 60])
def test_facets_are_whole(library: Library, columns: int) -> None:
    library.put(*(hit(str(number), "桂林", f"漓江{number}", host=f"w{number}.example") for number in range(10)))
    (sites,) = (line for line in shown(library, "漓江", columns, facets=True) if line.startswith("site "))
    assert sites.endswith("  …")
    assert all(len(one.split()) == 2 for one in sites.removesuffix("  …").removeprefix("site ").strip().split("  "))
