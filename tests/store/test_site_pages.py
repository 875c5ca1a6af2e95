"""What the pages of a topic say of their sites, on every store."""

from __future__ import annotations

import pytest

from support.store_rows import page
from topicspider.store.relational import RelationalStore
from topicspider.store.rows import Batch
from topicspider.store.site_pages import SitePage, site_pages


def test_every_page_of_the_topic_is_told_of_with_its_host(
    store: RelationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topicspider.store.site_pages._ROWS_AT_ONCE", 2)
    hosts = ("xn--zfvz1q.example", "b.example")
    rows = [page(f"http://{hosts[i % 2]}/页{i}", i != 3, host=hosts[i % 2], relevance=i / 10) for i in range(5)]
    rows[0] = page("http://xn--zfvz1q.example/页0", host=hosts[0], relevance=0.0, duplicate_of="", port=8080)
    store.write(Batch(pages=[*rows, page("http://c.example/", topic="美食")]))
    found = sorted(site_pages(store.database, "tourism"), key=lambda one: one.relevance)
    seconds, link = 0.1234567890123, "http://b.example/links?页=1"
    assert found[0] == SitePage("xn--zfvz1q.example", 8080, True, False, 0.0, seconds, link)
    assert [(one.host, one.on_topic, one.is_copy) for one in found[1:]] == [
        (hosts[i % 2], i != 3, True) for i in range(1, 5)
    ]
    assert [one.host for one in site_pages(store.database, "美食")] == ["a.example"]
    assert list(site_pages(store.database, "sport")) == []
