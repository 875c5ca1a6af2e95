"""The change feed: what recrawls have found, as a page, as RSS, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from topicspider.cli.command import one_of
from topicspider.export.formats import rss_of
from topicspider.i18n import N_
from topicspider.serve.site import Content, Data, Download, Fields, Site, View
from topicspider.serve.stored import stored_topics, stores, topics_of

MOST = 100
KINDS = {"new": N_("new"), "changed": N_("changed"), "gone": N_("gone")}


def changes(site: Site, fields: Fields) -> Data:
    """The newest MOST changes of hits, of one topic or of all, of one kind or of all."""
    topics = stored_topics(site)
    asked = {"topic": topics, "kind": KINDS}
    topic, kind = (fields.get(name, "") and one_of(name, fields[name], known) for name, known in asked.items())
    found = [
        {**asdict(change), "topic": name}
        for _folder, store in stores(site, fields)
        for name in topics_of(store, fields)
        for change in store.changed_hits(name, MOST if not kind else MOST * len(KINDS))
    ]
    counts = {name: sum(one["kind"] == name for one in found) for name in KINDS}
    found.sort(key=lambda one: one["seen_at"], reverse=True)
    shown = [one for one in found if not kind or one["kind"] == kind]
    return {"topic": topic, "topics": topics, "kind": kind, "counts": counts, "changes": shown[:MOST]}


def rss(site: Site, fields: Fields, _folder: Path) -> Content:
    return Content(rss_of("changes.rss", **changes(site, fields)), "application/rss+xml")


VIEWS = (View("/changes", "changes.html", changes, N_("Changes"), is_of_hits=True),)
DOWNLOADS = (Download("/changes.rss", rss),)
