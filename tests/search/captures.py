"""The terminal captures of docs/search.md, made by running what stands behind their ``$``.

    python -m tests.search.captures

writes them anew. A capture is a block of ``console``: a line ``$ scrapy hits …``, then what it prints in a terminal of 80 columns, over the
pages of own_pages.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.search.own_pages import own_pages
from topicspider.cli.hits import answer_text
from topicspider.i18n import use_language
from topicspider.search.index import SearchIndex
from topicspider.search.search import Search, SearchRequest
from topicspider.store.rows import Batch
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.text.segment import make_segmenter

PAGE = Path(__file__).resolve().parents[2] / "docs" / "search.md"
COLUMNS = 80
_BLOCK = re.compile(r"(?<=```console\n)(\$ (?:LC_ALL=(\S+) )?scrapy hits (.*)\n)(?:.*\n)*?(?=```)")


def renewed(text: str) -> str:
    """``text`` with the output behind each command as it is now."""
    store = Store(SqliteDatabase(":memory:"))
    store.write(Batch(pages=own_pages()))
    index = SearchIndex(None, make_segmenter("rjieba"))
    index.refresh(store)
    search = Search(index, store)
    try:
        return _BLOCK.sub(lambda found: found[1] + _output(search, found[3], found[2] or ""), text)
    finally:
        index.close()
        store.close()


def commands(text: str) -> list[str]:
    """What is typed in each capture."""
    return [found[3] for found in _BLOCK.finditer(text)]


def _output(search: Search, typed: str, locale: str) -> str:
    words, options = shlex.split(typed), {"--sort": "best", "--limit": "20"}
    for name in options:
        if name in words:
            at = words.index(name)
            options[name] = words[at + 1]
            del words[at : at + 2]
    facets = "--facets" in words
    query = " ".join(word for word in words if word != "--facets")
    asked = SearchRequest(query, options["--sort"], int(options["--limit"]), facets=facets)
    use_language("zh" if locale.startswith("zh") else "en")
    shown = answer_text(search.answer(asked), COLUMNS, is_bold=False)
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), encoding="utf-8")
