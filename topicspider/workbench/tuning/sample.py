"""Chooses which crawled pages a person is asked about: few, telling ones, and such that they still speak for all.

The pages of a crawl fall into four strata, by score: misses far from the threshold, misses near it, hits near it, hits far from it. Within a
stratum pages are drawn at random, so each drawn page stands for (pages of its stratum / pages drawn there) pages: with these weights, sums over
the drawn pages are unbiased for sums over all pages, however unevenly the strata are asked about.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Sequence

    from topicspider.store.contract import Standing

Stratum = tuple["Standing", ...]

# Where the threshold belongs is decided near it: three fifths of the questions go there.
SHARES = (0.2, 0.3, 0.3, 0.2)
NEAR_SHARE = 4
"""Near is a quarter of the hits, and as many misses."""
FEWEST_NEAR = 10


def strata_of(pages: Sequence[Standing], threshold: float) -> tuple[Stratum, ...]:
    """The four strata, scores rising from one to the next; any may be empty."""
    ranked = sorted(pages, key=lambda page: (page.relevance, page.url))
    misses = [page for page in ranked if page.relevance < threshold]
    hits = ranked[len(misses) :]
    near = max(FEWEST_NEAR, len(hits) // NEAR_SHARE)
    far_misses = max(0, len(misses) - near)
    return tuple(misses[:far_misses]), tuple(misses[far_misses:]), tuple(hits[:near]), tuple(hits[near:])


def drawn(strata: Sequence[Stratum], count: int, rng: random.Random, known: Collection[str] = ()) -> list[Standing]:
    """Up to ``count`` pages to ask about, none whose URL is ``known``; strata take turns, so that one may stop at any question."""
    rest = [[page for page in stratum if page.url not in known] for stratum in strata]
    shares = _shares([len(pages) for pages in rest], count)
    chosen = [rng.sample(pages, share) for pages, share in zip(rest, shares, strict=True)]
    return [page for page in chain.from_iterable(zip_longest(*chosen)) if page is not None]


def _shares(sizes: Sequence[int], count: int) -> list[int]:
    """How many of each stratum; what a small one cannot give is asked of the others."""
    shares = [min(size, round(count * share)) for size, share in zip(sizes, SHARES, strict=True)]
    for place in sorted(range(len(sizes)), key=lambda i: (-SHARES[i], i)) * count:
        missing = count - sum(shares)
        if missing <= 0:
            break
        shares[place] += min(1, missing, sizes[place] - shares[place])
    while sum(shares) > count:
        shares[shares.index(max(shares))] -= 1
    return shares
