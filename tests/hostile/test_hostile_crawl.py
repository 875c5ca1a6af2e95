"""Whatever a server answers: no traceback, no control character on the terminal, bounded time and memory, and the good pages are all there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from support.crawling import environment, order, scrapy, stored
from support.hostile_cases import CODECS, GOOD, SETTINGS, Case, hostile_web
from support.hostile_cases import FAMILIES as OF_THE_WEB
from support.loop_watch import LONGEST, SETTING
from support.site import Answer
from tests.page.test_documents_hostile import HOSTILE

SOME = 30  # cases of a family in the quick part
MOST_MB, MOST_MB_OF_HTML = 700, 1000  # the latter of 283 pages of some megabytes each
LONGEST_STALL = 3.0  # seconds for which the loop does nothing else; without those in which others had its core


def documents() -> Iterator[tuple[str, Answer]]:
    types = {
        "pdf": "application/pdf",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
    for number, (kind, body, _outcomes) in enumerate(HOSTILE.values()):
        yield f"document{number}", Answer(body, headers={"Content-Type": types[kind]})


FAMILIES = {**OF_THE_WEB, "documents": documents}


def _check(tmp_path, cases: list[Case], most_mb: int = MOST_MB) -> set[str]:
    """Crawl the cases; returns what is stored."""
    with hostile_web(cases) as web:
        arguments = order("-O", "hits.csv", *SETTING, seeds="http://good.example/p0.html", **SETTINGS)
        seconds = 60 + 6 * len(cases)
        # a child of this process would begin with its largest memory as its own: of timeout it does not
        small_parent = ("timeout", "-k", "9", str(seconds))
        ended = scrapy(arguments, tmp_path, environment(web.proxy), seconds + 20, small_parent)
    asked = {one.url.split("/")[2] for one in web.asked}
    assert [name for name, _ in cases if f"{name}.example" not in asked] == []
    assert ended.exit_code == 0, ended.err[-3000:]
    assert "Traceback" not in ended.err, ended.err[ended.err.index("Traceback") - 600 :][:3000]
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", ended.out + ended.err) == []
    assert int(re.findall(r"'memusage/max': (\d+)", ended.err)[-1]) < most_mb << 20
    assert float(re.findall(rf"'{LONGEST}': ([\d.]+)", ended.err)[-1]) < LONGEST_STALL
    kinds = Counter(re.findall(r"(?:WARNING|ERROR): (.{12})", ended.err))
    assert [kind for kind, times in kinds.items() if times > 5] == [], ended.err[-5000:]
    there = set(stored(tmp_path))
    assert {f"http://good.example/p{number}.html" for number in range(GOOD)} <= there
    return there


def test_there_are_more_than_five_hundred_cases():
    assert sum(sum(1 for _ in family()) for family in FAMILIES.values()) > 500


@pytest.mark.parametrize("family", FAMILIES)
def test_the_crawl_goes_on_beside_some_of_each_family(tmp_path, family):
    cases = list(FAMILIES[family]())
    _check(tmp_path, cases[:: max(1, len(cases) // SOME)][:SOME])


@pytest.mark.nightly
@pytest.mark.timeout(0)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_crawl_goes_on_beside_all_of_them(tmp_path, family):
    there = _check(tmp_path, list(FAMILIES[family]()), MOST_MB_OF_HTML if family == "html" else MOST_MB)
    if family == "answers":  # whatever charset a header names, the page is read
        assert [at for at in range(len(CODECS)) if f"http://header{at}.example/a.html" not in there] == []
