"""``scrapy topics score``, as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.crawling import environment, scrapy
from topicspider.cli.command import PIPE_CLOSED

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


def test_standard_input_is_read_and_the_scorer_chosen(tmp_path):
    command = [sys.executable, "-m", "scrapy", "topics", "score", "旅游", "-", "--scorer", "a4bc", "--alone"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment(), input="\n".join(LINES).encode(), capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    first = json.loads(ended.stdout.splitlines()[0])
    assert first["score"] == pytest.approx(first["parts"]["A"] / 5, abs=1e-6)
    assert len(ended.stdout.splitlines()) == 5


def test_a_reader_who_has_had_enough_is_no_error(tmp_path):
    file = tmp_path / "many.txt"
    file.write_text("旅游\n" * 30_000, encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "topics", "score", "tourism", str(file)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == PIPE_CLOSED


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tourism", "nosuch.txt"], ("nosuch.txt", "No such file")),
        (["tourism", "."], ("'.'", "a file of lines")),
        (["turism", __file__], ("turism", "Did you mean tourism?")),
        (["tourism", __file__, "--scorer", "best"], ("--scorer", "'best'", "bm25")),
    ],
)
def test_what_cannot_be_scored_is_one_line(tmp_path, arguments, words):
    ended = scrapy(["topics", "score", *arguments], tmp_path)
    assert (ended.exit_code, ended.out) == (2, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("topicspider: ")
    assert [word for word in words if word not in line] == []
