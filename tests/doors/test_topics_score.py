"""``scrapy topics score``, as it is typed."""

from __future__ import annotations

import json

import pytest

from support.crawling import environment, scrapy

LINES = ["江南古镇旅游攻略", "", '{"title": "景区门票", "body": "游客自驾游"}', "{", "联赛战报"]


def test_a_file_gives_a_line_for_each_line_whatever_the_locale(tmp_path):
    file = tmp_path / "名单.txt"
    file.write_bytes("\n".join(LINES).encode() + b"\n" + b"\xff\xfe\n" + b"x" * (10 << 20))
    ended = scrapy(["topics", "score", "tourism", str(file)], tmp_path, environment(LC_ALL="C", PYTHONUTF8="0"))
    assert (ended.exit_code, ended.err) == (0, "")
    found = [json.loads(line) for line in ended.out.splitlines()]
    assert [bool(one.get("error")) for one in found] == [False, True, False, True, False, True, True]
    assert [one["on_topic"] for one in found] == [True, False, True, False, False, False, False]
    assert [one["score"] for one in found if one.get("error")] == [0.0] * 4
    assert not list(tmp_path.glob("data"))


def test_several_topics_give_each_their_score_on_one_line(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("江南古镇旅游攻略\n\n联赛战报：球队夺冠\n", encoding="utf-8")
    ended = scrapy(["topics", "score", "旅游,G8", str(file)], tmp_path)
    assert (ended.exit_code, ended.err) == (0, "")
    travel, empty, sport = map(json.loads, ended.out.splitlines())
    assert list(travel["topics"]) == list(sport["topics"]) == ["tourism", "G8"]
    hits = [[one["on_topic"] for one in line["topics"].values()] for line in (travel, empty, sport)]
    assert hits == [[True, False], [False, False], [False, True]]
    assert empty["error"] == "empty"
    assert set(travel["topics"]["G8"]) == {"score", "on_topic", "threshold", "parts"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tourism", "nosuch.txt"], ("nosuch.txt", "No such file")),
        (["tourism", "."], ("'.'", "a file of lines")),
        (["turism", __file__], ("turism", "Did you mean tourism?")),
        (["tourism,foood", __file__], ("'foood'", "Did you mean food?")),
    ],
)
def test_what_cannot_be_scored_is_one_line(tmp_path, arguments, words):
    ended = scrapy(["topics", "score", *arguments], tmp_path)
    assert (ended.exit_code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("topicspider: ")
    assert [word for word in words if word not in line] == []
