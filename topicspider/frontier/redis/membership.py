"""That the servers of a crawl are all of those that it was begun with, and no others: else hosts would be looked for in the wrong place."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError, FrontierUnavailable, UnavailableError
from topicspider.frontier.redis.connection import key_prefix
from topicspider.frontier.redis.places import Place

_FIELD = "partition"  # of the totals, which outlive a clear; the program leaves it alone
_COUNTS = ("waiting", "done", "dead")
_TAKE_BACK = "if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end"
_MARK = re.compile(r"([0-9]{1,4})/([0-9]{1,4})/(.+)")


@dataclass(frozen=True, slots=True)
class Member:
    """What a server says of itself: part ``number`` of ``count`` of the set named ``name``; "" when it says nothing."""

    name: str
    number: int
    count: int
    is_begun: bool  # the crawl has been there
    has_links: bool


def ordered(places: Sequence[Place], crawl: str, setting: str) -> list[Place]:
    """The places by their numbers, as given when the crawl is new; raises ConfigError, FrontierUnavailable."""
    members = [_member(place, crawl) for place in places]
    if len(places) == 1 and not members[0].name:
        return list(places)
    if not any(member.is_begun or member.name for member in members):
        return list(places)
    named = [member for member in members if member.name]
    numbers = {member.number for member in named}
    is_one_set = len({member.name for member in named}) == 1 and len(numbers) == len(named)
    if is_one_set and all(member.count == len(places) for member in named):
        if len(named) == len(places):
            return [place for _, place in sorted(zip(members, places, strict=True), key=lambda pair: pair[0].number)]
        if not any(member.has_links for member in members) and _fits(members):
            return list(places)  # its first run ended before all were told
    raise _changed(places, members, setting)


def with_lost_parts(places: Sequence[Place], crawl: str, setting: str) -> list[Place]:
    """The places by their numbers although some have lost their part: they are given the numbers that are left. Whoever opens them
    must empty them all. Raises ConfigError for any other trouble."""
    members = [_member(place, crawl) for place in places]
    named = {member.number: place for member, place in zip(members, places, strict=True) if member.name}
    lost = [place for member, place in zip(members, places, strict=True) if not member.name]
    are_of_one_set = {(member.name, member.count) for member in members if member.name}
    if (
        len(are_of_one_set) != 1
        or len(named) + len(lost) != len(places)
        or any(member.has_links and not member.name for member in members)
        or any(member.name and not (member.count == len(places) > member.number) for member in members)
    ):
        raise _changed(places, members, setting)
    return [named[number] if number in named else lost.pop(0) for number in range(len(places))]


def claim(places: Sequence[Place], crawl: str, setting: str) -> None:
    """Tell each server its number, unless it has one; two nodes may do so at once. Raises ConfigError when another set is meant,
    and takes back what it told then."""
    if len(places) == 1 and not places[0].part:
        return
    name = next((member.name for place in places if (member := _member(place, crawl)).name), "")
    told: list[tuple[Place, str]] = []
    for number, place in enumerate(places):
        own = f"{number}/{len(places)}/{name or secrets.token_hex(8)}"
        if _run(place, crawl, "HSETNX", _FIELD, own):
            told.append((place, own))
        name = name or _member(place, crawl).name
    members = [_member(place, crawl) for place in places]
    if [(one.name, one.number, one.count) for one in members] != [(name, at, len(places)) for at in range(len(places))]:
        for place, own in told:
            _take_back(place, crawl, own)
        raise _changed(places, members, setting)


def _fits(members: Sequence[Member]) -> bool:
    return all(not member.name or member.number == at for at, member in enumerate(members))


def _member(place: Place, crawl: str) -> Member:
    epoch, text, *counts = _run(place, crawl, "HMGET", "epoch", _FIELD, *_COUNTS)
    has_links = any(value not in (None, b"0") for value in counts)
    if text is None:
        return Member("", 0, 0, epoch is not None, has_links)
    said = _MARK.match(text.decode("utf-8", "replace"))
    if said is None:
        why = f"the mark of the crawl {crawl} there, {_FIELD}, cannot be read"
        raise FrontierUnavailable(f"frontier {place.server.label}", why, "Use another database")
    number, count, name = said.groups()
    return Member(name, int(number), int(count), epoch is not None, has_links)


def _take_back(place: Place, crawl: str, mark: str) -> None:
    """Unless another has told it something else since."""
    _plainly(lambda: place.server.script(_TAKE_BACK, [_key(place, crawl)], [_FIELD, mark]))


def _run(place: Place, crawl: str, command: str, *arguments: str) -> Any:
    return _plainly(lambda: place.server.run(command, _key(place, crawl), *arguments))


def _key(place: Place, crawl: str) -> str:
    return f"{key_prefix(crawl, place.part)}totals"


def _plainly(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except UnavailableError as error:
        raise FrontierUnavailable(f"frontier {error.what}", error.why, error.hint) from None


def _changed(places: Sequence[Place], members: Sequence[Member], setting: str) -> ConfigError:
    told = "; ".join(f"{place.server.label}{_said(member)}" for place, member in zip(places, members, strict=True))
    return ConfigError(
        setting_name("frontier"),
        setting,
        "the servers, or the number of partitions, that the crawl was begun with",
        f"{told}. Name those, or begin anew in other databases; where one has lost its part, -a fresh=1 forgets the rest",
    )


def _said(member: Member) -> str:
    if member.name:
        return f" has part {member.number + 1} of {member.count} of set {member.name[:6]}"
    return " has this crawl whole" if member.is_begun else " has nothing of this crawl"
