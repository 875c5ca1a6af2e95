"""A Chromium for the tests of the browser: from PATH, or installed by apt-get when we are root."""

from __future__ import annotations

import importlib.util

import pytest

from tests.servers import NoServerError, find_program, give_up
from topicspider.browser import KNOWN_NAMES


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium, where scrapy-playwright is installed too."""
    if importlib.util.find_spec("scrapy_playwright") is None:
        give_up("scrapy-playwright is not installed: pip install -r requirements-browser.txt")
    try:
        return find_program(KNOWN_NAMES, "chromium")
    except NoServerError as missing:
        give_up(str(missing))
