"""What is drawn: bars of signed parts, words marked in a text, circles and lines of a map, steps of a curve."""

from __future__ import annotations

import math
from contextvars import copy_context
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topicspider.cli.explain import PageScoreParts
from topicspider.cli.labels import Judged
from topicspider.i18n import speak
from topicspider.serve.labels import curve, steps
from topicspider.serve.page import facts, harmless
from topicspider.serve.shown import brief_url, harvest_chart, reason
from topicspider.serve.topic_map import GAP, drawn_map, places, viewed
from topicspider.serve.why import MOST_PARTS, WIDTH, bar_of, legend_of, marked_words

PARTS = st.lists(st.tuples(st.text(max_size=5), st.floats(-1, 1)), max_size=30)


@example([("", 5e-324)], None)
@given(PARTS, st.one_of(st.none(), st.floats(0, 1)))
def test_a_bar_has_every_part_once_and_stays_in_its_frame(parts, threshold):
    bar = bar_of(parts, threshold)
    assert sum(one.value for one in bar.segments) == pytest.approx(sum(value for _name, value in parts), abs=1e-3)
    assert all(one.start >= -1e-6 and one.start + one.width <= WIDTH + 1e-6 for one in bar.segments)
    assert len(bar.segments) <= MOST_PARTS + 2
    assert bar.mark is None or 0 <= bar.mark <= WIDTH + 1e-6


def test_parts_above_nothing_stand_to_the_right_of_it_and_the_others_to_the_left():
    bar = bar_of([("旅游", 0.6), ("景区", 0.2), ("-股票", -0.2)], 0.5)
    assert [(one.name, one.start, one.width, one.colour) for one in bar.segments] == [
        ("旅游", 200.0, 600.0, 1),
        ("-股票", 0.0, 200.0, 2),
        ("景区", 800.0, 200.0, 3),
    ]
    assert (bar.zero, bar.total, bar.mark) == pytest.approx((200.0, 800.0, 700.0))


def test_what_rounds_to_nothing_is_not_listed():
    parts = [(f"body:{number}", 0.05) for number in range(12)] + [("body:无", -1e-5)]
    assert [one.value for one in bar_of(parts).segments] == pytest.approx([0.05] * MOST_PARTS + [0.2])
    for words in (parts, [*parts[-1:], ("body:茶", 0.6)]):
        told = PageScoreParts("http://a.example/", "", "茶叶", "learned", 0.6, True, 0.5, {}, words)
        assert "0000 " not in "".join(line[:9] for line in told.lines() if line.startswith(("+", "-")))


def test_words_are_marked_by_whether_they_speak_for_the_topic():
    pieces = marked_words(
        "古镇旅游，股票大跌", {"body:旅游": 0.2, "title:旅游": 0.1, "-股票": -0.3, "semantic body": 0.1}
    )
    assert pieces == [("古镇", 0), ("旅游", 1), ("，", 0), ("股票", -1), ("大跌", 0)]


@example([64.0] * 60)
@given(st.lists(st.floats(5, 64), max_size=25))
def test_no_circle_is_over_another(sizes):
    radii = sorted(sizes, reverse=True)
    found = list(zip(places(radii), radii, strict=True))
    for ((x, y), radius), ((a, b), other) in combinations(found, 2):
        assert math.hypot(x - a, y - b) >= radius + other + GAP - 1e-6


def test_a_line_counts_the_pages_that_were_found_through_another_site():
    ways = [
        ("a.example", 80, "", 1),
        ("b.example", 80, "http://a.example/", 1),
        ("b.example", 80, "http://a.example/", 1),
        ("b.example", 80, "http://b.example/1", 1),
        ("a.example", 80, "http://b.example/1", 0),
    ]
    found, shown = drawn_map(ways)
    assert [(one.host, one.hits, one.pages, one.leads, one.shade) for one in found] == [("b.example", 3, 3, 0, 4), ("a.example", 1, 2, 2, 2)]  # fmt: skip
    told = [(found[one.source].host, found[one.target].host, one.pages) for one in shown]
    assert told == [("a.example", "b.example", 2), ("b.example", "a.example", 1)]


def test_what_is_small_is_a_line_across_and_a_circle_of_usual_size():
    assert harvest_chart([(4, 2, 0.5)], []).overall == "0.0,150.0 1000.0,150.0"
    assert viewed(drawn_map([("a.example", 80, "", 1)])[0]) == "-200 -100 400 200"


def test_a_curve_is_a_line_of_steps():
    points = curve([Judged(0.25, False), Judged(0.75, True)])
    assert [(one["threshold"], one["precision"], one["recall"]) for one in points] == [
        (0.0, 0.5, 1.0),
        (0.5, 1.0, 1.0),
        (1.0, None, 0.0),
    ]
    assert steps(points, "precision") == "M0 50.00H50.00V0.00"
    assert steps(points, "recall") == "M0 0.00H50.00V0.00H100.00V100.00"
    assert steps([], "recall") == ""


def test_typed_data_are_lines_of_name_and_value():
    data = {"offers": {"price": 88.5, "标签": ["山", "水"]}, "none": None, "deep": [{"a": 1}], "empty": []}
    assert list(facts(data)) == [("offers.price", "88.5"), ("offers.标签", "山, 水"), ("deep", '[{"a": 1}]')]


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("<META http-equiv=refresh><link\nrel=x><base/>", "<param http-equiv=refresh><param\nrel=x><param/>"),
        ('<a href="x">旅</a><area href=y>', '<s-a href="x">旅</s-a><s-a href=y>'),
        ("<abbr>a < b</abbr><links><article>", "<abbr>a < b</abbr><links><article>"),
    ],
)
def test_what_loads_by_itself_is_made_something_else(markup, shown):
    assert harmless(markup) == shown


def test_reasons_and_parts_are_said_in_the_readers_words():
    parts = {
        "parts": {"prior": 0.1},
        "words": [{"part": "body:旅游", "value": 0.2}, {"part": "learned meaning", "value": 0.1}],
    }
    assert set(legend_of([parts])) == {"prior", "body:", "learned meaning"}
    assert [reason("not_found"), reason("not a reason of ours")] == ["not found", "not a reason of ours"]
    in_context = copy_context()  # so that no other test is in Chinese
    in_context.run(speak, "zh")
    assert in_context.run(reason, "not_found") == "未找到"


def test_urls_of_a_list_are_without_what_all_have():
    assert [brief_url(f"{scheme}://a.example/%E6%97%85") for scheme in ("http", "https")] == ["a.example/旅"] * 2
