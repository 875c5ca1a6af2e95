"""What every command shares: one line on stderr, an honest exit code, no traceback."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from support.crawling import environment
from topicspider.cli.command import PIPE_CLOSED, print_anything


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
