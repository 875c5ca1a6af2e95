"""The claim of (b), thesis 2011: hard focus fetches 30-90 % fewer irrelevant pages than breadth-first.

    python -m benchmarks.papers.thesis2011 [--web made] [--web sites-dev] [--seed-sets 10] [--out FOLDER] [--quick]

Hard focus follows links only from pages that are on topic. From each seed set both crawls are compared twice:
irrelevant pages fetched until both have found the same number of relevant ones, and after the same number of
pages. With --out it writes thesis2011.json and thesis2011.svg (irrelevant pages by relevant ones, first web).

Webs as in li2002.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from benchmarks.papers import figures
from benchmarks.papers.topic_webs import Method, TopicWeb, crawl, read_arguments
from topicspider.errors import TopicSpiderError
from topicspider.rehearsal.evaluation.measures import Checkpoint, PolicyFigures, RunFigures

METHODS = (Method("breadth-first", "bfs"), Method("hard focus", "hard_focus"))
CLAIM = (0.3, 0.9)
POINT_EVERY = 3  # standings a point of the figure


@dataclass(frozen=True, slots=True)
class Pair:
    """Both crawls from one seed set. ``saved``: the share of breadth-first's irrelevant pages that hard focus did not fetch.

    ``at_hits``: the number of relevant pages that both had found, as many as the one that found fewer ever did.
    ``at_pages``: checkpoint to share, as far as both crawls got. ``found_wide`` and ``found_focused``: relevant pages in the end.
    """

    at_hits: int
    misses_wide: int
    misses_focused: int
    saved: float
    at_pages: Mapping[int, float]
    ended_early: bool
    found_wide: int
    found_focused: int


def pair_of(wide: RunFigures, focused: RunFigures) -> Pair:
    """Compare a breadth-first crawl with a hard-focused one from the same seeds."""
    hits = min(wide.checkpoints[-1].hits, focused.checkpoints[-1].hits)
    misses_wide, misses_focused = misses_until(wide, hits), misses_until(focused, hits)
    both = zip(wide.checkpoints, focused.checkpoints, strict=True)
    at_pages = {one.pages: _saved(one.misses, other.misses) for one, other in both if one.reached and other.reached}
    return Pair(
        hits,
        round(misses_wide),
        round(misses_focused),
        _saved(misses_wide, misses_focused),
        at_pages,
        focused.ended == "empty",
        wide.checkpoints[-1].hits,
        focused.checkpoints[-1].hits,
    )


def misses_until(run: RunFigures, hits: int) -> float:
    """Irrelevant pages fetched until ``hits`` relevant ones were found; in a straight line between checkpoints."""
    before: tuple[int, int] = (0, 0)
    for standing in run.checkpoints:
        if standing.hits >= hits:
            return _between(before, standing, hits)
        before = (standing.hits, standing.misses)
    raise ValueError(f"{hits} hits were never found")


def _between(before: tuple[int, int], after: Checkpoint, hits: int) -> float:
    if after.hits == before[0]:
        return float(before[1])
    share = (hits - before[0]) / (after.hits - before[0])
    return before[1] + share * (after.misses - before[1])


def _saved(wide: float, focused: float) -> float:
    return 1.0 - focused / wide if wide else 0.0


def main() -> None:
    """Crawl, print, and write where --out says."""
    webs, seed_sets, out = read_arguments(__doc__)
    numbers: dict[str, object] = {}
    for web in webs:
        crawled, _runs = crawl(_fine(web), METHODS, seed_sets)
        wide, focused = crawled.values()
        pairs = [pair_of(*runs) for runs in zip(wide.runs, focused.runs, strict=True)]
        _print(web, crawled, pairs)
        numbers[web.name] = {"pairs": [asdict(pair) for pair in pairs], "within_claim": within_claim(pairs)}
        if out and web is webs[0]:
            draw(crawled, out / "thesis2011.svg")
    if out:
        (out / "thesis2011.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


def within_claim(pairs: Sequence[Pair]) -> int:
    """How many seed sets saved between 30 and 90 % of the irrelevant pages for the same relevant ones."""
    return sum(CLAIM[0] <= pair.saved <= CLAIM[1] for pair in pairs)


def _fine(web: TopicWeb) -> TopicWeb:
    """With ten standings between two checkpoints: pages until a number of hits are read off between standings."""
    step = max(1, web.checkpoints[0] // 10)
    return replace(web, checkpoints=tuple(range(step, web.checkpoints[-1] + 1, step)))


def _print(web: TopicWeb, crawled: Mapping[str, PolicyFigures], pairs: Sequence[Pair]) -> None:
    print(f"\n{web.name}: {crawled['hard focus'].runs[0].targets} pages to find, {len(pairs)} seed sets")
    print("seed set  relevant found by both  irrelevant, breadth-first  hard focus  fewer")
    for number, pair in enumerate(pairs):
        end = f"  in the end {pair.found_wide} and {pair.found_focused} relevant pages"
        end += " (hard focus: nothing was left to fetch)" if pair.ended_early else ""
        print(f"{number:8}{pair.at_hits:24}{pair.misses_wide:27}{pair.misses_focused:12}{pair.saved:7.0%}{end}")
    saved = [pair.saved for pair in pairs]
    print(
        f"The thesis: 30-90 % fewer irrelevant pages. Ours: {mean(saved):.0%} ({min(saved):.0%} to {max(saved):.0%});"
    )
    more = sum(share > CLAIM[1] for share in saved)
    print(f"of {len(pairs)} seed sets {within_claim(pairs)} within the claim, {more} save more")
    for pages in web.checkpoints:
        shares = [pair.at_pages[pages] for pair in pairs if pages in pair.at_pages]
        if shares:
            print(f"after {pages} pages: {mean(shares):.0%} fewer ({len(shares)} seed sets)")


def draw(crawled: Mapping[str, PolicyFigures], path: Path) -> None:
    """Irrelevant pages by relevant ones found, and precision by pages; a line for each seed set."""
    figure, charts = figures.begin(2)
    for (label, one), (color, dashes) in zip(crawled.items(), figures.STYLES, strict=False):
        for run in one.runs:
            reached = [standing for standing in run.checkpoints if standing.reached]
            if not reached:  # it ended before the first standing
                continue
            points = [(at.hits, at.misses, at.pages, at.precision) for at in reached[::POINT_EVERY]]
            hits, misses, pages, precision = zip(*points, strict=True)
            charts[0].plot(hits, misses, color=color, linestyle=dashes, alpha=0.6, label=label)
            charts[1].plot(pages, precision, color=color, linestyle=dashes, alpha=0.6)
            label = ""  # once in the legend
    charts[0].set_xlabel("relevant pages found")
    charts[0].set_title("Irrelevant pages fetched")
    charts[1].set_xlabel("pages")
    charts[1].set_title("Precision")
    charts[1].set_ylim(0.0, 1.02)
    charts[0].legend(loc="upper left", frameon=False)
    figures.save(figure, path)


if __name__ == "__main__":
    try:
        main()
    except TopicSpiderError as error:
        sys.exit(f"thesis2011: {error}")
