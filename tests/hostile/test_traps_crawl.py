"""A trap without end costs a crawl some pages, and no good host anything."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from support.crawling import crawl
from support.site import TRAVEL, Answer, page, small_web

MOST = 50  # pages of a trap
GOOD = 60
KINDS = {
    "calendar": lambda n, to: page(f"旅游活动日历 {2000 + n // 12} 年 {n % 12 + 1} 月", "", {to(n + 1): "下个月", to(n + 2): "旅游"}),
    "soft404": lambda n, to: page("页面不存在", "抱歉，您访问的页面不存在或已被删除。", {to(n + 1): "旅游攻略", to(n + 2): "旅游景点"}),
    "random": lambda n, to: page("旅游攻略", TRAVEL, {to(int(_digest(n, salt), 16)): f"旅游攻略{_digest(n, salt)}" for salt in range(20)}),
    "session": lambda n, to: page(f"旅游日记 {n}", TRAVEL + f"共 {n} 人看过。", {to(n + 1): "旅游日记", to(n * 7 + 3): "海边旅游"}),
}  # fmt: skip
PATHS = {"calendar": "/c/{}.html", "soft404": "/x/{}/", "random": "/{:x}", "session": "/show?id={}"}


def _digest(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def _answer(url: str) -> Answer | None:
    host, _, path = url.removeprefix("http://").partition("/")
    kind = host.removesuffix(".example")
    if path == "robots.txt" or kind not in ("good", *KINDS):
        return None
    if kind == "good":
        number = int(re.findall(r"\d+", path)[0])
        links = {
            f"http://good.example/p{number + step}.html": f"旅游攻略{number + step}"
            for step in (1, 2)
            if number + step < GOOD
        }
        if not number:
            links |= {f"http://{name}.example{PATHS[name].format(1)}": "旅游攻略" for name in KINDS}
        return page(f"旅游日记第{_digest(number)}篇", f"第{_digest(number)}天，{_digest(number, 1)}。{TRAVEL}", links)
    number = int(path, 16) if kind == "random" else int((re.findall(r"\d+", path) or ["0"])[0])
    return KINDS[kind](number, lambda other: f"http://{host}{PATHS[kind].format(other)}")


def test_no_trap_gets_more_than_fifty_pages_and_the_good_host_gives_all(tmp_path):
    with small_web(_answer) as web:
        ended = crawl(
            tmp_path,
            web.proxy,
            "-s",
            "TOPICSPIDER_LINK_THRESHOLD=0",
            seeds="http://good.example/p0.html",
            TOPICSPIDER_MAX_PAGES=600,
        )
    assert ended.exit_code == 0, ended.err
    asked = Counter(url.split("/")[2] for url in web.pages())
    assert asked["good.example"] == GOOD
    assert {name: asked[f"{name}.example"] for name in KINDS if asked[f"{name}.example"] > MOST} == {}


def test_a_listing_that_leads_to_other_pages_is_no_trap(tmp_path):
    """A hundred pages of a list have one title and no text, but other links each."""

    def answer(url: str) -> Answer | None:
        number = int((re.findall(r"\d+", url.partition(".example")[2]) or ["0"])[0])
        if "/list" not in url:  # robots.txt, too
            return page(f"旅游日记 {_digest(number)}", f"{_digest(number, 2)} {TRAVEL}") if "/a" in url else None
        links = {f"http://good.example/a{number}-{part}.html": f"游记{_digest(number, part)}" for part in range(2)}
        return page(
            "旅游", "", links | ({f"http://good.example/list{number + 1}.html": "下一页"} if number < 60 else {})
        )

    with small_web(answer) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "TOPICSPIDER_LINK_THRESHOLD=0", seeds="http://good.example/list0.html")
    assert ended.exit_code == 0, ended.err
    assert sum("/list" in url for url in web.pages()) == 61


def test_what_was_given_up_is_named_in_the_closing_table(tmp_path):
    broken = {f"http://b{number}.example/": Answer("", 503) for number in range(7)}
    web = {"http://good.example/": page("旅游日记", TRAVEL, dict.fromkeys(broken, "旅游攻略")), **broken}
    with small_web(web) as served:
        ended = crawl(tmp_path, served.proxy, "-s", "TOPICSPIDER_LINK_THRESHOLD=0", "-s", "TOPICSPIDER_ATTEMPTS=1", "-s", "TOPICSPIDER_DELAY_MAX=0", seeds="http://good.example/")  # fmt: skip
    assert re.search(r"given up +7: http://b\d.example/ \(server_error\), .*, …", ended.out + ended.err), ended.out
