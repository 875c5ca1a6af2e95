"""The topics that can be crawled, from files and from the store, with what was found of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from topicspider.cli.topics import SCOPES, title_of
from topicspider.errors import StoreUnavailable
from topicspider.i18n import N_, language
from topicspider.serve.site import Data, Fields, Site, View
from topicspider.serve.stored import UntilWritten, stores
from topicspider.store.maintenance import topics as counted_topics
from topicspider.store.topics import ConfiguredTopics
from topicspider.text.normalise import normalise
from topicspider.topic.catalogue import class_title
from topicspider.topic.loading import read_file, topic_files
from topicspider.topic.profile import Topic

KEPT: UntilWritten[list[tuple[str, int, int]]] = UntilWritten()


def topics(site: Site, fields: Fields) -> Data:
    """The topics whose name, title, class or terms have every word of ``q``; all topics without one."""
    wanted = normalise(fields.get("q", "")[:200]).split()
    pages: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for folder, store in stores(site, {}):
        for topic, *counts in KEPT.of(folder, store, partial(counted_topics, store.database)):
            pages[topic] += counts[0]
            hits[topic] += counts[1]
    told = [one for one in _all(site) if _has(wanted, one)]
    for one in told:
        one["pages"], one["hits"] = pages[one["name"]], hits[one["name"]]
    told.sort(key=lambda one: -one["hits"])  # topics without hits stay in the order of names
    return {"q": fields.get("q", ""), "topics": told}


def _all(site: Site) -> Iterator[Data]:
    """All topics, those of files first; ``trouble`` is the first error of a file that cannot be used."""
    files = topic_files(site.options.topics_dir)
    for _name, file in sorted(files.items()):
        topic, errors = read_file(file)
        yield {**_of(topic), "trouble": str(errors[0])} if errors else _of(topic)
    shelf = ConfiguredTopics(site.options)
    with suppress(StoreUnavailable):
        for name in shelf.names():
            if name not in files and (topic_there := shelf.find(name)) is not None:
                yield _of(topic_there)


def _of(topic: Topic) -> Data:
    return {
        "name": topic.name,
        "title": title_of(topic),
        "titles": list(topic.title.values()),
        "class": topic.clc,
        "class_title": class_title(topic.clc, language()) if topic.clc else "",
        "scope": SCOPES[topic.scope],
        "terms": list(topic.terms),
        "texts": len(topic.texts),
        "seeds": len(topic.seeds),
        "trouble": "",
    }


def _has(words: list[str], told: Data) -> bool:
    text = normalise(
        " ".join(str(one) for value in told.values() for one in (value if isinstance(value, list) else [value]))
    )
    return all(word in text for word in words)


VIEWS = (View("/topics", "topics.html", topics, N_("Topics"), is_of_hits=True),)
