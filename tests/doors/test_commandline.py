"""What every command shares: one line on stderr, an honest exit code, no traceback."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest
from scrapy.cmdline import _get_commands_from_module

from support.crawling import environment, scrapy
from support.terminal import run_on_terminal, widest
from topicspider.cli.command import PIPE_CLOSED, print_anything
from topicspider.errors import did_you_mean, with_hints

COMMANDS = _get_commands_from_module("topicspider.commands", inproject=True)


@pytest.mark.parametrize("typed", ["scrapy topics list", "topicspider --help"])
def test_a_reader_who_has_had_enough_is_no_error(tmp_path, typed):
    """`scrapy topics list | true`: the pipe is closed before anything is written."""
    command = [sys.executable, "-m", *typed.split()]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == PIPE_CLOSED


def test_a_closed_stdout_is_no_error(tmp_path):
    typed = f"{sys.executable} -m topicspider topics list >&-"
    done = subprocess.run(["sh", "-c", typed], cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
@pytest.mark.parametrize(
    ("encoding", "shown"), [("gbk", "桂林 \\U0001f35c"), ("ascii", "\\u6842\\u6797 \\U0001f35c"), ("utf-8", "桂林 🍜")]
)
def test_what_an_encoding_lacks_is_an_escape(encoding, shown, errors):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, errors=errors)
    print_anything(stream)
    print("桂林 🍜", end="", file=stream, flush=True)
    assert written.getvalue().decode(encoding) == shown


def test_a_terminal_without_chinese_is_no_traceback(tmp_path):
    ended = scrapy(["topics", "list"], tmp_path, environment(PYTHONIOENCODING="ascii", LC_ALL="zh_CN.UTF-8"))
    assert (ended.exit_code, "Traceback" in ended.err, "\\u" in ended.out) == (0, False, True)


def test_an_unknown_option_is_no_word_of_a_query(tmp_path):
    ended = scrapy(["hits", "旅游", "--reindex"], tmp_path)
    assert (ended.exit_code, ended.err.count("\n")) == (2, 1)
    assert "hits: '--reindex' is not valid" in ended.err


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("demo --page 5", "'--page' is not valid; allowed: the options of `scrapy demo --help`. Did you mean --pages?"),
        ("topics new x --forc", "unrecognized arguments: --forc. Did you mean --force?"),
        ("topics try x", "arguments are required: --edit. `scrapy topics try"),
        ("topics tune x --labels", "--labels: expected one argument. `scrapy topics tune"),
        ("crawl topic --topi x", "Did you mean -a topic=…?"),
        ("crawl topic -a topic=tourism -a fresh=maybe", "allowed: 1 or 0 (true or false)\n"),
        ("crawls stop nosuch", "nosuch: nothing was crawled for it in"),
        ("hits --topic turism", "turism`. Did you mean tourism?\n"),
        ("rehearse", "--topic is missing; needed: a topic's name. `scrapy topics list` shows them. --web is missing"),
    ],
)
def test_an_option_in_short_is_refused_with_its_whole_name(tmp_path, typed, hint):
    ended = scrapy(typed.split(), tmp_path)
    assert (ended.exit_code, ended.err.count("\n")) == (2, 1)
    assert hint in ended.err
    assert list(tmp_path.iterdir()) == []


def test_hints_are_of_the_very_letters_and_after_a_mark_of_their_own():
    assert did_you_mean("hist", ["list", "hits"]) == "Did you mean hits?"
    assert with_hints("Lost?", "Put it back", "Or not") == "Lost? Put it back. Or not"


def test_an_option_stays_with_its_value(tmp_path):
    shown = scrapy(["crawl", "--help"], tmp_path).out
    assert not re.search(r" -a$", shown.partition("Options")[0], re.MULTILINE)
    assert "-a per_class=N" in shown
    assert "topicspider: replay: the following" in scrapy(["replay"], tmp_path).err


def test_behind_two_dashes_anything_is_a_word():
    COMMANDS["hits"].check_arguments(["tea", "--", "--reindex"])


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("C.UTF-8", ("nothing was crawled in", "`scrapy crawl topic -a topic=tourism`")),
        ("zh_CN.UTF-8", ("中还没有抓取过", "`scrapy crawl topic -a topic=tourism`")),
    ],
)
def test_an_error_fits_the_terminal_in_its_language_with_commands_in_one_piece(tmp_path, locale, words):
    folder = tmp_path / ("a" * 60)
    folder.mkdir()
    screen = run_on_terminal(["hits", "桂林"], folder, environment(LC_ALL=locale))
    assert (screen.exit_code, widest(screen.lines) <= 80) == (2, True)
    assert all(any(part in line for line in screen.lines) for part in words), screen.raw


def test_what_is_wrong_with_a_command_of_actions_is_one_line_in_chinese(tmp_path):
    ended = scrapy(["topics", "shw"], tmp_path, environment(LC_ALL="zh_CN.UTF-8"))
    assert (ended.exit_code, ended.out) == (2, "")
    assert ended.err.startswith("topicspider: topics: ACTION：'shw' 无效（可选：'list'")


@pytest.mark.parametrize(
    ("locale", "typed", "code", "words"),
    [
        ("C.UTF-8", "hit", 2, "command: 'hit' is not valid; allowed: `./run --help`. Did you mean hits?"),
        ("zh_CN.UTF-8", "hit", 2, "命令：'hit' 无效；可以是：`./run --help`。是否想输入 hits？"),
        ("C.UTF-8", "", 0, "Available commands:\n  bench         Run quick benchmark test\n"),
        ("zh_CN.UTF-8", "settings --get", 2, "出错：--get：后面要有一个值"),
        ("zh_CN.UTF-8", "", 0, "可用命令：\n  bench         快速测速\n"),
        ("zh_CN.UTF-8", "crawl topic", 2, "缺少：主题；需要：主题名。"),
    ],
)
def test_what_is_typed_wrong_is_answered_in_the_readers_language(tmp_path, locale, typed, code, words):
    command = [sys.executable, "-m", "topicspider", *typed.split()]
    env = environment(LC_ALL=locale, TOPICSPIDER_COMMAND="./run", COLUMNS="80")
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == code
    assert words in ended.stdout + ended.stderr
    assert widest(["", *ended.stdout.splitlines()]) <= 80
    assert typed.startswith("settings") or ended.stderr.count("\n") == (1 if code else 0)
