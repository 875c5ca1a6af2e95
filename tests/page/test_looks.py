"""Looks are read from attributes, tags and simple style sheets, in bounded time."""

from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from topicspider.page.markup.walk import walk
from topicspider.page.titles.looks import Look, Looks


def look_of(markup: str) -> Look:
    reading = walk(LexborHTMLParser(markup).root)
    block = next(one for one in reading.blocks if reading.block_text(one) == "云台山")
    return Looks(reading).of(block)


@pytest.mark.parametrize(
    ("markup", "size"),
    [
        ("<p>云台山</p>", 16),
        ("<h1>云台山</h1>", 32),
        ("<div style='font-size:12px'><h1>云台山</h1></div>", 24),
        ("<font size=5>云台山</font>", 24),
        ("<font size=+1>云台山</font>", 18),
        ("<font size=x>云台山</font>", 16),
        ("<font size=999999999>云台山</font>", 48),
        ("<p style='font-size:x-large'>云台山</p>", 24),
        ("<p style='font-size:150%'>云台山</p>", 24),
        ("<p style='font-size:1.5em !important'>云台山</p>", 24),
        ("<p style='font:bold 12pt/1.5 宋体'>云台山</p>", 16),
        ("<p style='font-size:calc(1px + 1vw)'>云台山</p>", 1),
        ("<p style='font-size:9999em'>云台山</p>", 200),
        ("<p style='font-size:nonsense'>云台山</p>", 16),
        ("<style>p{font-size:20px}</style><p>云台山</p>", 20),
        ("<style>.a .b{font-size:20px}</style><div class=a><p class=b>云台山</p></div>", 20),
        ("<style>.a .b{font-size:20px}</style><p class=b>云台山</p>", 16),
        ("<style>#t{font-size:20px} .t{font-size:30px}</style><p id=t class=t>云台山</p>", 20),
        ("<style>/* p{font-size:9px} */ div>p.t,li{font-size:20px}</style><div><p class=t>云台山</p></div>", 20),
        ("<style>p:hover{font-size:20px}</style><p>云台山</p>", 16),
        ("<style>p{font-size:20px}</style><p style='font-size:18px'>云台山</p>", 18),
    ],
)
def test_sizes(markup, size):
    assert look_of(markup).size == pytest.approx(size)


@pytest.mark.parametrize(
    ("markup", "look"),
    [
        ("<center>云台山</center>", Look(is_centred=True)),
        ("<p align=center>云台山</p>", Look(is_centred=True)),
        ("<div style='text-align: center'><p style='text-align:left'>云台山</p></div>", Look()),
        ("<p><b>云台山</b></p>", Look(is_bold=True)),
        ("<p style='font-weight:700'>云台山</p>", Look(is_bold=True)),
        ("<p>春天的<b>花</b></p><p>云台山</p>", Look()),
        ("<p><font color=Red>云台山</font></p>", Look(color="red")),
        ("<table><th>云台山</th></table>", Look(is_bold=True, is_centred=True)),
        ("<center><table><td>云台山</td></table></center>", Look()),
    ],
)
def test_weight_place_and_colour(markup, look):
    assert look_of(markup) == look


def test_hostile_sheets_and_depth_cost_bounded_time():
    sheet = "<style>" + ".a .b .c .d .e div{font-size:2em}" * 600 + "/*" * 5000 + "</style>"
    markup = sheet + "<div class='a e' style='color:red;font-size:1em'>" * 200 + "<p>云台山</p>" * 200
    reading = walk(LexborHTMLParser(markup).root)
    looks = Looks(reading)
    started = time.process_time()
    assert all(looks.of(block).size <= 200 for block in reading.blocks)
    assert time.process_time() - started < 1
