"""Measures how much the mode of each paper and the default harvest on the demo's web and on recorded sites, and their cost.

    python -m benchmarks.quality.modes [--webs demo,sites-dev] [--topics tourism] [--sets 1] [--pages 1000] [--connections 16]

harvest: the share of hits among the labelled pages; area: under hits by pages, as a share of an oracle's from the same seeds; CPU: seconds
of a run whose pages were read before. Set-up, seeds and judges are those of benchmarks.quality.harvest; connections are the same for all,
so that only the modes' choices differ. A mode that prunes may end early. The demo's web is made smaller here, and has one topic.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from statistics import mean

from benchmarks.quality.harvest import LATENCY, ORACLE, add_crawl_arguments
from topicspider.modes import MODES
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import read_warc
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse
from topicspider.steering.compiled_topics import register_vocabulary
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic

DEFAULT, DEMO = "default", "demo"
MADE = "made:pages=4320,hosts=60"


def main() -> None:
    """Print a line for each mode on each topic."""
    options = _arguments()
    print(f"{'web/topic':22}{'mode':12}{'pages':>7}{'hits':>7}{'harvest':>9}{'area':>7}{'CPU s':>7}", flush=True)
    for web in options.webs.split(","):
        topics = options.topics.split(",")[: 1 if web == DEMO else None]
        if web != DEMO:
            if not (options.corpora / f"{web}.warc").is_file():
                print(f"skipped {web}: no {web}.warc in {options.corpora}", file=sys.stderr)
                continue
            cuttings = {_own_words(topic, mode): None for topic in topics for mode in (*MODES, DEFAULT)}
            read_warc(options.corpora / f"{web}.warc", list(cuttings), None, options.processes, _say)
        for topic in topics:
            plan = _plan(web, topic, options)
            at_leisure = replace(plan.options, delay_min=0.0, delay_factor=0.0, delay_max=0.0)
            best = _played(replace(plan, policies=(ORACLE,), connections=1, options=at_leisure))
            for mode in (*MODES, DEFAULT):
                chosen = _options(topic, mode)
                found = _played(replace(plan, policies=(chosen.link_policy,), options=chosen))
                area = mean(own[3] / most[3] for own, most in zip(found, best, strict=True))
                pages, hits, harvest, _area, cpu = (mean(column) for column in zip(*found, strict=True))
                print(
                    f"{f'{web}/{topic}':22}{mode:12}{pages:7.0f}{hits:7.0f}{harvest:9.3f}{area:7.3f}{cpu:7.1f}",
                    flush=True,
                )


def _options(topic: str, mode: str) -> Options:
    """The settings of the mode, else the defaults, with the pace thrifty as in a crawl with a limit of pages."""
    named = {"TOPICSPIDER_TOPIC": topic, "TOPICSPIDER_MODE": "" if mode == DEFAULT else mode}
    options = Options.read(named)
    return replace(options, pace="thrifty") if options.pace == "auto" else options


def _own_words(topic: str, mode: str) -> tuple[str, ...]:
    """The words that a crawl adds to the segmenter: those of the topic, and those of a judge that learns."""
    options, segmenter = _options(topic, mode), make_segmenter()
    register_vocabulary(learn(load_topic(topic), segmenter), segmenter, options)
    return tuple(segmenter.own_words)


def _plan(web: str, topic: str, given: argparse.Namespace) -> RehearsalConfig:
    return RehearsalConfig(
        MADE if web == DEMO else str(given.corpora / f"{web}.warc"),
        labels=None if web == DEMO else given.corpora / f"{web}.labels.jsonl",
        options=_options(topic, DEFAULT),
        checkpoints=(given.pages // 2, given.pages),
        repeats=given.sets,
        connections=given.connections,
        processes=given.processes,
        latency=LATENCY,
    )


def _played(plan: RehearsalConfig) -> list[tuple[float, ...]]:
    """For each seed set: (pages, hits, harvest, area, CPU seconds)."""
    results, runs = rehearse(plan, _say)
    figures = results.policies[0].runs
    return [
        (one.pages, one.hits, one.checkpoints[-1].precision, one.auc_perfect, run.cpu_seconds)
        for one, run in zip(figures, runs, strict=True)
    ]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", default="demo,sites-dev")
    parser.add_argument("--topics", default="tourism")
    add_crawl_arguments(parser, sets=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
