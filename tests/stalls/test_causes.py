"""Each cause is found from what is known, and said in both languages."""

from __future__ import annotations

import time

import pytest

from topicspider.i18n import use_language
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.stalls.causes import Situation, cause_of
from topicspider.stalls.frontier_status import Ended

CLOCK = time.mktime((2026, 5, 6, 12, 0, 0, 0, 0, -1))
QUIET = {"clock": CLOCK, "quiet_seconds": 7.0}


def ends(*outcomes, hosts=4):
    return [Ended(f"w{place % hosts}.example:80", outcome) for place, outcome in enumerate(outcomes)]


RESTING = {"reason": "resting", "wait_seconds": 185.0, "queued": 812, "known_hosts": 9}
MANY = DelayedHosts({"": 7, "crawl_delay": 3, "backoff": 2}, "slow.example:8080", 240.0, 250.0, "crawl_delay")
ONE = DelayedHosts({"crawl_delay": 1}, "w1.example:80", 30.0, 60.0, "crawl_delay")
OUT = [("w3.example:443", 9.4), ("w4.example:80", 1.0)]

# what is known; the kind of cause; what the English and the Chinese sentence must say
CAUSES = {
    "all hosts rest": (
        RESTING | {"resting": MANY},
        "resting",
        ["all hosts with links rest until 12:03:05", "12 rest", "slow.example:8080 longest, until 12:04:00 (Crawl-delay)"],
        ["有链接的主机都在休息，到 12:03:05", "12 个在休息", "最久的是 slow.example:8080，到 12:04:00（Crawl-delay）"],
    ),
    "better links are waited for": (
        RESTING | {"reason": "patience", "resting": MANY},
        "patience",
        ["better links until 12:03:05", "-a pace=balanced waits less, -a pace=fast takes what there is (812 links)"],
        ["等更好的链接", "-a pace=fast"],
    ),
    "all hosts back off": (
        RESTING | {"resting": DelayedHosts({"backoff": 2}, "b.example:80", 9.0, 16.0, "backoff")},
        "resting",
        ["rest until 12:03:05", "b.example longest", "back-off after failures or refusals"],
        ["b.example", "退避"],
    ),
    "rests of an earlier run, of hosts not asked yet": (RESTING, "resting", ["all hosts with links rest until 12:03:05"], ["到 12:03:05 为止"]),
    "the only host": (
        RESTING | {"resting": ONE, "known_hosts": 1},
        "one_host",
        ["all 812 link(s) in the queue are on one host, w1.example", "about 60 pages an hour", "Crawl-delay"],
        ["812 个链接都在同一个主机 w1.example", "每小时约抓 60 页"],
    ),
    "one host rests, but others are known": (RESTING | {"resting": ONE}, "resting", ["1 rest, w1.example longest"], ["w1.example"]),
    "hosts were given a moment ago": (
        {"queued": 40, "granted_seconds": 2.0},
        "just_granted",
        ["it has just been given hosts"],
        ["刚领到主机"],
    ),
    "pages_per_host": (
        {"reason": "pages_per_host", "queued": 40},
        "host_limit",
        ["all 40 link(s)", "pages_per_host"],
        ["40 个链接", "pages_per_host"],
    ),
    "blocked hosts": ({"reason": "blocked", "queued": 40}, "blocked_hosts", ["blocked by hand"], ["手动屏蔽"]),
    "other nodes": ({"reason": "leased", "wait_seconds": 65.0}, "leased", ["by this node or others, until 12:01:05"], ["其他节点", "12:01:05"]),
    "Redis came back": (
        {"reason": "restarted", "wait_seconds": 60.0, "frontier": "Redis"},
        "frontier_restarted",
        ["(Redis) was restarted", "12:01:00"],
        ["（Redis）重启过", "12:01:00"],
    ),
    "nothing is left": ({"reason": "empty", "in_work": 2, "downloads": [("a.example:80", 1.0)]}, "last_pages", ["no link in the queue", "the last 2 page(s)"], ["等待最后 2 个网页"]),
    "nothing is worth a page": ({"reason": "low_score", "queued": 9}, "no_seeds", ["it waits for more seeds"], ["等待新的起始网址"]),
    "no seeds yet": ({"reason": "empty"}, "no_seeds", ["it waits for more seeds"], ["等待新的起始网址"]),
    "robots.txt": (
        {"failures": ends(*["robots"] * 8)},
        "robots",
        ["robots.txt forbids what is queued on 4 host(s): w0.example, w1.example, w2.example, …"],
        ["robots.txt 禁止抓取 4 个主机上的链接：w0.example, w1.example, w2.example, …"],
    ),
    "a slow frontier": (
        {"call_seconds": 4.2, "frontier": "Redis"},
        "slow_frontier",
        ["the frontier (Redis) is slow: a call has taken 4 s"],
        ["网址队列（Redis）响应慢", "4 秒"],
    ),
    "no frontier": (
        {"frontier_trouble": "connection refused", "frontier": "Redis"},
        "frontier_away",
        ["the frontier (Redis) is away: connection refused"],
        ["网址队列（Redis）无法使用：connection refused"],
    ),
    "no store": (
        {"store_trouble": "Lost connection", "rows_waiting": 1200, "is_store_full": True},
        "store_away",
        ["the store cannot be written, 1,200 rows wait: Lost connection"],
        ["网页存储无法写入，1,200 行在等待：Lost connection"],
    ),
    "a slow store": (
        {"rows_waiting": 1200, "is_store_full": True},
        "slow_store",
        ["the store is slow: 1,200 rows wait"],
        ["网页存储写得慢：1,200 行"],
    ),
    "DNS": (
        RESTING | {"resting": MANY, "failures": ends(*["dns"] * 9, "connect_timeout")},
        "dns",
        ["names cannot be resolved: 9 of the last 10 downloads failed in DNS"],
        ["域名无法解析：最近 10 次下载中有 9 次因 DNS 失败"],
    ),
    "no network": (
        {"failures": ends("refused", "connect_timeout", "refused", "dns", "refused")},
        "network",
        ["the network may be down: none of 4 hosts can be reached, the last 5 downloads failed (refused, connect_timeout, dns)"],
        ["网络可能不通：4 个主机都连不上"],
    ),
    "no proxy": (
        {"failures": ends(*["refused"] * 5), "proxy": "http://127.0.0.1:7890"},
        "network",
        ["the network or the proxy http://127.0.0.1:7890 may be down"],
        ["网络或代理 http://127.0.0.1:7890 可能不通"],
    ),
    "one host is gone": (
        {"failures": ends("connect_timeout", "connect_timeout", hosts=1)},
        "unreachable_host",
        ["w0.example cannot be reached: 2 of the last 2 downloads failed (connect_timeout)"],
        ["主机 w0.example 连不上"],
    ),
    "one answer to all": (
        {"failures": ends("robots", *["too_many_requests"] * 4, hosts=5)},
        "failing",
        ["4 of the last 5 downloads ended as too_many_requests (w1.example, w2.example, w3.example, …)"],
        ["最近 5 次下载中有 4 次的结果是 too_many_requests"],
    ),
    "the page limit": (
        {"reason": "max_pages", "in_work": 2, "downloads": OUT},
        "ending",
        ["the crawl is ending and waits for 2 page(s), longest for w3.example: 9 s"],
        ["抓取正在结束"],
    ),
    "stopped": ({"is_closing": True, "in_work": 2, "downloads": OUT}, "ending", ["the crawl is ending"], ["抓取正在结束"]),
    "hanging downloads": (
        {"in_work": 2, "downloads": OUT},
        "hanging",
        ["1 download(s) have taken more than 5 s, longest for w3.example: 9 s"],
        ["1 个下载已超过 5 秒没有完成，最久的是 w3.example，已 9 秒"],
    ),
    "pages that nobody gets done with": (
        {"in_work": 3},
        "in_work",
        ["3 page(s) were fetched and have not been dealt with for 7 s"],
        ["3 个已下载的网页 7 秒还没处理完"],
    ),
    "nothing that is known": ({"queued": 5}, "unknown", ["no page for 7 s, and the cause is not known"], ["原因不明"]),
}  # fmt: skip


@pytest.mark.parametrize("given", CAUSES, ids=str)
def test_a_cause_is_found_and_said(given):
    known, kind, english, chinese = CAUSES[given]
    for language, parts in (("en", english), ("zh", chinese)):
        use_language(language)
        cause = cause_of(Situation(**QUIET | known))
        assert cause is not None
        assert cause.kind == kind
        assert [part for part in parts if part not in cause.said] == [], cause.said
        assert "{" not in cause.said


@pytest.mark.parametrize(
    ("outcome", "kind"), [("not_found", "resting"), ("redirect", "resting"), ("server_error", "failing")]
)
def test_ends_that_give_no_host_reason_to_rest_are_not_why_all_rest(outcome, kind):
    cause = cause_of(Situation(**QUIET | RESTING | {"resting": MANY, "failures": ends(*[outcome] * 9)}))
    assert cause is not None
    assert cause.kind == kind


@pytest.mark.parametrize(("seconds", "about"), [(59.0, ""), (600.0, "a.example:80")])
def test_a_host_that_rests_for_minutes_is_said_anew_in_the_same_stall(seconds, about):
    cause = cause_of(Situation(**QUIET | RESTING | {"resting": DelayedHosts({"": 1}, "a.example:80", seconds)}))
    assert cause is not None
    assert cause.about == about


def test_what_a_host_says_of_itself_cannot_reach_the_terminal():
    cause = cause_of(Situation(frontier="Redis", frontier_trouble="down\x1b[31m\nfor good"))
    assert cause is not None
    assert cause.said == "the frontier (Redis) is away: down [31m for good"
