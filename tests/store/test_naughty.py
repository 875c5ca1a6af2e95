"""Strings that broke other programs are stored as any text is, in each kind of store, and change nothing else."""

from __future__ import annotations

from support.store_rows import crawl, link, page
from tests.page.standard_cases import naughty_strings
from topicspider.store.rows import Batch, clean
from topicspider.store.store import Store

SQL = ["'; DROP TABLE pages; --", '"; DELETE FROM pages; --', "' OR '1'='1", "%s %(x)s ? :a $1", "\\' OR 1=1 --", "/*!50000 DROP TABLE pages */"]  # fmt: skip


def test_naughty_strings_come_back_as_they_went_in(store: Store) -> None:
    texts = [*naughty_strings(), *SQL]
    urls = [f"http://a.example/{number}?{text}" for number, text in enumerate(texts)]
    rows = [
        page(url, title=text, body=text, author=text, keywords=[text], data={text: text})
        for url, text in zip(urls, texts, strict=True)
    ]
    store.write(Batch(pages=rows, links=[link(url, anchor=text) for url, text in zip(urls, texts, strict=True)]))
    for url, text in zip(urls, texts, strict=True):
        found = store.page("tourism", url)
        assert found is not None
        item = found.item
        assert (item.url, item.title, item.body, item.author) == (clean(url), *[clean(text)] * 3)
        assert (item.keywords, item.data) == ([clean(text)], {clean(text): clean(text)})
    anchors = {row.anchor for row in store.links_from("tourism", "http://a.example/", limit=1000)}
    assert anchors == {clean(text) for text in texts}
    assert store.totals().pages == len(texts)


def test_nothing_that_is_asked_for_changes_anything(store: Store) -> None:
    store.write(Batch(pages=[page()], links=[link()], crawls=[crawl()]))
    before = (list(store.all_hits()), store.totals(), store.crawls(), list(store.page_meta("tourism")))
    for text in [*naughty_strings(), *SQL]:
        assert store.page(text, text) is None
        assert store.links_from(text, text) == store.page_meta_of(text, [text]) == []
        assert store.known(text, [text]) == set()
        assert list(store.change_log(text)) == list(store.page_meta(text)) == []
    assert (list(store.all_hits()), store.totals(), store.crawls(), list(store.page_meta("tourism"))) == before
