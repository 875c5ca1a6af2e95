"""A browser, for tests of what people see."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")  # while it is open, no other test can run a loop of its own
def browser(chromium):
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=60_000)  # ms; a busy machine takes its time
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def complaints():
    """What browsers complained of: none may."""
    found: list[str] = []
    yield found
    assert found == []
