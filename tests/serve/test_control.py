"""What a running crawl and its watcher tell each other by files, without either."""

from __future__ import annotations

import os

import pytest

from tests.frontier.drive import entry
from topicspider.frontier.protocol import Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.steering.control import (
    MOST_POINTS,
    ORDERS_FILE,
    STATUS_FILE,
    HarvestCurve,
    Orders,
    read_orders,
    read_status,
    write_orders,
    write_status,
)


def test_orders_are_for_one_run(tmp_path):
    orders = Orders("a", is_paused=True, max_pages=9, pace="fast")
    write_orders(tmp_path, orders)
    assert read_orders(tmp_path, "a") == orders
    assert read_orders(tmp_path, "b") == Orders("b")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_says_nothing(tmp_path, content):
    for name in (ORDERS_FILE, STATUS_FILE):
        (tmp_path / name).write_bytes(content)
    assert read_orders(tmp_path, "a") == Orders("a")
    assert read_status(tmp_path) == {}
    (tmp_path / ORDERS_FILE).unlink()
    os.mkfifo(tmp_path / ORDERS_FILE)  # nobody writes to it
    assert read_orders(tmp_path, "a") == Orders("a")


@pytest.mark.parametrize(
    "content", ['{"pages": "x"}', '{"hits": 1e999}', '{"curve": "x", "pages": 1}', '{"state": {}}']
)
def test_a_status_of_other_types_says_nothing(tmp_path, content):
    (tmp_path / STATUS_FILE).write_text(content)
    assert read_status(tmp_path) == {}


def test_a_status_of_any_text_is_written_whole(tmp_path):
    write_status(tmp_path / "new", {"title": "旅游 \udcff", "pages": 1})
    assert read_status(tmp_path / "new") == {"title": "旅游 ?", "pages": 1}
    assert [path.name for path in (tmp_path / "new").iterdir()] == [STATUS_FILE]


def test_a_curve_of_any_length_keeps_its_ends_and_a_bounded_number_of_points():
    curve = HarvestCurve()
    for pages in range(1, 10_000):
        curve.add(pages, pages // 2, 0.5)
        curve.add(pages, pages // 2, 0.5)  # no page came since
    assert MOST_POINTS / 2 <= len(curve.points) <= MOST_POINTS
    assert (curve.points[0][0], curve.last[0]) == (1, 9_999)
    assert [point[0] for point in curve.points] == sorted({point[0] for point in curve.points})


def test_the_limit_of_pages_changes_while_a_crawl_goes_on():
    frontier = SqliteFrontier(max_pages=1)
    frontier.apply(Work(entries=[entry(number, host=f"h{number}.example:80") for number in range(5)]))
    assert len(frontier.acquire("n", 5, 1, 60.0).leases) == 1
    frontier.change_limits(3, 0)
    assert len(frontier.acquire("n", 5, 1, 60.0).leases) == 2
    assert frontier.acquire("n", 5, 1, 60.0).reason == "max_pages"
