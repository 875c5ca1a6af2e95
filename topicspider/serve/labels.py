"""Labels: a person says whether pages are about their topic, and sees at once what follows for the threshold."""

from __future__ import annotations

import random
from threading import Lock
from typing import TYPE_CHECKING

from topicspider.cli.command import one_of
from topicspider.cli.labels import TURNS, Judged, Stratum, drawn, expected_harvest, point, strata_of, thresholds_between
from topicspider.cli.topics_tune import Tuning, label_of, tunable, tuning, why_it_stays
from topicspider.i18n import N_
from topicspider.serve.shown import address
from topicspider.serve.site import Change, Data, Fields, Site, View
from topicspider.serve.stored import UntilWritten, judge_named, one_topic, store_with, stored_page, stored_topics
from topicspider.topic.user_labels import UserLabels, read_user_labels, write_user_labels
from topicspider.url import readable_url

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from topicspider.cli.judge import OfflineJudge
    from topicspider.store.store import Store

ANSWERS = {"yes": True, "no": False, "none": None}
KEPT: UntilWritten[tuple[Stratum, ...]] = UntilWritten()
_WRITING = Lock()
"""Only one thread at a time may read, change and write a file of labels."""


def known_labels(site: Site, topic: str) -> UserLabels:
    """The labels so far; raises ConfigError if their file is something else."""
    return read_user_labels(str(site.data), topic) or UserLabels(topic)


def labelled(site: Site, topic: str) -> dict[str, bool]:
    """Whether each labelled page is about the topic, by URL."""
    return {label.url: label.on_topic for label in known_labels(site, topic).labels if label.url}


def label(site: Site, fields: Fields) -> Data:
    """Saves a person's answer (yes, no; none removes it) about a stored page, with the threshold that follows."""
    verdict = ANSWERS[one_of("answer", fields.get("answer", ""), ANSWERS)]
    with stored_page(site, fields) as (_folder, _store, row):
        topic, url = row.item.topic, row.item.url
        with _WRITING, store_with(site, topic) as (place, store):
            judge, earlier = judge_named(topic, site), known_labels(site, topic)
            others = [one for one in earlier.labels if one.url != url]
            new = [] if verdict is None else [label_of(judge, verdict, row)]
            strata = strata_in(place, store, judge)
            found = tuning([*others, *new], earlier, strata, judge)
            write_user_labels(str(site.data), found.labels)
    told = {"topic": topic, "url": url, "answer": verdict, **effect(found, strata, judge)}
    return {**told, "next": fields.get("back") or address("/labels", topic=topic, crawl=fields.get("crawl"))}


def strata_in(folder: Path, store: Store, judge: OfflineJudge) -> tuple[Stratum, ...]:
    """The strata of the pages that the scorer in use has judged; raises ConfigError if all were judged by other scorers."""
    threshold = judge.view.judge.threshold
    key = (folder, judge.view.topic, judge.options.page_scorer)
    return KEPT.of(key, store, lambda: strata_of(tunable(store, judge), threshold), threshold)


def effect(found: Tuning, strata: Sequence[Stratum], judge: OfflineJudge) -> Data:
    """What the labels say: threshold, precision, recall and F1 as they would be, threshold and F1 in use, harvest, curve of thresholds."""
    answers = [one.on_topic for one in found.labels.labels]
    now, then = point(found.judged, found.current), point(found.judged, found.chosen)
    pages = sum(map(len, strata))
    return {
        "labels": len(answers),
        "yes": sum(answers),
        "no": len(answers) - sum(answers),
        "threshold": found.chosen,
        "was": found.current,
        "precision": then.precision if answers else None,
        "recall": then.recall if any(answers) else None,
        "f1": then.f1 if any(answers) else None,
        "f1_was": now.f1 if any(answers) else None,
        "stays": "" if found.best is not None else why_it_stays(judge.options.page_scorer),
        "harvest": expected_harvest(strata, found.answers, found.chosen) / pages if pages and answers else None,
        "curve": curve(found.judged, (found.current, found.chosen)),
    }


def curve(judged: Sequence[Judged], more: Sequence[float] = ()) -> list[Data]:
    """Precision and recall by threshold, with rising thresholds."""
    thresholds = sorted({0.0, 1.0, *thresholds_between(judged), *more}) if judged else []
    points = (point(judged, threshold) for threshold in thresholds)
    return [{"threshold": one.threshold, "precision": one.precision, "recall": one.recall} for one in points]


def steps(found: Sequence[Data], what: str) -> str:
    """The SVG path of ``what`` by threshold as a step line, in a square of 100 by 100."""
    known = [(100 * one["threshold"], 100 * (1 - one[what])) for one in found if one[what] is not None]
    return f"M0 {known[0][1]:.2f}" + "".join(f"H{x:.2f}V{y:.2f}" for x, y in known[1:]) if known else ""


def labels(site: Site, fields: Fields) -> Data:
    """A page to ask about, and what follows from all answers so far."""
    topics = stored_topics(site)
    if not topics:
        return {"topic": "", "topics": [], "ask": None, "effect": None, "recent": []}
    topic = one_topic(site, fields)
    judge, known = judge_named(topic, site), known_labels(site, topic)
    with store_with(site, topic) as (folder, store):
        strata = strata_in(folder, store, judge)
        ask = _next(store, strata, judge, known, fields.get("skip", ""))
        names = [one.url for one in known.labels if one.url][-12:]
        rows = {url: row for url in names if (row := store.page(topic, url)) is not None}
    found = tuning(known.labels, known, strata, judge)
    there = [(one, rows[one.url].item) for one in reversed(known.labels) if one.url in rows]
    recent = [
        {"url": one.url, "answer": one.on_topic, "title": item.title, "score": item.relevance} for one, item in there
    ]
    told = {**effect(found, strata, judge), "paths": {}}
    told["paths"] = {what: steps(told["curve"], what) for what in ("precision", "recall")}
    return {"topic": topic, "topics": topics, "ask": ask, "effect": told, "recent": recent}


def _next(store: Store, strata: Sequence[Stratum], judge: OfflineJudge, known: UserLabels, skipped: str) -> Data | None:
    """The best page to ask about; the strata take turns."""
    topic, urls = judge.view.topic, {label.url for label in known.labels if label.url}
    rng = random.Random(f"{judge.options.seed} {len(known.labels)} {skipped}")
    for page in reversed(drawn(strata, len(urls) % len(TURNS) + 1, rng, {*urls, skipped})):
        if (row := store.page(topic, page.url)) is not None:
            item = row.item
            text = item.summary or item.body[:600]
            shown = {"title": item.title, "text": text, "score": item.relevance, "on_topic": row.on_topic}
            return {"topic": topic, "url": item.url, "readable": readable_url(item.url), **shown}
    return None


LABELS = View("/labels", "labels.html", labels, N_("Labels"), is_of_hits=True)
VIEWS = (LABELS,)
CHANGES = (Change("/label", label),)
