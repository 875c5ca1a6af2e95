"""The catalogue: the classes of the 中图分类法 as a map, with what crawls have found of each; what to crawl can be chosen there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from topicspider.cli.topics import title_of
from topicspider.cli.topics_coverage import Coverage, coverage_of
from topicspider.i18n import N_
from topicspider.serve.site import Data, Fields, Site, View
from topicspider.serve.stored import UntilWritten, crawled_topics, folders, store_in
from topicspider.serve.topic_map import SHADES
from topicspider.topic.catalogue import nearest_class
from topicspider.topic.class_topics import class_topics, search_classes
from topicspider.topic.loading import shipped_topics
from topicspider.topic.profile import Topic

KEPT: UntilWritten[list[Coverage]] = UntilWritten()


def catalogue(site: Site, fields: Fields) -> Data:
    """Every letter with its classes (or those found by ``q``: word, number, pinyin initials): pages, hits, waiting links of all crawls."""
    wanted = fields.get("q", "").strip()[:200]
    shown = set(search_classes(wanted)) if wanted else None
    found = _found(site)
    topics = [topic for topic in class_topics() if shown is None or topic.clc in shown]
    letters = [topic for topic in class_topics(1) if any(one.clc[:1] == topic.clc for one in topics)]
    most = max((one.hits for one in found.values()), default=0) or 1
    told = [
        {**_told(letter, found, most), "classes": [_told(one, found, most) for one in topics if one.clc[:1] == letter.clc and one.clc != letter.clc]}
        for letter in letters
    ]  # fmt: skip
    reached = sum(one.hits > 0 for one in found.values())
    return {"q": wanted, "letters": told, "reached": reached, "count": len(class_topics())}


def _found(site: Site) -> Mapping[str, Coverage]:
    """What all crawls of its topics have found, by class number. A topic file may belong to a class, as tourism does to F59."""
    every = {topic.name: topic for topic in (*shipped_topics(), *class_topics()) if topic.clc}
    sums = {topic.clc: Coverage(topic) for topic in class_topics()}
    for folder in folders(site):
        with store_in(site, folder) as store:
            crawled = [every[name] for name in crawled_topics(folder, store) if name in every]
            covered = KEPT.of(folder, store, partial(coverage_of, crawled, folder, site.options)) if crawled else []
        for one in covered:
            if one.pages and (number := nearest_class(one.topic.clc)):
                before = sums[number]
                counts = (before.pages + one.pages, before.hits + one.hits, before.queued + one.queued)
                sums[number] = Coverage(one.topic, *counts)
    return sums


def _told(topic: Topic, found: Mapping[str, Coverage], most: int) -> Data:
    one = found[topic.clc]
    shade = min(SHADES - 1, int(SHADES * one.hits / one.pages)) if one.pages else 0
    named = {"class": topic.clc, "topic": topic.name, "found": one.topic.name, "title": title_of(topic)}
    counts = {"pages": one.pages, "hits": one.hits, "queued": one.queued}
    return named | counts | {"shade": shade, "share": one.hits / most}


VIEWS = (View("/catalogue", "catalogue.html", catalogue, N_("Catalogue"), is_of_hits=True),)
