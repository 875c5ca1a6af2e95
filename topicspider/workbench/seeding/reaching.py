"""Checks whether a crawl would get candidates: blocklist, guard, name, connection, robots.txt; each host is asked once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from topicspider.defaults import setting_name
from topicspider.download.reachability import Reach, reach_all
from topicspider.politeness.blocklist import DoNotCrawl
from topicspider.politeness.robots import ALLOW_ALL, Rules, read_rules
from topicspider.url.host import host_key, host_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.defaults import Options
    from topicspider.workbench.seeding.candidates import Candidate

LONGEST_SECONDS = 10.0
SERVER_ERROR = 500


def checked(candidates: Sequence[Candidate], options: Options, agent: str) -> list[Candidate]:
    """The candidates in their order, each with what would keep a crawl from it."""
    blocked = DoNotCrawl.read(setting_name("do_not_crawl"), options.do_not_crawl)
    free = [one for one in candidates if not blocked.covers(host_of(one.url))]
    first = {host_key(one.url): one.url for one in reversed(free)}
    seconds = min(options.connect_timeout, LONGEST_SECONDS)
    reached = reach_all(list(first.values()), seconds, allow_private=options.allow_private, agent=agent)
    hosts = dict(zip(first, reached, strict=True))
    rules = {key: _rules(one, agent) for key, one in hosts.items()}
    return [replace(one, trouble=_trouble(one.url, hosts, rules)) for one in candidates]


def _rules(reached: Reach, agent: str) -> Rules:
    if reached.robots_status >= SERVER_ERROR:
        return Rules(None, everything=False)
    return read_rules(reached.robots_body, agent) if reached.robots_body else ALLOW_ALL


def _trouble(url: str, hosts: dict[str, Reach], rules: dict[str, Rules]) -> str:
    key = host_key(url)
    if key not in hosts:
        return "do not crawl"
    if hosts[key].failed:
        return f"{hosts[key].failed}: {hosts[key].why}"
    return "" if rules[key].allow(url) else "robots.txt"
