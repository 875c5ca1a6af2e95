"""Times the reading of a page beside Scrapy's LinkExtractor and trafilatura, on pages made here: of unknown sites, and of one whose menus are known.

    python -m benchmarks.micro.bench_page [--pages 100] [--characters 1900]

Milliseconds of CPU depend on the machine; the ratios are what counts. Crawl mode is what every fetched page costs: decoding,
links, title, body, words, whether it is a page at all. Everything is what a hit costs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from topicspider.page.page import Page
from topicspider.text.segment import make_segmenter

CRAWL_MODE = ("links", "title", "body", "title_words", "body_words", "condition", "robots")
HITS_ONLY = (
    "summary", "keywords", "published", "modified", "author", "site_name", "language", "type", "data", "canonical", "refresh_url",
)  # fmt: skip
_VOCABULARY = (
    "旅游 风景 门票 酒店 古镇 公园 博物馆 美食 住宿 交通 路线 季节 春天 游客 景区 开放 时间 海岛 森林 温泉 节日 活动 推荐 体验 当地 特色 "
    "小吃 街道 建筑 历史 文化 城市 山水 湖泊 早晨 火车站 公共汽车 老人 孩子 摄影 日出 栈道 索道 瀑布 峡谷 寺庙 石窟 壁画 江南 水乡 "
    "我们 他们 可以 非常 已经 从 到 在 的 了 和 也 很 有 是 不 去 看 走 坐 吃 住 买 一个 两天 三百元 上午 下午 附近 出发 参观 欣赏 感受"
)
_WORDS = _VOCABULARY.split()
_WEIGHTS = [1 / (place + 5) for place in range(len(_WORDS))]
_URL = "http://www.example.com/travel/list_1.html"
WARM_UP = 20
"""Pages that are read before and not counted."""


def made_page(
    seed: int, links: int = 60, size: int = 40_000, characters: int = 1_900, *, site: int | None = None
) -> bytes:
    """A Chinese page with a menu, an article of so many characters and a list: ``links`` links and about ``size`` bytes.

    What is left is what pages are full of: nested boxes, pictures, scripts. Pages of one ``site`` share the two thirds of their links that are
    menus; None: nothing is shared.
    """
    rng = random.Random(seed)
    third = links // 3
    of_site = rng if site is None else random.Random(f"site {site}")
    items = [_item(rng if third <= i < 2 * third else of_site, i) for i in range(links)]
    head = (
        f"<!DOCTYPE html><html lang='zh'><head><meta charset='utf-8'><title>{_words(rng, 7)}_旅游频道_示例网</title>"
        f"<meta name='keywords' content='旅游,{_words(rng, 1)}'><script>{'var a=1;' * 300}</script><style>{'.a{color:red}' * 200}</style></head>"
        f"<body><div class='nav'><ul>{''.join(items[:third])}</ul></div><div class='main'><h1>{_words(rng, 7)}</h1><div class='article'>"
    )
    tail = (
        f"</div><ul class='list'>{''.join(items[third : 2 * third])}</ul></div>"
        f"<div class='sidebar'><ul>{''.join(items[2 * third :])}</ul></div><div class='footer'>版权所有</div></body></html>"
    )
    article = _article(rng, characters)
    left = size - len((head + article + tail).encode())
    return f"{head}{article}{_furniture(rng, left)}{tail}".encode()


def _item(rng: random.Random, number: int) -> str:
    address = f"/travel/{rng.randrange(10**6)}/{rng.randrange(10**6)}.html"
    return f'<li class="i{number}"><a href="{address}" title="{_words(rng, 4)}">{_words(rng, 6)}</a><span>2024-05-{number % 28 + 1:02}</span></li>'


def _article(rng: random.Random, characters: int) -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < characters + 36 * len(parts):  # less the tags
        parts.append(f"<p style='text-indent:2em'>{_sentences(rng)}</p>")
    return "".join(parts)


def _furniture(rng: random.Random, size: int) -> str:
    parts: list[str] = []
    left = size
    while left > 0:
        number = rng.randrange(10**6)
        parts.append(
            f"<div class='module m{number % 9}' id='mod_{number}'><div class='hd'><span class='icon'></span></div><div class='bd'>"
            f"<img src='/upload/{number}.jpg' width='120' height='90' alt=''></div><script>show({number},{{'a':{number % 7}}});</script></div>"
        )
        left -= len(parts[-1])
    return "".join(parts)


def _words(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(_WORDS, _WEIGHTS, k=count))


def _sentences(rng: random.Random) -> str:
    return "".join(f"{_words(rng, rng.randrange(3, 10))}，{_words(rng, rng.randrange(3, 10))}。" for _ in range(4))


def reader_of(names: tuple[str, ...]) -> Callable[[bytes], None]:
    """Reads a page and asks for these properties, words cut by rjieba."""
    segmenter = make_segmenter()

    def read(body: bytes) -> None:
        page = Page(_URL, body, "text/html", segmenter)
        for name in names:
            getattr(page, name)

    return read


def read_links_with_scrapy(body: bytes) -> None:
    """Scrapy's own way to the links."""
    LinkExtractor().extract_links(HtmlResponse(_URL, body=body, encoding="utf-8"))


def read_with_trafilatura(body: bytes) -> None:
    """trafilatura's fast mode: title, body, date; no links, no words."""
    from trafilatura import bare_extraction

    bare_extraction(body, url=_URL, fast=True, include_comments=False, with_metadata=True)


def milliseconds(read: Callable[[bytes], None], pages: list[bytes]) -> float:
    """CPU time a page, each read for the first time."""
    for body in pages[:WARM_UP]:
        read(body)
    started = time.process_time()
    for body in pages[WARM_UP:]:
        read(body)
    return (time.process_time() - started) / len(pages[WARM_UP:]) * 1000


def main() -> int:
    """Prints a line a way of reading."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--characters", type=int, default=1_900, help="of the article (default 1900)")
    options = parser.parse_args()
    numbers = range(options.pages + WARM_UP)
    first, known = (
        [made_page(seed, characters=options.characters, site=site) for seed in numbers] for site in (None, 1)
    )
    page = Page(_URL, first[0], "text/html")
    size = sum(map(len, first)) // len(first)
    print(f"pages of {size:,} bytes, {page.link_count} links, {len(page.body):,} characters of body")
    ways = (
        ("LinkExtractor", read_links_with_scrapy),
        ("our links", reader_of(("links",))),
        ("our crawl mode", reader_of(CRAWL_MODE)),
        ("our everything", reader_of(CRAWL_MODE + HITS_ONLY)),
        ("trafilatura", read_with_trafilatura),
    )
    print(f"{'CPU ms a page':16}{'all new':>9}{'of a known site':>17}")
    for name, read in ways:
        try:
            print(f"{name:16}{milliseconds(read, first):9.2f}{milliseconds(read, known):17.2f}")
        except ImportError:
            print(f"skipped: {name} is not installed (requirements-bench.txt)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
