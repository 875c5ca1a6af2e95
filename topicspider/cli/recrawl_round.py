"""Begins a round of visits or goes on with the one that was interrupted, settles it when it has ended, and says so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from topicspider.cli.recrawl_components import RecrawlComponents
from topicspider.crawl_config import CrawlConfig
from topicspider.errors import ConfigError, NotCrawled, UnavailableError
from topicspider.frontier.protocol import Entry
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.meta import REVISIT
from topicspider.recrawl.planning import DAY, Choice, Chosen, Findings, back_off, choose, settle
from topicspider.recrawl.revisit_queue import MOVED_REASON, POOL, SAME_REASON, RoundPlan
from topicspider.store import location
from topicspider.store.location import open_store
from topicspider.store.rows import GONE, NAME_CHARACTERS, seconds_of
from topicspider.text.terminal import pad, width
from topicspider.topic.schema import is_name
from topicspider.url import fingerprint, host_key

if TYPE_CHECKING:
    from topicspider.options import Options
    from topicspider.store.rows import PageMeta


_FRONTIER = "frontier.db"
SHORTEST_DAYS, LONGEST_DAYS = 1 / 24, 30.0
"""Between two rounds (7 days before the first): the limits within which the next is expected after as long as the last."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What is to be done: ``choice`` of a new round, None of one that goes on; ``plan`` None when nothing is due.

    ``set_aside``: ``--older-than`` was given, and is of no use for a round whose pages are chosen already. ``given_up``: when a round
    that was interrupted had begun, of which nothing is left to do, for somebody else has recrawled since.
    """

    plan: RoundPlan | None
    choice: Choice | None
    set_aside: bool = False
    given_up: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a round has come to: ``outcomes`` counts the answers by name; of the pages that could not be had some have ``moved``."""

    plan: RoundPlan
    reason: str
    visits: int
    outcomes: Mapping[str, int]
    moved: int
    failed: int
    findings: Findings | None


def only_crawl(options: Options) -> str:
    """The topics of the only crawl here, as the setting has them; raises ConfigError when there is another, NotCrawled when there is none.

    Somebody else's spider has a folder of its own, ``TOPIC.SPIDER``, which no topic can have.
    """
    data = Path(options.data).expanduser()
    folders = {path.parent.name for name in (location.FILE, _FRONTIER) for path in data.glob(f"*/{name}")}
    crawls = [unquote(name).split("+") for name in sorted(folders)]
    there = [",".join(topics) for topics in crawls if all(map(is_name, topics))]
    if not there and not options.store:
        raise NotCrawled("", data)
    if len(there) != 1:
        hint = f"Crawled here ({data}): {'; '.join(there)}" if there else ""
        raise ConfigError("topic", None, "what to visit again: scrapy recrawl TOPIC", hint)
    return there[0]


def plan_of(settings: Mapping[str, Any]) -> CrawlConfig:
    """The crawl's plan for visiting its pages again; raises ConfigError, also when nothing was crawled yet."""
    plan = CrawlConfig.read(settings, needs_seeds=False)
    options = replace(plan.options, seeds="", fresh=False, keep_alive=False, stop_yield=0.0)
    place = location.parse(options.store, plan.folder / location.FILE)
    if isinstance(place, location.SqlitePlace) and (place.path is None or not place.path.exists()):
        raise _never_crawled(plan)
    return replace(plan, options=options, seeds=(), redis_key=None, log_pages=0)


def begin(assembly: RecrawlComponents, now: datetime, older_than: float | None) -> Begun:
    """Go on with a round that was interrupted, else choose the pages of a new one; raises ConfigError when there are none at all."""
    topics = topics_of(assembly)
    if not any(assembly.store.totals(topic).pages for topic in topics):
        raise _never_crawled(assembly.plan)
    before = assembly.round.plan
    is_open = before is not None and assembly.round.is_open
    if before is not None and is_open and assembly.is_first:
        plan = _gone_on(assembly, before)
        assembly.keep_claim()
        return Begun(plan, None, set_aside=older_than is not None)
    given_up = before.began_at if before is not None and is_open else ""
    if before is not None:  # it may have been killed, or the store was away
        settle(assembly.store, topics, before.began_at, before.fetches_a_day)
    choice = choose(assembly.store, topics, now.timestamp(), assembly.budget, older_than, assembly.round.blocked)
    if not choice.pages:
        return Begun(None, choice, given_up=given_up)
    plan = RoundPlan(now.isoformat(timespec="seconds"), assembly.budget, len(choice.pages), _days_since(before, now))
    assembly.keep_claim()
    assembly.round.begin(plan, [entry_of(one) for one in choice.pages])
    return Begun(plan, choice, given_up=given_up)


def _gone_on(assembly: RecrawlComponents, plan: RoundPlan) -> RoundPlan:
    """The plan of the round that goes on, with the budget that is asked for now."""
    wanted, visits = assembly.wanted, assembly.round.visits
    if wanted is None or wanted == plan.budget:
        return plan
    if wanted <= visits:
        hint = f"It is that of the round begun at {plan.began_at}, which goes on; without --budget it has {plan.budget}"
        raise ConfigError("--budget", wanted, f"more than the {visits} visits made already", hint)
    return assembly.round.go_on(wanted)


def places_of(assembly: RecrawlComponents) -> Iterator[str]:
    """URLs by which to see whether anything can be reached: those of the round, then those of all pages."""
    yield from (entry.url for entry in assembly.round.peek(POOL))
    for topic in topics_of(assembly):
        yield from (page.url for page in assembly.store.page_meta(topic))


def _days_since(before: RoundPlan | None, now: datetime) -> float:
    if before is None:
        return 7.0
    days = (now.timestamp() - seconds_of(before.began_at)) / DAY
    return min(max(days, SHORTEST_DAYS), LONGEST_DAYS)


def entry_of(chosen: Chosen) -> Entry:
    """The page as the frontier queues it, with what asks for a change."""
    page = chosen.page
    fields: dict[str, Any] = {"meta": {REVISIT: True}}
    if headers := conditions_of(page):
        fields["headers"] = headers
    payload = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return Entry(page.url, fingerprint(page.url), host_key(page.url), 0.0, page.depth, page.referrer, payload)


def conditions_of(page: PageMeta) -> dict[str, str]:
    """The headers by which a server sends ``page`` only if it has changed; none for one that is gone, or told nothing that fits."""
    told = {"if-none-match": page.etag, "if-modified-since": page.last_modified}
    if page.status in GONE:
        return {}
    return {
        name: value
        for name, value in told.items()
        if value and value.isascii() and value.isprintable() and len(value) < NAME_CHARACTERS
    }


def end(assembly: RecrawlComponents, plan: RoundPlan, reason: str, now: datetime) -> Ended:
    """Settle what came of a round, in whole or so far; without ``findings`` when the store is away."""
    topics = topics_of(assembly)
    outcomes, missed = dict(assembly.round.outcomes), assembly.round.missed
    visits = assembly.round.visits
    findings = None
    try:
        path = assembly.plan.folder / location.FILE
        with closing(open_store(assembly.options.store, path, 0.0)) as store:
            back_off(store, topics, missed, now.timestamp())
            findings = settle(store, topics, plan.began_at, plan.fetches_a_day)
    except UnavailableError:
        pass
    moved = sum(why == MOVED_REASON for why in missed.values())
    return Ended(plan, reason, visits, outcomes, moved, len(missed) - moved, findings)


def topics_of(assembly: RecrawlComponents) -> Sequence[str]:
    """The names of its topics."""
    return [topic.name for topic in assembly.plan.topics]


def now_utc() -> datetime:
    """Now, to the second, as the store has times."""
    return datetime.now(UTC).replace(microsecond=0)


def _never_crawled(plan: CrawlConfig) -> NotCrawled:
    return NotCrawled(plan.name, plan.folder)


REASONS = {
    "finished": N_("finished: all pages chosen were visited"),
    "max_pages": N_("finished: the budget is used"),
    "shutdown": N_("stopped: the same command goes on from here"),
    "not_alone": N_("stopped: others are at work on it"),
    "claim_lost": N_("stopped: others can be kept from it no more"),
}


def opening(name: str, begun: Begun) -> str:
    """What is going to happen."""
    if not begun.given_up:
        return _what(name, begun)
    given_up = _(
        "{topic}: the round begun at {began} is given up, for another machine has recrawled since",
        topic=name,
        began=begun.given_up,
    )
    return f"{given_up}\n{_what(name, begun)}"


def _what(name: str, begun: Begun) -> str:
    if begun.choice is None and begun.plan is not None:
        later = _("; --older-than is for the next one") if begun.set_aside else ""
        return _(
            "{topic}: goes on with the round begun at {began} (budget: {budget:,} visits){later}",
            topic=name,
            began=begun.plan.began_at,
            budget=begun.plan.budget,
            later=later,
        )
    assert begun.choice is not None
    if begun.plan is None:
        return _nothing_due(name, begun.choice.next_due)
    return _(
        "{topic}: {due:,} pages are due, the most valuable {chosen:,} are visited (budget: {budget:,} visits)",
        topic=name,
        due=begun.choice.due,
        chosen=len(begun.choice.pages),
        budget=begun.plan.budget,
    )


def _nothing_due(name: str, next_due: float) -> str:
    when = datetime.fromtimestamp(next_due, UTC).isoformat(timespec="minutes") if next_due else ""
    first = _(", the first will be at {when}", when=when) if when else ""
    return _("{topic}: no page is due{first}. Whatever their cycles: --older-than 1d", topic=name, first=first)


def closing_lines(name: str, ended: Ended) -> list[str]:
    """What a round has brought, a line each."""
    reason = _(REASONS[ended.reason]) if ended.reason in REASONS else ended.reason
    rows = _rows(ended)
    names = max(width(label) for label, __ in rows) + 2
    return ["", f"{name}: {reason}", *(pad(label, names) + value for label, value in rows)]


def _rows(ended: Ended) -> list[tuple[str, str]]:
    found = ended.findings
    rows = [
        (_("fetched / budget"), f"{ended.visits:,} / {ended.plan.budget:,}"),
        (_("not modified (304)"), f"{ended.outcomes.get(SAME_REASON, 0):,}"),
    ]
    if found is not None:
        rows += [
            (_("changed"), f"{found.changed:,}"),
            (_("unchanged (with 304)"), f"{found.unchanged:,}"),
            (_("gone"), f"{found.gone:,}"),
        ]
    rows += [(_("moved"), f"{ended.moved:,}"), (_("failed"), f"{ended.failed:,}")]
    if found is None:
        return [*rows, (_("results"), _("the store does not answer; the next run settles them"))]
    return [*rows, (_("new pages"), f"{found.new_pages:,}"), (_("new hits"), f"{found.new_hits:,}")]
