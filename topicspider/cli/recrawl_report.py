"""The words of a recrawl: what it begins with, and what it has brought."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.recrawl.revisit_queue import SAME_REASON
from topicspider.text.terminal import pad, width

if TYPE_CHECKING:
    from topicspider.cli.recrawl_round import Begun, Ended

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
