"""Lines of JSON, whatever is said in them."""

from __future__ import annotations

import json
import logging

import pytest

from topicspider.json_log import JsonLines, as_line, is_wanted


def line(message, *arguments, **more):
    record = logging.LogRecord("topicspider.测试", logging.WARNING, "", 1, message, arguments, more.get("exc_info"))
    return JsonLines().format(record)


def test_a_line_says_when_how_bad_who_and_what_in_readable_chinese():
    text = line("找到 %d 页：%s", 3, "旅游")
    assert "找到 3 页：旅游" in text
    said = json.loads(text)
    assert said["level"] == "WARNING"
    assert said["logger"] == "topicspider.测试"
    assert said["crawl"] == ""
    assert "-" in said["node"]
    assert said["time"].endswith("+00:00")


def test_an_exception_is_inside_the_line():
    try:
        raise ValueError("坏了\n第二行")
    except ValueError as error:
        text = line("failed", exc_info=(ValueError, error, error.__traceback__))
    said = json.loads(text)
    assert said["message"] == "failed"
    assert said["exception"].startswith("Traceback")
    assert said["exception"].endswith("ValueError: 坏了\n第二行")
    assert "\n" not in text


@pytest.mark.parametrize("odd", ["a\nb", "a\r\nb", "\x1b[2J", "\x85", "\u2028", "\u2029", "\udcff", '"}', "😀", "\x00"])
def test_odd_characters_break_no_line_and_come_back_as_they_were(odd):
    text = as_line({"message": odd})
    assert len(text.splitlines()) == 1
    assert text.encode()
    assert json.loads(text) == {"message": odd}


@pytest.mark.parametrize(("value", "wanted"), [("json", True), (" json ", True), ("text", False), ("", False)])
def test_it_is_asked_for_by_a_setting(value, wanted):
    assert is_wanted({"TOPICSPIDER_LOG_FORMAT": value}) is wanted
    assert not is_wanted({})


@pytest.mark.parametrize(
    ("message", "arguments"), [("%d 页", ("旅游",)), ("%s", ("a", "b")), ("%(x)s", ("y",)), ("%", (1,))]
)
def test_a_call_with_the_wrong_arguments_is_a_line_all_the_same(message, arguments):
    said = json.loads(line(message, *arguments))["message"]
    assert message in said
    assert all(str(one) in said for one in arguments)
