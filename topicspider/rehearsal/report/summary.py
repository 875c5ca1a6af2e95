"""The finding of a rehearsal in a few sentences: how the best policy did against the plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.comparisons import BASELINES, ORACLE, labels_of
from topicspider.rehearsal.report.wording import Phrase, in_sentence, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.rehearsal.evaluation.results import Comparison, PolicyFigures, Results

_PLAIN = (BASELINES[-1], "random", "dfs")
"""What the best is held against, the first that ran."""

_ABOUT_EQUAL, _DOUBLE = 0.05, 2.0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A key of wording.TEXTS with what goes into its braces: texts, or phrases that differ by language."""

    key: str
    values: dict[str, str | Phrase]


def by_area(policies: Sequence[PolicyFigures]) -> list[PolicyFigures]:
    """The largest area first; equal ones in their order."""
    return sorted(policies, key=lambda one: -one.auc_perfect.value)


def named(results: Results) -> list[tuple[str, Phrase, PolicyFigures]]:
    """Label, name and figures of every policy, in their order."""
    labels = labels_of(results.policies)
    several = len({one.server_policy for one in results.policies}) > 1
    names = [name_of(one.policy, one.server_policy if several else "") for one in results.policies]
    return list(zip(labels, names, results.policies, strict=True))


def summary(results: Results) -> list[Sentence]:
    """What was found: best against plain at the first checkpoint and the last, against the oracle, and how sure that is."""
    everyone = named(results)
    fair = [one for one in everyone if one[2].policy != ORACLE] or everyone
    if not fair or not any(mean.value for one in everyone for mean in one[2].hits.values()):
        return [Sentence("nothing", {})]
    best = max(fair, key=lambda one: one[2].auc_perfect.value)
    base = next((one for plain in _PLAIN for one in fair if one[2].policy == plain), None)
    if base is None or len(fair) == 1:
        return [*_alone("alone", best, results), *_of_oracle(best[2])]
    if base[0] == best[0]:
        return [*_alone("base_is_best", best, results), *_of_oracle(best[2])]
    found = [_against(best, base, min(results.setting.checkpoints))]
    if len(results.setting.checkpoints) > 1:
        found.append(_by_the_end(best[2], base[2], max(results.setting.checkpoints)))
    return [*found, *_certainty(best[0], base[0], results.comparisons), *_of_oracle(best[2])]


def _alone(key: str, best: tuple[str, Phrase, PolicyFigures], results: Results) -> Iterator[Sentence]:
    last = max(results.setting.checkpoints)
    name = "base" if key == "base_is_best" else "best"
    yield Sentence(key, {name: in_sentence(best[1]), "pages": f"{last:,}", "hits": whole(best[2].hits[last].value)})


def _against(best: tuple[str, Phrase, PolicyFigures], base: tuple[str, Phrase, PolicyFigures], pages: int) -> Sentence:
    hits, base_hits = best[2].hits[pages].value, base[2].hits[pages].value
    values: dict[str, str | Phrase] = {
        "best": in_sentence(best[1]), "base": in_sentence(base[1]), "pages": f"{pages:,}", "hits": whole(hits), "base_hits": whole(base_hits),
    }  # fmt: skip
    if not base_hits:
        return Sentence("none_other" if hits else "equal", values)
    ratio = hits / base_hits
    if ratio >= _DOUBLE:
        return Sentence("times", values | {"times": f"{ratio:.1f}"})
    if ratio > 1 + _ABOUT_EQUAL:
        return Sentence("more", values | {"share": f"{100 * (ratio - 1):.0f}"})
    return Sentence("equal" if ratio >= 1 - _ABOUT_EQUAL else "fewer", values)


def _by_the_end(best: PolicyFigures, base: PolicyFigures, pages: int) -> Sentence:
    hits, base_hits = whole(best.hits[pages].value), whole(base.hits[pages].value)
    return Sentence("by_the_end", {"pages": f"{pages:,}", "hits": hits, "base_hits": base_hits})


def _certainty(best: str, base: str, comparisons: Sequence[Comparison]) -> Iterator[Sentence]:
    for one in comparisons:
        if (one.winner, one.loser) != (best, base):
            continue
        if one.count == 1:
            yield Sentence("single_set", {})
        else:
            key = "won_sets" if is_clear(one) else "unclear"
            yield Sentence(key, {"wins": str(one.wins), "count": str(one.count)})


def _of_oracle(best: PolicyFigures) -> Iterator[Sentence]:
    if best.auc_oracle is not None and best.policy != ORACLE:
        yield Sentence("of_oracle", {"share": f"{100 * best.auc_oracle.value:.0f}"})


def is_clear(one: Comparison) -> bool:
    """Whether the difference is larger than its 95 % confidence interval; one seed set has none, and is never clear."""
    return one.count > 1 and one.difference.value > one.difference.half_width


def whole(value: float) -> str:
    """A mean count as people say it: whole, with thousands marked."""
    return f"{value:,.0f}"
