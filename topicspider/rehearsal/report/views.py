"""What the page shows of each policy, pair and example, made ready so that the template only places it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.comparisons import ORACLE
from topicspider.rehearsal.report.palette import KEY_POLICIES, Style, styles_of
from topicspider.rehearsal.report.summary import by_area, is_clear, named
from topicspider.rehearsal.report.wording import TEXTS, Phrase, explanation_of, same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topicspider.rehearsal.evaluation.results import Comparison, Example, Mean, PolicyFigures, Results, Setting

FEW = 7
"""So many policies are all shown from the start."""

PAIR_WIDTH, _MARGIN = 220, 8


@dataclass(frozen=True, slots=True)
class PolicyView:
    """One policy: ``number`` is its place in the results, ``is_key`` whether charts show it from the start."""

    number: int
    label: str
    name: Phrase
    explanation: Phrase
    figures: PolicyFigures
    style: Style
    is_key: bool

    def has_ended(self, pages: int) -> bool:
        """Whether a run had ended before it had fetched ``pages``."""
        return any(one.pages == pages and not one.reached for run in self.figures.runs for one in run.checkpoints)

    @property
    def dashes(self) -> str:
        """The dash as SVG writes it, at the size of a swatch."""
        return " ".join(str(round(length * 0.7, 1)) for length in self.style.dash)


@dataclass(frozen=True, slots=True)
class PairView:
    """One comparison: ``key`` names its wording; ``zero``, ``low``, ``middle``, ``high`` are places on a line PAIR_WIDTH wide."""

    key: str
    winner: Phrase
    loser: Phrase
    wins: int
    ties: int
    count: int
    difference: Mean
    is_clear: bool
    dot: str
    zero: float
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class ExampleView:
    """One page on which policies differ: ``later`` with their page numbers, the earliest first; ``never`` fetched it."""

    url: str
    title: str
    verdict: str
    first: PolicyView
    first_at: int
    later: Sequence[tuple[PolicyView, int]]
    never: Sequence[PolicyView]
    value: float
    referrer: str
    anchor: str
    parts: Sequence[tuple[str, float]]


def policies_of(results: Results) -> list[PolicyView]:
    """Every policy, in the order of the results."""
    everyone = named(results)
    fair = [label for label, _name, one in everyone if one.policy != ORACLE]
    best = max(everyone, key=lambda one: (one[0] in fair, one[2].auc_perfect.value))[0] if everyone else ""
    few = len(everyone) <= FEW
    return [
        PolicyView(
            number, label, name, explanation_of(one.policy), one, style, few or label == best or label in KEY_POLICIES
        )
        for number, ((label, name, one), style) in enumerate(zip(everyone, styles_of(results.policies), strict=True))
    ]


def ranked(policies: Sequence[PolicyView]) -> list[PolicyView]:
    """By area, the largest first; the oracle before all, as the measure of the others."""
    order = {id(one): place for place, one in enumerate(by_area([view.figures for view in policies]))}
    return sorted(policies, key=lambda view: (view.figures.policy != ORACLE, order[id(view.figures)]))


def pairs_of(comparisons: Sequence[Comparison], policies: Sequence[PolicyView]) -> list[PairView]:
    """The comparisons, with their intervals on one common scale."""
    names = {view.label: view.name for view in policies}
    lows = [one.difference.value - one.difference.half_width for one in comparisons]
    highs = [one.difference.value + one.difference.half_width for one in comparisons]
    least, most = min([0.0, *lows]), max([1e-9, *highs])

    def place(value: float) -> float:
        return round(_MARGIN + (PAIR_WIDTH - 2 * _MARGIN) * (value - least) / (most - least), 1)

    return [_pair(one, names, place(0.0), place(low), place(one.difference.value), place(high))
            for one, low, high in zip(comparisons, lows, highs, strict=True)]  # fmt: skip


def _pair(
    one: Comparison, names: Mapping[str, Phrase], zero: float, low: float, middle: float, high: float
) -> PairView:
    clear = is_clear(one) or one.count == 1
    key = "pair_equal" if one.ties == one.count else "pair" if clear else "pair_unclear"
    return PairView(
        key, names.get(one.winner, same(one.winner)), names.get(one.loser, same(one.loser)), one.wins, one.ties, one.count,
        one.difference, clear and key == "pair", "dot" if clear else "dot open", zero, low, middle, high,
    )  # fmt: skip


def examples_of(examples: Sequence[Example], policies: Sequence[PolicyView]) -> list[ExampleView]:
    """The examples whose first policy is among ``policies``; numbers of pages count from 1."""
    views = {view.label: view for view in policies}
    return [_example(one, views) for one in examples if one.first in views]


def _example(one: Example, views: Mapping[str, PolicyView]) -> ExampleView:
    others = [(views[label], at) for label, at in one.found_at.items() if label in views and label != one.first]
    return ExampleView(
        url=one.url,
        title=one.title.strip(),
        verdict=one.verdict,
        first=views[one.first],
        first_at=(one.found_at.get(one.first) or 0) + 1,
        later=sorted(((view, at + 1) for view, at in others if at is not None), key=lambda other: other[1]),
        never=[view for view, at in others if at is None],
        value=one.value,
        referrer=one.referrer,
        anchor=one.anchor.strip(),
        parts=sorted(one.parts.items(), key=lambda part: (-abs(part[1]), part[0])),
    )


def topic_title(setting: Setting) -> Phrase:
    """The topic's title in each language, its name where there is none."""
    title = setting.topic_title
    return Phrase(*(title.get(one) or setting.topic for one in ("en", "zh")))


def judge_name(setting: Setting) -> Phrase:
    """Who judged, in words."""
    key = "judge_self" if not setting.is_evidence else "judge_truth" if setting.judged_by == "truth" else "judge_labels"
    return Phrase(*(one.format(name=setting.judged_by) for one in TEXTS[key]))


def sets_phrase(setting: Setting) -> Phrase:
    """How many seed sets there were."""
    key = "one_set" if setting.repeats == 1 else "sets"
    return Phrase(*(one.format(count=setting.repeats) for one in TEXTS[key]))


def interval_phrase(setting: Setting) -> Phrase:
    """What ± means, or that there is none."""
    key = "no_interval" if setting.repeats == 1 else "interval"
    return Phrase(*(one.format(count=setting.repeats) for one in TEXTS[key]))


def settings_of(setting: Setting) -> list[tuple[Phrase, str]]:
    """Everything that decides the outcome and is not in the head, as key and value."""
    fixed = [
        ("version", setting.version), ("seed", setting.seed), ("start_pages", ", ".join(setting.start_pages)),
        ("topic_digest", setting.topic_digest), ("web_digest", setting.web_digest), ("labels_digest", setting.labels_digest),
    ]  # fmt: skip
    options = [(same(key), _plainly(value)) for key, value in sorted(setting.options.items())]
    return [*((TEXTS[key], str(value)) for key, value in fixed if value != ""), *options]


def _plainly(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def seed_sets_of(results: Results) -> list[tuple[int, Sequence[str]]]:
    """The seeds of each repeat."""
    sets = {run.repeat: run.seeds for one in results.policies for run in one.runs}
    return sorted(sets.items())
