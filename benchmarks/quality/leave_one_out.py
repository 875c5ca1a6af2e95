"""Measures what each feature and rule of the learned judges is worth, by leaving out one at a time, on three recorded webs with labels.

    python -m benchmarks.quality.leave_one_out [--only links|pages] [--parts url,words,…] [--webs sites-dev,…] [--sets 3] [--pages 300]

Links: area under the curve of hits by pages, as a share of the oracle's from the same seeds; pages are judged by the prior, which is
computed once for all runs. Pages: average precision over the labelled pages, every ``--every``-th of a web. The last line of each table is
the spread of the whole judge over its seed sets: smaller differences are not significant. Labels are independent. Webs lie in
$TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; missing ones are skipped. One process takes about ten minutes; the first run also
reads each web, once for all of its topics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, ClassVar

from benchmarks.quality import labelled_pages
from benchmarks.quality.extraction import corpora
from benchmarks.quality.labelled_titles import average_precision
from benchmarks.quality.relevance import judge_of
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import read_warc
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse
from topicspider.relevance import learned_link_policy, learned_page_model, link_features, page_prior
from topicspider.relevance.interfaces import PageScore, PageWords, Parent, PolicyContext
from topicspider.relevance.learned_link_policy import LearnedPolicy
from topicspider.relevance.link_features import TitleDirection
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.published_link_policies import LINK_POLICIES
from topicspider.topic.loading import load_topic

WEBS = {
    "sites-dev": ("tourism", "food", "sport"),
    "sites-dev2": ("tourism", "food", "sport"),
    "encyclopedia-dev": tuple(map(labelled_pages.topic_file, ("chemistry", "architecture", "writers"))),
}
MEANING_OF_TEXTS = "meaning of texts"
Patch = tuple[Any, str, Any]


def _novelty_of_none(_site: object) -> float:
    return 0.0


def _no_exploring(_policy: object, _arrived: int) -> None:
    pass


def _no_meaning(_cosine: float) -> float:
    return 0.0


def _no_gains(_pages: object, _judged: object) -> dict[str, float]:
    return {}


def _weights(**changed: float) -> page_prior.PriorWeights:
    return page_prior.WITH_VECTORS._replace(**changed)


LINK_RULES: dict[str, list[Patch]] = {
    "distance": [(learned_link_policy, "FARTHEST", 0)],
    "novelty": [(learned_link_policy, "novelty_of", _novelty_of_none)],
    "exploration": [(LearnedPolicy, "_explore", _no_exploring)],
    "what pages lead to": [(learned_link_policy, "GAMMA", 0.0)],
    MEANING_OF_TEXTS: [(link_features, "by_meaning", _no_meaning)],
    "fits": [(LearnedPolicy, "_fit", LearnedPolicy._rescore_step)],
    "trust in few examples": [(learned_link_policy, "HALF_TRUST", 1e-9)],
    "rescoring of groups": [(learned_link_policy, "_MEMBERS", 0)],
}
PAGE_RULES: dict[str, list[Patch]] = {
    "other topics": [(page_prior, "_OF_CONTRAST", 0.0), (page_prior, "_OF_CONTRAST_BY_BODY", 0.0)],
    "meaning of titles": [(page_prior, "WITH_VECTORS", _weights(title_meaning=0.0))],
    "meaning of bodies": [(page_prior, "WITH_VECTORS", _weights(body_meaning=0.0))],
    "words of titles": [(page_prior, "WITH_VECTORS", _weights(title_words=0.0))],
    "words of bodies": [(page_prior, "WITH_VECTORS", _weights(body_words=0.0))],
    "learning": [(learned_page_model, "HALF_TRUSTED", 1e12)],
    "learned words": [(learned_page_model, "WORDS_PART", 0.0)],
    "learned meaning": [(learned_page_model, "WORDS_PART", 1.0)],
    "background": [(learned_page_model, "_LONG_BODY", float("inf"))],
    "titles before long texts": [(page_prior, "_TITLE_HALVED", 1e12)],
    "sharpness": [(learned_page_model, "_SHARPNESS", 1.0)],
    "its site": [(learned_page_model, "site_gains", _no_gains)],
}


class Without(LearnedPolicy):
    """LearnedPolicy with a feature that is always 0, or without a rule; the policies of one topic share the texts that they have read."""

    known: ClassVar[dict[tuple[str, bool], link_features.TextSimilarity]] = {}

    def __init__(self, part: str, context: PolicyContext) -> None:
        super().__init__(context)
        key = context.profile.digest, part == MEANING_OF_TEXTS
        self._similarity = self.known.setdefault(key, self._similarity)
        is_rule = not part or part in LINK_RULES
        self._patches = (
            LINK_RULES.get(part, [])
            if is_rule
            else [(learned_link_policy.QueuedLink, "features", _features_without(part))]
        )

    def judge(self, parent: Parent, links: Sequence[tuple[int, Any]]) -> list[Any]:
        with patched(self._patches):
            return super().judge(parent, links)


def _features_without(part: str) -> Callable[[learned_link_policy.QueuedLink, TitleDirection], tuple[float, ...]]:
    whole = learned_link_policy.QueuedLink.features
    kept = tuple(float(name != part) for name in learned_link_policy.NAMES)

    def masked(queued: learned_link_policy.QueuedLink, titles: TitleDirection) -> tuple[float, ...]:
        return tuple(feature * factor for feature, factor in zip(whole(queued, titles), kept, strict=True))

    return masked


@contextmanager
def patched(patches: Sequence[Patch]) -> Iterator[None]:
    """Give names of modules and classes other values while the block runs."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, value in patches:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


@dataclass(frozen=True, slots=True)
class Table:
    """By part, then web and topic: the figure without that part ("": of the whole judge). ``spread``: of the whole judge, by seed set."""

    title: str
    figures: Mapping[str, Mapping[str, float]]
    spread: float

    def show(self) -> None:
        """Print a line for each part; the one whose absence costs least is last."""
        whole = self.figures[""]
        print(f"{self.title:24}{'mean':>8}" + "".join(f"{column[-20:]:>22}" for column in whole))
        print(f"{'the whole':24}{mean(whole.values()):8.3f}" + "".join(f"{value:22.3f}" for value in whole.values()))
        parts = {part: {name: one[name] - whole[name] for name in whole} for part, one in self.figures.items() if part}
        for part, lost in sorted(parts.items(), key=lambda pair: mean(pair[1].values())):
            line = "".join(f"{value:+22.3f}" for value in lost.values())
            print(f"- {part:22}{mean(lost.values()):+8.3f}{line}")
        print(f"{'spread by seed set':24}{self.spread:8.3f}\n", flush=True)


def links(options: argparse.Namespace) -> Table:
    """The table of link policies: shares of the oracle's area."""
    known = (*learned_link_policy.NAMES, *LINK_RULES)
    parts = ["", *(part for part in known if not options.parts or part in options.parts)]
    for part in parts:
        LINK_POLICIES[f"-{part}"] = partial(Without, part)
    figures: dict[str, dict[str, float]] = {part: {} for part in parts}
    spreads = []
    for web, topic in _webs(options):
        config = RehearsalConfig(
            web=str(options.corpora / f"{web}.warc"),
            labels=options.corpora / f"{web}.labels.jsonl",
            options=Options(topic=topic, delay_min=0.0, delay_factor=0.0, delay_max=0.0),
            policies=(*(f"-{part}" for part in parts), "oracle"),
            checkpoints=(options.pages // 2, options.pages),
            repeats=options.sets,
            processes=1,  # other processes do not have the policies made here
        )
        with patched([(PageJudge, "observe", _learn_nothing), (PageJudge, "judge", _judged_once())]):
            results, _ = rehearse(config, lambda line: print(line, file=sys.stderr))
        for policy in results.policies:
            shares = [run.auc_oracle or 0.0 for run in policy.runs]
            if policy.policy != "oracle":
                figures[policy.policy.removeprefix("-")][_column(web, topic)] = mean(shares)
            if policy.policy == "-":
                spreads.append(max(shares) - min(shares))
    return Table("links: of the oracle", figures, mean(spreads))


def _learn_nothing(_judge: PageJudge, _words: PageWords) -> None:
    pass


def _judged_once() -> Callable[[PageJudge, PageWords], PageScore]:
    """PageJudge.judge with a cache, for a judge that learns nothing: the runs of one topic meet mostly the same pages."""
    judge, known = PageJudge.judge, {}

    def judged(self: PageJudge, words: PageWords) -> PageScore:
        if words not in known:
            known[words] = judge(self, words)
        return known[words]

    return judged


def _found_once() -> Callable[[page_prior.Prior, PageWords], page_prior.Evidence]:
    """Prior.evidence of one topic with a cache: the rules of learning do not change it."""
    find, known = page_prior.Prior.evidence, {}

    def found(self: page_prior.Prior, words: PageWords) -> page_prior.Evidence:
        if words not in known:
            known[words] = find(self, words)
        return known[words]

    return found


def pages(options: argparse.Namespace) -> Table:
    """The table of page judges: average precision of the labelled pages, judged together."""
    rules = [part for part in PAGE_RULES if not options.parts or part in options.parts]
    figures: dict[str, dict[str, float]] = {part: {} for part in ("", *rules)}
    for web, topic in _webs(options):
        name = load_topic(topic).name
        read = labelled_pages.labelled_pages(topic, options.corpora, web=web, every=options.every)
        words = [page.words for page in read]
        truth = [name in page.topics for page in read]
        once = [(page_prior.Prior, "evidence", _found_once())]
        for part, values in figures.items():
            patches = PAGE_RULES.get(part, [])
            is_learned = all(owner is learned_page_model for owner, _, _ in patches)
            with patched([*patches, *(once if is_learned else [])]):
                scores = judge_of(load_topic(topic), "learned")[0].judge_all(words)
            values[_column(web, topic)] = average_precision([score.value for score in scores], truth)
            print(f"{web} {name}: {part or 'the whole'} {values[_column(web, topic)]:.4f}", file=sys.stderr)
    return Table("pages: AP", figures, 0.0)


def _webs(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for web in options.webs.split(","):
        if (options.corpora / f"{web}.warc").is_file():
            tokenizers = [labelled_pages.own_words_of(topic) for topic in WEBS[web]]
            read_warc(options.corpora / f"{web}.warc", tokenizers, None, 1, lambda line: print(line, file=sys.stderr))
            yield from ((web, topic) for topic in WEBS[web])
        else:
            print(f"skipped: no {web}.warc in {options.corpora}")


def _column(web: str, topic: str) -> str:
    return f"{web} {Path(topic).stem}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("links", "pages"))
    parser.add_argument("--parts", type=lambda text: text.split(","), default=[])
    parser.add_argument("--webs", default=",".join(WEBS))
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--corpora", type=Path, default=corpora())
    options = parser.parse_args()
    for kind, measured in (("links", links), ("pages", pages)):
        if options.only in (None, kind):
            measured(options).show()


if __name__ == "__main__":
    main()
