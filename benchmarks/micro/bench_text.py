"""What url.py and text/ cost, as ratios against what they replace, measured in the same run.

Usage: python benchmarks/micro/bench_text.py
"""

from __future__ import annotations

import timeit
from typing import TYPE_CHECKING

from w3lib.url import canonicalize_url

from topicspider.text.language import language_of
from topicspider.text.normalise import normalise
from topicspider.text.segment import make_segmenter
from topicspider.text.similarity import WordSimilarity
from topicspider.url import canonicalize, fingerprint, host_key

if TYPE_CHECKING:
    from collections.abc import Callable

SENTENCES = (
    "清晨我们坐第一班观光车进山，雾还没有散，栈道两边的松树挂着水珠。",
    "红石峡的门票包含在联票里，淡季六十元，学生凭证半价，停车场离入口有两公里。",
    "中午在山脚的小店吃了铁棍山药和烩面，老板说周末客人多，最好提前订房。",
    "下山以后去看瀑布，水量比去年小，拍照还是要等人少的时候。",
)
PAGE = "\n".join(SENTENCES * 14)
BASE = "http://www.example.com/lvyou/list_2.html"
LINKS = {
    "clean, absolute": [
        "http://www.example.com/lvyou/jingdian/2011/a_123.html",
        "http://bbs.example.com/thread.php?fid=12&page=3",
    ],
    "relative": ["a_123.html", "/jingdian/", "../news/1.html", "?page=2"],
    "to be mended": [
        "HTTP://Www.Example.com:80/a/../旅游.html#top",
        "http://www.example.com/a.jsp;jsessionid=0AF3?utm_source=x&id=1",
    ],
}


def seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """The best time of one call."""
    timer = timeit.Timer(work)
    number, _ = timer.autorange()
    return min(timer.repeat(repeat, number)) / number


def show(name: str, ours: float, other: float | None = None, other_name: str = "") -> None:
    """One line: our time and, where there is one, the other's, and how many times faster we are."""
    ratio = f"  {other_name} {other * 1e6:10.2f} us  ratio {other / ours:6.1f}" if other is not None else ""
    print(f"{name:34s}{ours * 1e6:10.2f} us{ratio}")


def urls() -> None:
    """canonicalize against w3lib's, which neither resolves links nor knows sessions and trackers."""
    for kind, links in LINKS.items():
        ours = seconds(lambda links=links: [canonicalize(link, BASE) for link in links]) / len(links)
        w3lib = seconds(lambda links=links: [canonicalize_url(link) for link in links]) / len(links)
        show(f"canonicalize, {kind}", ours, w3lib, "w3lib")
    show("fingerprint", seconds(lambda: fingerprint(BASE)))
    show("host_key", seconds(lambda: host_key(BASE)))


def texts() -> None:
    """The segmenter on one page of Chinese prose, and what comes before and after it."""
    segmenter = make_segmenter()
    print(f"a page of {len(PAGE)} characters:")
    show("cut", seconds(lambda: segmenter.cut(PAGE)))
    show("words", seconds(lambda: segmenter.words(PAGE)))
    show("normalise", seconds(lambda: normalise(PAGE)))
    show("language_of", seconds(lambda: language_of(PAGE)))


def words() -> None:
    """One word against 30 topic words, with a warm cache and without."""
    topic = tuple(
        [
            "旅游",
            "旅行",
            "景点",
            "门票",
            "酒店",
            "导游",
            "游客",
            "风景",
            "名胜",
            "古迹",
            "山水",
            "瀑布",
            "峡谷",
            "温泉",
            "海滩",
            "博物馆",
            "寺庙",
            "公园",
            "火车",
            "飞机",
        ]
        * 2
    )[:30]
    warm = WordSimilarity()
    show("best_match, 30 topic words, warm", seconds(lambda: warm.best_match("宾馆", topic)))
    show("best_match, 30 topic words, cold", seconds(lambda: warm._best_of("宾馆", topic)))


if __name__ == "__main__":
    urls()
    texts()
    words()
