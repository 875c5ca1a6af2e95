"""What every test may use: real servers, and a loud word when there are none."""

from __future__ import annotations

import os
import signal

import hypothesis
import pytest

from support.fixtures import chromium, mysql_database, mysql_server, mysql_url, redis_prefix, redis_server, redis_url
from support.servers import INSTALL, NO_SERVER
from topicspider.i18n import speak, use_commands, use_language

__all__ = ["chromium", "mysql_database", "mysql_server", "mysql_url", "redis_prefix", "redis_server", "redis_url"]

# Of what a shell starts in the background, and all that it starts in turn, Ctrl-C is ignored: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# two busy cores make any deadline fail now and then
hypothesis.settings.register_profile("topicspider", deadline=None)
hypothesis.settings.load_profile("topicspider")


@pytest.fixture(autouse=True)
def _english() -> None:
    """Whatever the locale, and whatever project the test before was in: a test that wants another says so."""
    use_language("en")
    speak("")
    use_commands(are_scrapys=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """One more than there are processors to use, for many tests wait: for a delay, for a server, for a crawl."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return usable + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests did not run for want of a server, and the one command that brings them all."""
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if NO_SERVER in str(report.longrepr)]
    if not skipped:
        return
    reasons = sorted({str(report.longrepr[2]) for report in skipped})
    terminalreporter.section("NOT TESTED", sep="!", red=True)
    terminalreporter.line(f"{len(skipped)} test(s) did not run, their server is missing:", red=True)
    for reason in reasons:
        terminalreporter.line(f"  {reason}", red=True)
    packages = sorted({reason.partition(INSTALL)[2] for reason in reasons} - {""})
    if packages:
        terminalreporter.line(f"all of them: apt-get install -y --no-install-recommends {' '.join(packages)}", red=True)
