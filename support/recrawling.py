"""A site of seven pages that change, and what a crawl and a recrawl of it need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from support.crawling import NO_DELAYS, Ended, environment, scrapy
from support.site import SPORT, TRAVEL, Answer, page
from support.store_rows import page as stored_page
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, PageRow

HUB, SAME, DATED, PLAIN, CHANGED, GONE, OFF, NEW = (
    f"http://w{host}.example/{name}"
    for host, name in (
        (0, "hub"),
        (1, "same"),
        (2, "dated"),
        (1, "plain"),
        (2, "changed"),
        (1, "gone"),
        (2, "off"),
        (1, "new"),
    )
)
OTHER_TRAVEL = (
    "这份旅游攻略写给第一次去瀑布的游客：先坐缆车到山顶景区，再沿栈道走到观景台，旅行社的门票比窗口便宜，山下的民宿可以寄存行李，"
    "雨季的旅游路线要避开峡谷，导游建议带上雨衣和防滑的鞋，返程的班车每小时一趟。"
)
MODIFIED = "Fri, 20 Nov 2026 08:00:00 GMT"
OVERDUE = ("--older-than", "0m")


def tagged(answer: Answer, **headers: str) -> Answer:
    """``answer`` with further headers, whose names are given with _ for -."""
    return replace(
        answer, headers={**answer.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
    )


def travel(title: str, more: str = "") -> Answer:
    """A page that is a hit."""
    return page(f"旅游日记：{title}", f"{TRAVEL}{more}")


def travel_site() -> dict[str, Answer]:
    """The pages of the site before they change."""
    links = {url: f"旅游攻略 {url[-4:]}" for url in (SAME, DATED, PLAIN, CHANGED, GONE)}
    return {
        HUB: tagged(page("旅游攻略目录", TRAVEL, {**links, OFF: "旅游路上的球赛"}), ETag='"hub-1"'),
        SAME: tagged(travel("漓江"), ETag='W/"山-1"'.replace("山", "shan")),
        DATED: tagged(travel("古镇"), Last_Modified=MODIFIED),
        PLAIN: travel("雪山", "\n现在时间 2026年11月22日 08:49:27，浏览 120 次。"),
        CHANGED: tagged(travel("海边"), ETag='"changed-1"'),
        GONE: travel("客栈"),
        OFF: page("联赛战报", SPORT),
    }


def a_while_later(site: dict[str, Answer]) -> None:
    """Change the site: one page has new text, one only another time of day, one is gone, and the hub has a new link."""
    site[CHANGED] = tagged(travel("海边", "今年新开了一条沿海步道，从灯塔走到渔村要两个小时。"), ETag='"changed-2"')
    site[PLAIN] = travel("雪山", "\n现在时间 2026年11月23日 10:01:02，浏览 345 次。")
    site[HUB] = tagged(page("旅游攻略目录", TRAVEL, {SAME: "旅游攻略", NEW: "旅游攻略：新的路线"}), ETag='"hub-2"')
    site[NEW] = page("旅游攻略：新的路线", OTHER_TRAVEL)
    site[GONE] = replace(travel("客栈"), status=404)  # its text would be a hit


def recrawl(folder: Path, proxy: str, *arguments: str, **env: str) -> Ended:
    """Run ``scrapy recrawl tourism`` to its end."""
    return scrapy(["recrawl", "tourism", *NO_DELAYS, *arguments], folder, environment(proxy, **env))


def told(out: str) -> dict[str, str]:
    """The rows of the closing table, by their first column."""
    rows = (re.split(r"\s{2,}", line) for line in out.splitlines() if "  " in line)
    return dict(rows)


def crawled(folder: Path, site: Mapping[str, Answer], store_url: str = "") -> None:
    """Write the store that a crawl of ``site`` from its hub leaves, without the time that a crawl takes."""
    path = folder / "data" / "tourism" / "pages.db"
    path.parent.mkdir(parents=True)
    with closing(open_store(store_url, path)) as store:
        store.write(Batch(pages=[_row(url, answer) for url, answer in site.items()]))


def _row(url: str, answer: Answer) -> PageRow:
    fields = {
        "host": url.split("/")[2],
        "referrer": "" if url == HUB else HUB,
        "duplicate_of": "",
        "depth": int(url != HUB),
    }
    relevance = 0.1 if url == OFF else 0.7
    first = "2026-11-01T00:00:00+00:00"
    row = stored_page(url, url != OFF, title=url, relevance=relevance, fetched_at=first, **fields)
    return replace(row, etag=answer.headers.get("ETag", ""))
