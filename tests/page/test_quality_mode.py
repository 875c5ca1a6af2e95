"""trafilatura is asked by setting and in doubt, sees bounded markup only, and its failures cost nothing but the asking."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace

import pytest

from tests.page.made import PARAGRAPHS, article
from topicspider.page.bodies.confidence import confidence
from topicspider.page.bodies.quality import Answer
from topicspider.page.bodies.rule import ASKED_BELOW, BodyRule
from topicspider.page.manner import Manner
from topicspider.page.page import Page

URL = "http://www.example.cn/a.html"


def page(html: str, rule: str = "density") -> Page:
    return Page(URL, html.encode(), "text/html", manner=Manner(body_rule=rule))


@pytest.fixture
def broken(monkeypatch):
    def fail(*args: object, **named: object) -> None:
        raise RecursionError

    monkeypatch.setitem(sys.modules, "trafilatura", SimpleNamespace(bare_extraction=fail))


def test_density_never_asks(broken):
    read = page(article())
    assert read.body == "\n".join(PARAGRAPHS)
    assert read.body_parts["rule"] == "density"
    assert "quality" not in read.body_parts


def test_quality_is_trafilatura_s_body():
    read = page(article(), "quality")
    assert read.body_parts["rule"] == "quality"
    assert all(paragraph in read.body for paragraph in PARAGRAPHS)


def test_what_it_raises_leaves_our_own_body_and_is_said(broken):
    read = page(article(), "quality")
    assert read.body == "\n".join(PARAGRAPHS)
    assert read.body_parts["rule"] == "density"
    assert read.body_parts["quality"] == "failed: RecursionError"


def test_auto_asks_in_doubt_only(broken):
    assert "quality" not in page(article(), "auto").body_parts
    doubtful = page("<html><body><div>标题</div><div>短句</div></body></html>", "auto")
    assert doubtful.body_confidence < ASKED_BELOW
    assert doubtful.body_parts["quality"] == "failed: RecursionError"


def test_auto_takes_the_answer():
    read = page("<html><body><div>短</div></body></html>").reading
    rule = BodyRule("auto", read, ["main"] * len(read.containers), "", False, lambda: Answer("云台山在河南。"))
    assert rule.text == "云台山在河南。"


def test_confidence_is_a_share_and_higher_for_an_article_than_for_scraps():
    sure, unsure = page(article()).body_confidence, page("<html><body><i>好</i></body></html>").body_confidence
    assert 0 <= unsure < ASKED_BELOW < sure <= 1
    assert confidence({}) == 0
    assert page("").body_confidence == 0


def test_the_signs_of_a_body_are_shares():
    signs = [value for value in page(article()).body_parts.values() if not isinstance(value, str)]
    assert len(signs) == 8
    assert all(0 <= sign <= 1 for sign in signs)


HOSTILE = {
    "deep": "<div>" * 7_900 + "深。" * 100,
    "deep inline": "<b>" * 7_900 + "深。" * 100,
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(40_000)) + f">{PARAGRAPHS[0]}</p>",
    "many": f"<p>{PARAGRAPHS[0]}</p>" * 30_000,
    "links": "<a href='/a'>链接，</a>" * 7_000,
    "rows": "<table>" + "<tr><td>一，</td><td>二。</td></tr>" * 2_000 + "</table>",
    "long": "<p>" + "字，" * 400_000 + "</p>",
    "lines": "<br>一二三，四五六。" * 7_900,
    "entities": "&amp;" * 200_000,
    "lists": "<ul><li>一，二。" * 3_900,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_is_bounded(name):
    started = time.process_time()
    read = page(f"<html><body>{HOSTILE[name]}</body></html>", "quality")
    assert isinstance(read.body, str)
    assert time.process_time() - started < 6, read.body_parts
