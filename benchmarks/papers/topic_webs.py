"""The webs on which the topic experiments of (a) and (b) are repeated, and how they are crawled."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.crawl.replayed import START_PAGE, corpora
from topicspider.options import Options
from topicspider.rehearsal.evaluation.measures import PolicyFigures
from topicspider.rehearsal.rehearse import CHECKPOINTS, RehearsalConfig, rehearse
from topicspider.rehearsal.simulator.simulator import Run

TOPIC = "tourism"
MADE = f"made:pages=24000,hosts=80,topic={TOPIC},topic_hosts=20"
"""(a): 20 sites on tourism and 60 on other things, more than 20,000 pages."""
QUICK = f"made:pages=800,hosts=10,topic={TOPIC},topic_hosts=3"
QUICK_CHECKPOINTS = tuple(range(25, 201, 25))
SITES = "sites-dev"


@dataclass(frozen=True, slots=True)
class TopicWeb:
    """A web with its independent judge; ``labels`` None: a made web knows what its pages are about.

    ``processes``: how many crawl it; a small web is read and crawled in the time in which others start.
    """

    name: str
    spec: str
    labels: Path | None = None
    start_pages: tuple[str, ...] = ()
    checkpoints: tuple[int, ...] = CHECKPOINTS
    processes: int = os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Method:
    """What is compared, as figures call it: a link policy, to the letter of its paper or with our additions.

    ``threshold``: (a)'s c, below which a link is pruned; -1 leaves it to the topic, as a crawl does. ``scorer``: of pages; the papers have vsm.
    """

    label: str
    policy: str
    faithful: bool = False
    threshold: float = -1.0
    scorer: str = "vsm"


def topic_web(name: str) -> TopicWeb:
    """``made``, ``quick``, ``sites-dev`` (ends the program with one line where it is not), or made:SPEC."""
    if name == SITES:
        folder = corpora()
        return TopicWeb(SITES, str(folder / "sites-dev.warc"), folder / "sites-dev.labels.jsonl", (START_PAGE,))
    if name == "quick":
        return TopicWeb("quick", QUICK, checkpoints=QUICK_CHECKPOINTS, processes=1)
    return TopicWeb(name, MADE if name == "made" else name)


def usual_webs() -> list[TopicWeb]:
    """The made web, and the recorded sites where they are; says so where they are not."""
    try:
        return [topic_web("made"), topic_web(SITES)]
    except SystemExit as missing:
        print(missing, file=sys.stderr)
        return [topic_web("made")]


def crawl(
    web: TopicWeb, methods: Sequence[Method], seed_sets: int, *, connections: int = 1
) -> tuple[dict[str, PolicyFigures], list[Run]]:
    """Every method from the same seed sets, by label, and all runs; no delays, so that the order is the policy's own.

    The page filter is off: whatever the scorer says of a page, it was fetched, counts, and its links are judged.
    """
    figures: dict[str, PolicyFigures] = {}
    runs: list[Run] = []
    for options in dict.fromkeys(_options(method) for method in methods):
        chosen = [method for method in methods if _options(method) == options]
        plan = _plan(web, options, [one.policy for one in chosen], seed_sets, connections)
        results, done = rehearse(plan, lambda line: print(f"{web.name}: {line}", file=sys.stderr, flush=True))
        figures |= dict(zip((one.label for one in chosen), results.policies, strict=True))
        runs += done
    return {method.label: figures[method.label] for method in methods}, runs


def _options(method: Method) -> Options:
    return Options(
        topic=TOPIC,
        faithful=method.faithful,
        link_threshold=method.threshold,
        page_scorer=method.scorer,
        delay_min=0.0,
        delay_factor=0.0,
        delay_max=0.0,
    )


def _plan(
    web: TopicWeb, options: Options, policies: Sequence[str], seed_sets: int, connections: int
) -> RehearsalConfig:
    return RehearsalConfig(
        web=web.spec,
        options=options,
        labels=web.labels,
        policies=tuple(policies),
        checkpoints=web.checkpoints,
        start_pages=web.start_pages,
        repeats=seed_sets,
        connections=connections,
        processes=web.processes,
    )


def read_arguments(description: str | None) -> tuple[list[TopicWeb], int, Path | None]:
    """The webs, the number of seed sets, and the folder of --out (made)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", action="append", help=f"made, {SITES} or made:SPEC; again for more (default: both)")
    parser.add_argument("--seed-sets", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="a small made web and two seed sets: seconds")
    parser.add_argument("--out", type=Path, help="the folder for numbers and figure")
    options = parser.parse_args()
    if options.seed_sets < 1:
        parser.error("--seed-sets: 1 or more")
    if unknown := [name for name in options.web or () if name not in ("made", SITES) and not name.startswith("made:")]:
        parser.error(f"--web {unknown[0]}: made, {SITES} or made:SPEC")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    if options.quick:
        return [topic_web("quick")], 2, options.out
    return [topic_web(name) for name in options.web] if options.web else usual_webs(), options.seed_sets, options.out
