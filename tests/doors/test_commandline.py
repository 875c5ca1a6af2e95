"""What every command shares: one line on stderr, an honest exit code, no traceback."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from support.crawling import environment
from topicspider.cli.command import GONE, PIPE_CLOSED, action_parser, check_arguments, print_anything
from topicspider.errors import ConfigError


def test_a_reader_who_has_had_enough_is_no_error(tmp_path):
    """`scrapy topics list | true`: the pipe is closed before anything is written."""
    command = [sys.executable, "-m", "scrapy", "topics", "list"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == PIPE_CLOSED


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("gbk", "桂林 \\U0001f35c"), ("ascii", "\\u6842\\u6797 \\U0001f35c"), ("utf-8", "桂林 🍜")],
)
def test_what_an_encoding_lacks_is_an_escape(encoding, shown):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)
    print_anything(stream)
    print("桂林 🍜", end="", file=stream, flush=True)
    assert written.getvalue().decode(encoding) == shown


def test_a_terminal_without_chinese_is_no_traceback(tmp_path):
    command = [sys.executable, "-m", "scrapy", "topics", "list"]
    env = environment(PYTHONIOENCODING="ascii", LC_ALL="zh_CN.UTF-8")
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False)
    assert b"\\u" in ended.stdout


@pytest.mark.parametrize("gone", sorted(GONE))
def test_an_option_of_an_earlier_version_is_answered_with_what_does_its_work_now(gone, capsys):
    command, option = gone.split()
    if command in ("frontier", "topics"):  # their actions have parsers of their own
        with pytest.raises(SystemExit):
            action_parser(command, "", [("do", None, "", {})]).parse_args(["do", option])
        assert f"{option}; it is gone, instead: {GONE[gone]}" in capsys.readouterr().err
    else:
        with pytest.raises(ConfigError, match=f"{command}: '{option}=1' is not valid") as error:
            check_arguments(command, ["word", f"{option}=1", "more"])
        assert f"it is gone, instead: {GONE[gone]}" in str(error.value)


def test_an_unknown_option_is_no_word_of_a_query(tmp_path):
    command = [sys.executable, "-m", "scrapy", "hits", "旅游", "--reindex"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "hits: '--reindex' is not valid" in ended.stderr


def test_behind_two_dashes_anything_is_a_word():
    check_arguments("hits", ["tea", "--", "--reindex"])
