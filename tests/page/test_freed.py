"""A page is large, and gone as soon as nobody needs it: nothing that it keeps refers back to it."""

from __future__ import annotations

import gc
import weakref

import pytest

from tests.page.asking import check
from tests.page.made import article
from topicspider.page.page import Page
from topicspider.page.site_titles import SiteTitles

ENGLISH = "<html lang=en><title>Hiking near Oslo</title><p>Posted on 05/01/2024. The trail begins at the lake and is easy to find.</p>"


@pytest.mark.parametrize("markup", [article(), ENGLISH, article(before="<p>2024年5月1日 来源：山水网</p>")])
def test_a_page_that_was_read_is_freed_without_the_garbage_collector(markup: str) -> None:
    page = Page("http://甲.example/a.html", markup.encode(), "text/html; charset=utf-8", site_titles=SiteTitles())
    gc.disable()
    try:
        check(page)
        left = weakref.ref(page)
        del page
        assert left() is None
    finally:
        gc.enable()
