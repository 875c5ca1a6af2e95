"""Times the reading of a page beside Scrapy's LinkExtractor, on pages made here.

    python benchmarks/micro/bench_page.py [--rounds 200]

Milliseconds depend on the machine; the ratio is what counts.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from topicspider.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

_CHARACTERS = "山水城市旅游历史文化古镇公园博物馆美食住宿交通路线季节春夏秋冬游客景区门票开放时间风光湖海岛屿森林温泉节日活动推荐体验当地特色小吃街道建筑"
_URL = "http://www.example.com/travel/list_1.html"


def made_page(seed: int, links: int = 60, size: int = 40_000) -> bytes:
    """A Chinese page with a menu, an article and a list, ``links`` links and about ``size`` bytes."""
    rng = random.Random(seed)
    items = [
        f'<li class="i{i}"><a href="/travel/{seed}/{rng.randrange(10**6)}.html" title="{_text(rng, 8)}">{_text(rng, 12)}</a><span>2024-05-{i % 28 + 1:02}</span></li>'
        for i in range(links)
    ]
    third = links // 3
    parts = [
        f"<!DOCTYPE html><html lang='zh'><head><meta charset='utf-8'><title>{_text(rng, 14)}_旅游频道_示例网</title>",
        f"<meta name='keywords' content='旅游,{_text(rng, 3)}'><script>{'var a=1;' * 300}</script><style>{'.a{color:red}' * 200}</style></head>",
        f"<body><div class='nav'><ul>{''.join(items[:third])}</ul></div><div class='main'><h1>{_text(rng, 14)}</h1><div class='article'>",
    ]
    while sum(map(len, parts)) * 2 < size:
        parts.append(f"<p style='text-indent:2em'>{_sentences(rng)}</p>")
    parts.append(f"</div><ul class='list'>{''.join(items[third : 2 * third])}</ul></div>")
    parts.append(
        f"<div class='sidebar'><ul>{''.join(items[2 * third :])}</ul></div><div class='footer'>版权所有</div></body></html>"
    )
    return "".join(parts).encode()


def _text(rng: random.Random, length: int) -> str:
    return "".join(rng.choices(_CHARACTERS, k=length))


def _sentences(rng: random.Random) -> str:
    return "".join(f"{_text(rng, rng.randrange(6, 20))}，{_text(rng, rng.randrange(6, 20))}。" for _ in range(4))


def read_all(body: bytes) -> None:
    """Everything but words and what needs them."""
    page = Page(_URL, body, "text/html")
    _ = (
        page.title,
        page.body,
        page.links,
        page.summary,
        page.published,
        page.author,
        page.type,
        page.language,
        page.data,
    )


def read_links(body: bytes) -> None:
    """The links only, as LinkExtractor does."""
    _ = Page(_URL, body, "text/html").links


def read_links_with_scrapy(body: bytes) -> None:
    """Scrapy's own way to the links."""
    LinkExtractor().extract_links(HtmlResponse(_URL, body=body, encoding="utf-8"))


def milliseconds(read: Callable[[bytes], None], pages: list[bytes], rounds: int) -> float:
    """CPU time a page: the best of five runs."""
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        for i in range(rounds):
            read(pages[i % len(pages)])
        best = min(best, (time.process_time() - started) / rounds)
    return best * 1000


def main() -> int:
    """Prints a line a way of reading."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    pages = [made_page(seed) for seed in range(20)]
    print(f"pages of {sum(map(len, pages)) // len(pages)} bytes, {Page(_URL, pages[0], 'text/html').link_count} links")
    base = milliseconds(read_links_with_scrapy, pages, options.rounds)
    for name, read in (("LinkExtractor", read_links_with_scrapy), ("our links", read_links), ("our reading", read_all)):
        spent = milliseconds(read, pages, options.rounds)
        print(f"{name:14} {spent:6.2f} ms CPU a page, {spent / base:5.2f} x LinkExtractor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
