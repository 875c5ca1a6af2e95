"""A topic file is edited while its crawl runs: the run says so and keeps its topic, the next one takes the edit up and says so, too."""

from __future__ import annotations

import signal
import sqlite3
import time

from support.crawling import NO_DELAYS, environment, start, stop_after
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"
TOPIC = "name: 海岛\ntitle: 海岛旅游\nterms: {海岛: 1, 旅游: 1}\n"
PLAIN = ("-s", "TOPICSPIDER_LINK_POLICY=bfs", "-s", "TOPICSPIDER_PAGE_SCORER=vsm")  # quick to start


def test_an_edit_is_said_by_the_run_that_sees_it_and_by_the_next_which_takes_it_up(tmp_path):
    file = tmp_path / "海岛.yaml"
    file.write_text(TOPIC, encoding="utf-8")
    arguments = ["crawl", "topic", "-a", "topic=海岛.yaml", "-a", f"seeds={SEED}", *NO_DELAYS, *PLAIN]
    edited = []

    def is_edited():
        """The run looks every five seconds; it has pages for fifteen."""
        if len(web.pages()) >= 3 and not edited:
            file.write_text(TOPIC + "negative: [球赛]\n", encoding="utf-8")
            edited.append(time.monotonic())
        return edited and time.monotonic() > edited[0] + 7

    with small_web(travel_web(60, hosts=1), latency=0.3) as web:
        env = environment(web.proxy)
        first = stop_after(start(arguments, tmp_path, env), is_edited, signal.SIGINT, timeout=150)
        fetched = len(web.pages())
        second = stop_after(
            start(arguments, tmp_path, env), lambda: len(web.pages()) > fetched, signal.SIGINT, timeout=150
        )
    assert first.err.count("海岛.yaml was edited: this run keeps the topic as it was") == 1
    assert "since the last run" not in first.err
    assert "海岛 was edited since the last run" in second.err
    with sqlite3.connect(tmp_path / "data" / "海岛" / "pages.db") as database:
        assert len(set(database.execute("SELECT topic_digest FROM crawls"))) == 2
