"""A feed on a full disk is told of in one line, the crawl goes on, and the next run writes the feed anew."""

from __future__ import annotations

import pytest

from support.crawling import crawl, items, stored
from support.disk import make_room, small_disk
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_feed_on_a_full_disk_ends_with_one_line_and_is_mended_by_the_next_run(tmp_path, ending):
    with small_disk(tmp_path, "16k") as disk, small_web(travel_web()) as web:
        into = ("-O", f"{disk}/hits.{ending}")
        full = crawl(tmp_path, web.proxy, *into, seeds=SEED)
        asked = len(web.asked)
        make_room(disk)
        mended = crawl(tmp_path, web.proxy, *into, seeds=SEED)
        lines = (disk / f"hits.{ending}").read_text(encoding="utf-8").splitlines()
    assert full.exit_code == 3, full.err
    assert "Traceback" not in full.err
    assert full.err.splitlines()[-1].endswith("writes it anew from the store")
    assert mended.exit_code == 0, mended.err
    assert len(web.asked) == asked
    assert len(lines) == sum(stored(tmp_path).values()) + (ending == "csv")


def test_a_feed_of_a_finished_crawl_is_written_from_the_store(tmp_path):
    with small_web(travel_web()) as web:
        assert crawl(tmp_path, web.proxy, seeds=SEED).exit_code == 0
        asked = len(web.asked)
        again = crawl(tmp_path, web.proxy, "-O", "new.jsonl", seeds=SEED)
    assert again.exit_code == 0, again.err
    assert len(web.asked) == asked
    assert sorted(one["url"] for one in items(tmp_path / "new.jsonl")) == sorted(
        url for url, is_hit in stored(tmp_path).items() if is_hit
    )
