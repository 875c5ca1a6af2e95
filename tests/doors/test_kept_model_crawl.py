"""What a crawl has learned outlives kill -9: the same command goes on from the newest model that was kept."""

from __future__ import annotations

import base64
import json
import signal
import sqlite3
import zlib

import pytest

from support.crawling import begin, crawl, stop_after, stored
from support.site import TRAVEL, Answer, page, small_web, travel_web

SEED = "http://w0.example/p0.html"


def newest_model(folder):
    """Number and states (by part: links, pages) of the newest model; 0 before one is kept."""
    try:
        with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
            rows = list(database.execute("SELECT number, state FROM models ORDER BY number DESC LIMIT 1"))
    except sqlite3.OperationalError:  # not made yet, or being written
        rows = []
    if not rows:
        return 0, {}
    packed = json.loads(zlib.decompress(base64.b64decode(rows[0][1])))
    return rows[0][0], {part: json.loads(state) for _topic, _digest, part, _by, state in packed["states"]}


def fits_of(states):
    """How often the page judge was fitted."""
    return states["pages"]["fits"] if states else 0


@pytest.mark.slow
def test_after_kill_9_the_crawl_goes_on_with_what_it_has_learned(tmp_path):
    with small_web(travel_web(1000, hosts=12), latency=0.05) as web:
        process = begin(tmp_path, web.proxy, seeds=SEED)
        killed = stop_after(process, lambda: fits_of(newest_model(tmp_path)[1]) > 0, signal.SIGKILL)
        assert killed.exit_code == -signal.SIGKILL, killed.err
        number, before = newest_model(tmp_path)
        limit = len(stored(tmp_path)) + 5  # too few pages to fit anything from
        ended = crawl(tmp_path, web.proxy, "-a", f"max_pages={limit}", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    after_number, after = newest_model(tmp_path)
    assert after_number >= number
    assert after["pages"] == before["pages"]
    assert after["links"]["weights"] == before["links"]["weights"]
    assert "what was learned before is not used" not in ended.err


@pytest.mark.parametrize("moved", ["http", "refresh"])
def test_what_came_of_a_link_is_learned_although_its_url_redirects(tmp_path, moved):
    home, names = "http://w0.example/", [f"w{number}.example" for number in range(1, 13)]
    web = {home: page("旅游目录", TRAVEL, {f"http://{name}/go": f"第{name}篇" for name in names})}
    for name in names:
        target = f"http://{name}/new"
        refresh = f'<meta http-equiv="refresh" content="0;url={target}">'
        web[f"http://{name}/go"] = (
            Answer("", 301, {"Location": target}) if moved == "http" else page("", "", head=refresh)
        )
        web[target] = page("旅游日记", TRAVEL)
    with small_web(web) as running:
        ended = crawl(tmp_path, running.proxy, seeds=home)
    assert ended.exit_code == 0, ended.err
    assert sorted(running.pages()) == sorted(web)
    assert len(newest_model(tmp_path)[1]["links"]["examples"]) == len(names)
