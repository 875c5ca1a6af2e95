"""Pages on which policies differ, as examples: what one found early and another late or never, and who fetched in vain."""

from __future__ import annotations

from collections import Counter
from statistics import median_low
from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.labels import Verdict
from topicspider.rehearsal.evaluation.results import Example

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.measures import JudgedRun

_OF_EACH_KIND, _MOST_OF_HOST = 4, 2


def differing_pages(runs: Mapping[str, JudgedRun], best: str, web: ArchivedWeb) -> list[Example]:
    """Hits that ``best`` found before the others, hits that others found before it, misses that one policy alone took early.

    ``runs`` by name of policy. A page that a policy never fetched counts as fetched after all that it did fetch. The oracle
    is shown, but never the example.
    """
    found_at = {label: {page.url: at for at, page in enumerate(one.run.fetched)} for label, one in runs.items()}
    fair = [label for label, one in runs.items() if one.run.policy != "oracle"]
    if best not in fair or len(fair) < 2:
        return []

    def position(label: str, url: str) -> int:
        return found_at[label].get(url, len(found_at[label]))

    hits, misses = (
        {page.url: page.host for label in fair for page in runs[label].pages_that_are(verdict)}
        for verdict in (Verdict.HIT, Verdict.MISS)
    )
    others = [label for label in fair if label != best]
    gains = {url: median_low(position(label, url) for label in others) - position(best, url) for url in hits}
    leads = {}
    for url in misses:
        first, second, *_ = sorted(position(label, url) for label in fair)
        leads[url] = second - first
    chosen: dict[str, Verdict] = {}
    for verdict, pages, gain in (
        (Verdict.HIT, hits, gains),
        (Verdict.HIT, hits, {url: -gain for url, gain in gains.items()}),
        (Verdict.MISS, misses, leads),
    ):
        for url in _top(pages, gain):
            chosen.setdefault(url, verdict)
    return [_example(url, verdict, fair, runs, found_at, web) for url, verdict in chosen.items()]


def _top(pages: Mapping[str, str], gain: Mapping[str, int]) -> Iterator[str]:
    """The pages of the largest gain, a few of each host, so that they tell different stories."""
    hosts: Counter[str] = Counter()
    for url in sorted(pages, key=lambda url: (-gain[url], url)):
        if gain[url] <= 0 or hosts.total() == _OF_EACH_KIND:
            return
        if hosts[pages[url]] < _MOST_OF_HOST:
            hosts[pages[url]] += 1
            yield url


def _example(
    url: str,
    verdict: Verdict,
    fair: Sequence[str],
    runs: Mapping[str, JudgedRun],
    found_at: Mapping[str, Mapping[str, int]],
    web: ArchivedWeb,
) -> Example:
    first = min((label for label in fair if url in found_at[label]), key=lambda label: found_at[label][url])
    fetched = runs[first].run.fetched[found_at[first][url]]
    features = web.answer(url).features
    return Example(
        url=url,
        title="" if features is None else features.title,
        verdict=verdict,
        first=first,
        found_at={label: places.get(url) for label, places in found_at.items()},
        value=fetched.value,
        referrer=fetched.referrer,
        anchor=fetched.anchor,
        parts=dict(sorted(fetched.parts.items(), key=lambda part: (-abs(part[1]), part[0]))),
    )
