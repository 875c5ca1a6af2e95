"""A browser, for tests of what people see."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")  # while it is open, no other test can run a loop of its own
def browser(chromium):
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=60_000)  # ms; a busy machine takes its time
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


UGLY = """(width) => [
  ...[document.documentElement].filter((page) => page.scrollWidth > width),
  ...[...document.querySelectorAll("button, select")].filter((one) => one.scrollWidth > one.clientWidth + 1 || one.clientHeight > 60),
  ...[...document.querySelectorAll(".sheet :is(p, li, dd, bdi, a, small):not(.list small, .list small *, td small, svg *)")].filter((one) => one.getBoundingClientRect().right > one.closest(".sheet").getBoundingClientRect().right + 1),
  ...[...document.querySelectorAll(".language")].filter((one) => one.offsetTop > 40),
].map((one) => one.outerHTML.slice(0, 200))"""
"""What is wider than the screen or its card, buttons and fields that are cut or of two lines, a header with a row for the language alone."""


@pytest.fixture
def look():
    """What is ugly on a page of the browser, by width."""

    def at(page, width):
        page.set_viewport_size({"width": width, "height": 800})
        return page.evaluate(UGLY, width)

    return lambda page, *widths: {width: some for width in widths if (some := at(page, width))}


@pytest.fixture
def complaints():
    """What browsers complained of: none may."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture(scope="session")
def axe_script(tmp_path_factory) -> str:
    """The script of axe-core: of AXE_CORE, else fetched by npm; where there is neither, its test is skipped."""
    if given := os.environ.get("AXE_CORE"):
        return Path(given).read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "install", "--silent", "--no-save", "--ignore-scripts", "axe-core@4.14.1"]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"axe-core is not to be had: {error}")
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def axe(axe_script):
    """What axe-core finds serious or critical on a page of the browser."""

    def found(page):
        page.evaluate(axe_script)
        violations = page.evaluate("axe.run({iframes: false})")["violations"]
        grave = [one for one in violations if one["impact"] in ("serious", "critical")]
        return [(one["id"], node["html"][:200]) for one in grave for node in one["nodes"]]

    return found
