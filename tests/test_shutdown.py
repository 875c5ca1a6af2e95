"""Signals of a crawl that is being stopped: a second SIGTERM is passed over, a second Ctrl-C is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.ossignal import install_shutdown_handlers

from topicspider.shutdown import ignore_repeated_sigterm, was_stopped


class Process(AsyncCrawlerProcess):
    """As Scrapy's, without a reactor; notes what it would do."""

    def __init__(self) -> None:
        self.noted = []

    def _signal_shutdown(self, number, _):
        self.noted.append("stop")
        install_shutdown_handlers(self._signal_kill)

    def _signal_kill(self, number, _):
        self.noted.append("force")
        install_shutdown_handlers(signal.SIG_IGN)


@pytest.fixture
def process():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    process = Process()
    install_shutdown_handlers(process._signal_shutdown)
    yield process
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("sent", "noted"),
    [
        (("TERM", "TERM", "TERM"), ["stop"]),
        (("INT", "TERM"), ["stop"]),
        (("INT", "INT"), ["stop", "force"]),
        (("TERM", "TERM", "INT"), ["stop", "force"]),
        (("HUP", "HUP"), ["stop"]),  # a terminal that is closed
        (("TERM", "HUP"), ["stop"]),  # of systemd, with SendSIGHUP=
    ],
    ids=" ".join,
)
def test_a_second_sigterm_is_passed_over_and_a_second_ctrl_c_is_not(process, sent, noted):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for _ in range(2):  # two crawls in one process
        ignore_repeated_sigterm()
    assert not was_stopped(process)
    for name in sent:
        os.kill(os.getpid(), signal.Signals[f"SIG{name}"])
    assert process.noted == noted
    assert was_stopped(process)


def test_a_signal_while_the_crawl_begins_is_known_and_a_sigterm_after_it_is_no_force(process):
    os.kill(os.getpid(), signal.SIGINT)
    ignore_repeated_sigterm()
    os.kill(os.getpid(), signal.SIGTERM)
    assert process.noted == ["stop"]
    assert was_stopped(process)


def test_what_is_started_meanwhile_can_be_ended_by_sigterm(process):
    ignore_repeated_sigterm()
    os.kill(os.getpid(), signal.SIGTERM)
    with subprocess.Popen(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"], stdout=-1
    ) as child:
        child.stdout.readline()
        child.terminate()
    assert child.returncode == -signal.SIGTERM


def test_signals_that_somebody_else_handles_are_left_alone(process):
    for handler in (signal.SIG_IGN, signal.SIG_DFL, print):
        signal.signal(signal.SIGTERM, handler)
        ignore_repeated_sigterm()
        assert signal.getsignal(signal.SIGTERM) is handler
