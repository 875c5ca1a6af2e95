"""``scrapy topics tune``: asks about twenty pages, and sets the threshold that follows from the answers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.cli.command import Action, CliCommand, terminal_columns
from topicspider.cli.crawl_data import store_of
from topicspider.cli.labels import (
    Judged,
    LabelRow,
    Stratum,
    best_threshold,
    drawn,
    expected_harvest,
    point,
    read_labels,
    strata_of,
    thresholds_between,
    weighed,
)
from topicspider.cli.questions import ask, card
from topicspider.cli.topics import title_of
from topicspider.errors import ConfigError
from topicspider.i18n import N_, ngettext
from topicspider.i18n import gettext as _
from topicspider.text.terminal import table
from topicspider.topic.user_labels import WORDS_READ, Label, UserLabels, read_user_labels, write_user_labels

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from topicspider.cli.judge import OfflineJudge
    from topicspider.options import Options
    from topicspider.store.rows import PageRow, ScoredPage
    from topicspider.store.store import Store

FEWEST_LABELS = 5
"""At least this many labels, yes and no among them, are needed to change a threshold."""
LEARNED = "learned"
"""The scorer that learns from the labels: these change its scores, so a threshold found on the earlier scores would not fit."""


def tune(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    from topicspider.cli.judge import load_judge

    judge = load_judge(opts.name, options)
    topic = judge.view.topic
    earlier = read_user_labels(options.data, topic) or UserLabels(topic)
    rows = read_labels(opts.labels) if opts.labels else None
    with store_of(options, topic) as store:
        strata = strata_of(tunable(store, judge), judge.view.judge.threshold)
        new = _from_rows(rows, store, judge) if rows else _asked(strata, earlier, store, judge)
    if new:
        _keep(new, earlier, strata, judge)
    else:
        print(_("no new label; nothing was changed"))


def tunable(store: Store | None, judge: OfflineJudge) -> list[ScoredPage]:
    """The pages that the scorer in use has judged; raises ConfigError if all were judged by other scorers."""
    topic, scorer = judge.view.topic, judge.options.page_scorer
    pages = store.scored(topic, scorer) if store is not None else []
    if not pages and store is not None and (others := store.scorers(topic)) and scorer not in others:
        hint = "The stored pages were judged by another: set TOPICSPIDER_PAGE_SCORER, or crawl again"
        raise ConfigError("scorer", scorer, ", ".join(others), hint)
    return pages


def _asked(strata: Sequence[Stratum], earlier: UserLabels, store: Store | None, judge: OfflineJudge) -> list[Label]:
    topic = judge.view.topic
    if store is None or not any(strata):
        hint = _("First: scrapy crawl topic -a topic={topic}; or label texts: --labels FILE.csv", topic=topic)
        raise ConfigError("tune", topic, "a topic that was crawled", hint)
    known = {label.url for label in earlier.labels if label.url}
    rng = random.Random(f"{judge.options.seed} {len(known)}")
    rows = [store.page(topic, page.url) for page in drawn(strata, 20, rng, known)]
    there = [row for row in rows if row is not None]
    print(_("Are these pages about {topic}?", topic=title_of(judge.profile.topic)))
    answers = ask([card(item.title, item.url, item.summary or item.body) for item in (row.item for row in there)])
    return [label_of(judge, yes, row) for row, yes in zip(there, answers, strict=True) if yes is not None]


def _from_rows(rows: Sequence[LabelRow], store: Store | None, judge: OfflineJudge) -> list[Label]:
    """The labels of a file. A URL stands for the stored page; one that was not crawled is left out."""
    labels, missing = [], 0
    for row in rows:
        stored = store.page(judge.view.topic, row.url) if store is not None and row.url else None
        if stored is not None:
            labels.append(label_of(judge, row.on_topic, stored))
        elif row.text:
            words = judge.words(row.text, "")
            score = round(judge.judge(words).value, 6)
            labels.append(Label(row.on_topic, words.title, words.body[:WORDS_READ], row.url, score))
        else:
            missing += 1
    if missing:
        print(
            ngettext(
                "{count} URL was passed over: it was not crawled",
                "{count} URLs were passed over: they were not crawled",
                missing,
            )
        )
    return labels


def label_of(judge: OfflineJudge, on_topic: bool, row: PageRow) -> Label:
    """The label that a person gives to a stored page."""
    item = row.item
    words = judge.words(item.title, item.body)
    return Label(on_topic, words.title, words.body[:WORDS_READ], item.url, round(item.relevance, 6))


@dataclass(frozen=True, slots=True)
class Tuning:
    """What all labels of a topic imply. ``answers``: labels by URL; ``judged``: each label with the number of pages it stands for.

    ``best`` is the threshold that follows, None if the labels are not enough; ``current`` is the one in use.
    """

    labels: UserLabels
    answers: Mapping[str, bool]
    judged: Sequence[Judged]
    current: float
    best: float | None

    @property
    def chosen(self) -> float:
        return self.current if self.best is None else self.best


def tuning(labels: Iterable[Label], earlier: UserLabels, strata: Sequence[Stratum], judge: OfflineJudge) -> Tuning:
    """What follows from ``labels``; of two labels on the same page or text, the later one counts."""
    scorer, digest = judge.options.page_scorer, judge.profile.digest
    kept = {(one.url, () if one.url else (one.title, one.body)): one for one in labels}
    answers = {label.url: label.on_topic for label in kept.values() if label.url}
    judged = weighed(strata, answers) or [Judged(label.score, label.on_topic) for label in kept.values()]
    current = judge.view.judge.threshold
    best = best_threshold(judged, current) if len(judged) >= FEWEST_LABELS and scorer != LEARNED else None
    threshold = earlier.threshold_for(scorer, digest) if best is None else best
    tuned = UserLabels(judge.view.topic, digest, scorer, threshold, tuple(kept.values()))
    return Tuning(tuned, answers, judged, current, best)


def _keep(new: Sequence[Label], earlier: UserLabels, strata: Sequence[Stratum], judge: OfflineJudge) -> None:
    """Save the labels and the threshold that follows from all of them, and print the reasons."""
    found = tuning((*earlier.labels, *new), earlier, strata, judge)
    path = write_user_labels(judge.options.data, found.labels)
    print(f"\n{_threshold_table(found)}\n")
    if pages := sum(map(len, strata)):
        kept = expected_harvest(strata, found.answers, found.chosen)
        words = N_("about {kept:,.0f} of {pages:,} pages are kept and on topic: a harvest of {share:.0%}")
        print(_(words, kept=kept, pages=pages, share=kept / pages))
    if found.best is None:
        print(why_it_stays(judge.options.page_scorer))
    yes, total = sum(label.on_topic for label in found.labels.labels), len(found.labels.labels)
    labels = _("{count} labels ({yes} yes, {no} no)", count=total, yes=yes, no=total - yes)
    words = N_("{labels}, threshold {threshold:.4g}: written to {path}")
    print(_(words, labels=labels, threshold=found.chosen, path=path))


def why_it_stays(scorer: str) -> str:
    if scorer == LEARNED:
        return _("the threshold stays: this scorer learns from the labels, which move the scores themselves")
    return _("the threshold stays: it takes {count} labels or more, yes and no among them", count=FEWEST_LABELS)


def _threshold_table(found: Tuning) -> str:
    """Precision, recall and F1 for at most nine thresholds, and for those in use and chosen, which are marked."""
    rows = [[_("threshold"), _("precision"), _("recall"), "F1", ""]]
    between = thresholds_between(found.judged)
    for threshold in sorted({*between[:: len(between) // 9 + 1], found.current, found.chosen}):
        marks = [_("in use")] * (threshold == found.current) + [_("chosen")] * (threshold == found.chosen)
        at = point(found.judged, threshold)
        precision = "-" if at.precision is None else f"{at.precision:.2f}"
        rows.append([f"{threshold:.4g}", precision, f"{at.recall:.2f}", f"{at.f1:.2f}", ", ".join(marks)])
    return table(rows, right=(0, 1, 2, 3), columns=terminal_columns())


ACTION: Action = ("tune", tune, "ask y or n about twenty pages of the topic's crawl, and keep the threshold that follows in its tuned.json", {
    "name": {"metavar": "NAME"},
    "--labels": {"default": "", "metavar": "FILE.csv", "help": "labels (rows URL,yes or TEXT,no) in place of questions"},
})  # fmt: skip
