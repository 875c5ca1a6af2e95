"""Pages on which policies differ, as examples: what one found early and another late or never, and who fetched in vain."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.labels import Verdict
from topicspider.rehearsal.evaluation.results import Example

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.measures import JudgedRun
    from topicspider.rehearsal.simulator.runs import Fetched

OF_EACH_KIND = 4
"""Hits the best policy found before the others, hits others found before it, misses that one policy alone took early."""

MOST_OF_HOST = 2
_ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class _Difference:
    """One page: ``gain`` in pages, ``first`` is the policy that fetched it earliest."""

    gain: int
    url: str
    host: str
    first: str


def differences(runs: Mapping[str, JudgedRun], best: str, web: ArchivedWeb) -> list[Example]:
    """At most 3 * OF_EACH_KIND examples, by name of policy; ``best`` names the one that the others are held against.

    A page that a policy never fetched counts as fetched after all that it did fetch. The oracle is shown, but never the example.
    """
    found_at = {label: {page.url: at for at, page in enumerate(one.run.fetched)} for label, one in runs.items()}
    fair = [label for label, one in runs.items() if one.run.policy != _ORACLE]
    if best not in fair or len(fair) < 2:
        return []
    hits, misses = _pages_of(runs, fair, Verdict.HIT), _pages_of(runs, fair, Verdict.MISS)
    gains = {
        url: median_low([_at(found_at[label], url) for label in fair if label != best]) - _at(found_at[best], url)
        for url in hits
    }
    chosen: dict[str, tuple[str, _Difference]] = {}
    for verdict, pages, gain in (
        ("hit", hits, gains.__getitem__),
        ("hit", hits, lambda url: -gains[url]),
        ("miss", misses, lambda url: _lead(url, fair, found_at)),
    ):
        for one in _top(pages, gain, fair, found_at):
            chosen.setdefault(one.url, (verdict, one))
    return [_example(verdict, one, runs, found_at, web) for verdict, one in chosen.values()]


def _pages_of(runs: Mapping[str, JudgedRun], fair: Sequence[str], wanted: Verdict) -> dict[str, str]:
    """URL to host of every page that a fair policy was given as ``wanted``."""
    return {
        page.url: page.host
        for label in fair
        for page, verdict in zip(runs[label].run.fetched, runs[label].verdicts, strict=True)
        if verdict is wanted
    }


def _at(places: Mapping[str, int], url: str) -> int:
    return places.get(url, len(places))


def _lead(url: str, fair: Sequence[str], found_at: Mapping[str, Mapping[str, int]]) -> int:
    """How many pages before the next policy the first one fetched ``url``."""
    first, second, *_ = sorted(_at(found_at[label], url) for label in fair)
    return second - first


def _top(
    pages: Mapping[str, str],
    gain: Callable[[str], int],
    fair: Sequence[str],
    found_at: Mapping[str, Mapping[str, int]],
) -> Iterator[_Difference]:
    """The pages of the largest gain, a few of each host, so that they tell different stories."""
    hosts: Counter[str] = Counter()
    shown = 0
    for url in sorted(pages, key=lambda url: (-gain(url), url)):
        if gain(url) <= 0 or shown == OF_EACH_KIND:
            return
        if hosts[pages[url]] < MOST_OF_HOST:
            hosts[pages[url]] += 1
            shown += 1
            first = min((label for label in fair if url in found_at[label]), key=lambda label: found_at[label][url])
            yield _Difference(gain(url), url, pages[url], first)


def _example(
    verdict: str,
    one: _Difference,
    runs: Mapping[str, JudgedRun],
    found_at: Mapping[str, Mapping[str, int]],
    web: ArchivedWeb,
) -> Example:
    fetched: Fetched = runs[one.first].run.fetched[found_at[one.first][one.url]]
    features = web.answer(one.url).features
    return Example(
        url=one.url,
        title="" if features is None else features.title,
        verdict=verdict,
        first=one.first,
        found_at={label: places.get(one.url) for label, places in found_at.items()},
        value=fetched.value,
        referrer=fetched.referrer,
        anchor=fetched.anchor,
        parts=dict(fetched.parts),
    )
