"""``scrapy topics tune``: twenty pages, twenty keys, and the threshold that follows from them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.cli.command import terminal_columns, whole_number
from topicspider.errors import ConfigError, one_line
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, table, wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.cli.judge import OfflineJudge
    from topicspider.cli.labels import Judged, LabelRow, Point, Stratum
    from topicspider.options import Options
    from topicspider.store.rows import PageMeta, PageRow
    from topicspider.store.store import Store
    from topicspider.topic.user_labels import Label, UserLabels

FEWEST_LABELS = 5
"""So many labels, of both kinds, are needed to move a threshold."""
LEARNED = "learned"
"""Scores by the labels themselves: a threshold found on scores from before them would be one for another scale."""
ABOUT = (
    "ask y or n about twenty pages of the topic's crawl, show precision and recall by threshold and the harvest to expect, and keep labels and "
    "threshold below TOPICSPIDER_DATA, where the next crawl reads them; nothing is fetched, the topic file is not touched"
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("tune", help="find the threshold by a person's answers", description=ABOUT)
    parser.set_defaults(action=tune)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--labels", default="", metavar="FILE.csv", help="labels from a file (rows URL,yes or TEXT,no) instead of questions")  # fmt: skip
    parser.add_argument("--questions", default="20", metavar="N", help="how many pages are asked about (default 20)")  # fmt: skip
    parser.add_argument("--show", action="store_true", help="show what is tuned, and change nothing")
    parser.add_argument("--reset", action="store_true", help="forget labels and threshold")
    parser.add_argument(
        "--scorer", default="", metavar="NAME", help="the page scorer (default TOPICSPIDER_PAGE_SCORER)"
    )


@dataclass(frozen=True, slots=True)
class Crawled:
    """The topic's pages as its crawl left them: their strata at the threshold in use."""

    pages: tuple[PageMeta, ...] = ()
    strata: tuple[Stratum, ...] = ()


def tune(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    """Ask, or read labels from a file; keep them with the threshold that follows."""
    from topicspider.cli.crawl_data import store_of
    from topicspider.cli.judge import load_judge, with_scorer
    from topicspider.cli.labels import read_labels
    from topicspider.store.topics import topic_of
    from topicspider.topic.user_labels import read_user_labels

    if opts.reset:
        _reset(topic_of(opts.name, options).name, options)
        return
    options = with_scorer(options, opts.scorer)
    judge = load_judge(opts.name, options)
    topic = judge.view.topic
    earlier = read_user_labels(options.data, topic)
    if opts.show:
        print(f"{topic}: {_state_text(earlier, judge)}")
        return
    count = whole_number("--questions", opts.questions, 1000)
    rows = read_labels(opts.labels) if opts.labels else None
    with store_of(options, topic) as store:
        crawled = _crawled(store, judge)
        new = _from_rows(rows, store, judge) if rows else _asked(crawled, earlier, count, store, judge)
    if new:
        _keep(new, earlier, crawled, judge)
    else:
        print(_("no new label; nothing was changed"))


def _reset(topic: str, options: Options) -> None:
    from topicspider.topic.user_labels import remove_user_labels

    result = _("labels and threshold are forgotten") if remove_user_labels(options.data, topic) else _("was not tuned")
    print(f"{topic}: {result}")


def _crawled(store: Store | None, judge: OfflineJudge) -> Crawled:
    """What the scorer in use said of the pages; without copies, and without what was left out for another reason than its score."""
    from topicspider.cli.labels import strata_of

    if store is None:
        return Crawled()
    scorer = judge.options.page_scorer
    found = list(store.page_meta(judge.view.topic))
    pages = tuple(
        page
        for page in found
        if page.scorer == scorer and not page.is_copy and (page.on_topic or page.relevance < page.threshold)
    )
    if found and not pages:
        others = ", ".join(sorted({page.scorer for page in found}))
        hint = "The stored pages were judged by another: add --scorer, or crawl again"
        raise ConfigError("scorer", scorer, others, hint)
    return Crawled(pages, strata_of(pages, judge.view.judge.threshold))


def _asked(
    crawled: Crawled, earlier: UserLabels | None, count: int, store: Store | None, judge: OfflineJudge
) -> list[Label]:
    """The answers of the person at the terminal."""
    from topicspider.cli.labels import drawn
    from topicspider.cli.questions import ask, typed_keys
    from topicspider.cli.topics import title_of

    topic = judge.view.topic
    if store is None or not crawled.pages:
        hint = f"First: scrapy crawl topic -a topic={topic}; or label texts: --labels FILE.csv"
        raise ConfigError("tune", topic, "a topic that was crawled", hint)
    known = {label.url for label in earlier.labels if label.url} if earlier else set()
    rng = random.Random(f"{judge.options.seed} {len(known)}")
    rows = [store.page(topic, page.url) for page in drawn(crawled.strata, count, rng, known)]
    there = [row for row in rows if row is not None]
    print(_("Are these pages about {topic}?", topic=title_of(judge.profile.topic)))
    with typed_keys() as next_key:
        answers = ask([_card(row) for row in there], next_key)
    return [
        _label(judge, answer, row.item.title, row.item.body, row.item.url, row.item.relevance)
        for row, answer in zip(there, answers, strict=True)
        if answer is not None
    ]


def _from_rows(rows: Sequence[LabelRow], store: Store | None, judge: OfflineJudge) -> list[Label]:
    """The labels of a file; a URL stands for the stored page, or for nothing when it was not crawled."""
    labels, missing = [], 0
    for row in rows:
        stored = store.page(judge.view.topic, row.url) if store is not None and row.url else None
        if stored is not None:
            item = stored.item
            labels.append(_label(judge, row.on_topic, item.title, item.body, item.url, item.relevance))
        elif row.title or row.body:
            score = judge.judge(judge.words(row.title, row.body)).value
            labels.append(_label(judge, row.on_topic, row.title, row.body, row.url, score))
        else:
            missing += 1
    if missing:
        print(_("{count} URLs were passed over: they were not crawled", count=missing))
    return labels


def _label(judge: OfflineJudge, on_topic: bool, title: str, body: str, url: str, score: float) -> Label:
    from topicspider.topic.user_labels import WORDS_READ, Label

    words = judge.words(title, body)
    return Label(on_topic, words.title, words.body[:WORDS_READ], url, round(score, 6))


def _keep(new: Sequence[Label], earlier: UserLabels | None, crawled: Crawled, judge: OfflineJudge) -> None:
    """Write the labels down, with the threshold that all of them together tell, and show why."""
    from topicspider.cli.labels import best_threshold, expected_harvest
    from topicspider.topic.user_labels import UserLabels, write_user_labels

    scorer, seed, digest = judge.options.page_scorer, judge.options.seed, judge.profile.digest
    labels = _together(earlier.labels if earlier else (), new)
    judged = _judged(labels, crawled)
    current = judge.view.judge.threshold
    can_tell = len(judged) >= FEWEST_LABELS and scorer != LEARNED
    best = best_threshold(judged, current, seed) if can_tell else None
    chosen = current if best is None else best
    threshold = best if best is not None or earlier is None else earlier.threshold_for(scorer, digest)
    tuned = UserLabels(judge.view.topic, digest, scorer, threshold, labels)
    path = write_user_labels(judge.options.data, tuned)
    print(f"\n{threshold_table(judged, current, chosen)}\n")
    if crawled.pages:
        answers = {label.url: label.on_topic for label in labels if label.url}
        kept = expected_harvest(crawled.strata, answers, chosen)
        print(harvest_text(kept, len(crawled.pages), chosen))
    if best is None and scorer == LEARNED:
        print(_("the threshold stays: this scorer learns from the labels, which move the scores themselves"))
    elif best is None:
        print(_("the threshold stays: it takes {count} labels or more, yes and no among them", count=FEWEST_LABELS))
    print(_state_text(tuned, judge))
    print(_("written to {path}", path=path))


def _together(old: Sequence[Label], new: Sequence[Label]) -> tuple[Label, ...]:
    """All labels; of two on the same page or text the newer one."""
    found = {(label.url, () if label.url else (label.title, label.body)): label for label in (*old, *new)}
    return tuple(found.values())


def _judged(labels: Sequence[Label], crawled: Crawled) -> list[Judged]:
    """Labelled pages of the crawl, each with the number of pages it stands for; without any, the labelled texts, all alike."""
    from topicspider.cli.labels import Judged, weighed

    judged = weighed(crawled.strata, {label.url: label.on_topic for label in labels if label.url})
    return judged or [Judged(label.score, label.on_topic) for label in labels]


def _card(row: PageRow) -> str:
    """One page for a person to judge: title, URL and the beginning of its text (of hits: misses are stored without). Not its score."""
    item, columns = row.item, terminal_columns()
    lines = [fit(one_line(item.title, 300) or _("(no title)"), columns), fit(one_line(unquote(item.url)), columns)]
    text = one_line(item.summary or item.body[:400], 400)
    lines += [f"  {line}" for line in wrap(text, columns - 2)[:3]] if text else []
    return "\n".join(lines)


def threshold_table(judged: Sequence[Judged], current: float, chosen: float) -> str:
    """Precision, recall and F1 by threshold, at most nine and those in use and chosen, which are marked."""
    from topicspider.cli.labels import point, thresholds_between

    heads = (_("threshold"), _("precision"), _("recall"), "F1", "")
    between = thresholds_between(judged)
    shown = sorted({*(between[round(i * (len(between) - 1) / 8)] for i in range(9) if between), current, chosen})
    rows = []
    for threshold in shown:
        marks = [_("in use")] * (threshold == current) + [_("chosen")] * (threshold == chosen)
        rows.append(_row(point(judged, threshold), ", ".join(marks)))
    return table([heads, *rows], right=(0, 1, 2, 3), columns=terminal_columns())


def _row(point: Point, mark: str) -> tuple[str, ...]:
    precision = "-" if point.precision is None else f"{point.precision:.2f}"
    return f"{point.threshold:.4g}", precision, f"{point.recall:.2f}", f"{point.f1:.2f}", mark


def harvest_text(kept: float, pages: int, threshold: float) -> str:
    """The harvest that the labels promise."""
    return _(
        "At {threshold:.4g}, of {pages:,} pages fetched about {kept:,.0f} are kept and on topic: a harvest of {share:.0%}",
        threshold=threshold,
        pages=pages,
        kept=kept,
        share=kept / pages,
    )


def _state_text(tuned: UserLabels | None, judge: OfflineJudge) -> str:
    """What is kept of tuning, in words."""
    if tuned is None:
        return _("not tuned: no labels; the threshold is the topic's, or the default")
    yes, total = sum(label.on_topic for label in tuned.labels), len(tuned.labels)
    labels = _("{count} labels ({yes} yes, {no} no)", count=total, yes=yes, no=total - yes)
    if tuned.threshold is None:
        return _("{labels}; no threshold", labels=labels)
    is_valid = tuned.threshold_for(judge.options.page_scorer, judge.profile.digest) is not None
    stale = _("not in use: the topic or the scorer has changed since; tune again")
    number = f"{tuned.threshold:.4g} ({tuned.scorer})"
    return _(
        "{labels}; threshold {number}, {state}", labels=labels, number=number, state=_("in use") if is_valid else stale
    )
