"""Reads the labelled pages of the recorded sites, cut into words as a crawl of a topic cuts them.

They are in sites-dev.warc and sites-dev.labels.jsonl in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora. The sites are read once
for a topic's own words (some minutes of CPU), then they come from the cache of rehearsals.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.quality.extraction import corpora
from topicspider.rehearsal.archive.archived_web import ArchivedWeb, open_archived_web
from topicspider.rehearsal.archive.feature_file import PageFeatures
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.link_features import site_name
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic, protect_words
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic
from topicspider.url import canonicalize

TUNED = ("tourism", "food")
HELD_OUT = ("sport",)
TOPICS = (*TUNED, *HELD_OUT)
SITES = "sites-dev"
OWN_TOPICS = Path(__file__).parent / "relevance_topics"
"""Topic files written from general knowledge, for labels without a topic file in the program."""
_WEB, _LABELS = f"{SITES}.warc", f"{SITES}.labels.jsonl"


class LabelledPage(NamedTuple):
    """A page, and the topics under which its own site files it; () when it is on none of the labelled topics."""

    url: str
    topics: tuple[str, ...]
    features: PageFeatures

    @property
    def words(self) -> PageWords:
        """The words of the page, as a page judge gets them."""
        return PageWords.of(self.features, site_name(self.url))


def missing_pages() -> str:
    """The line that says why nothing can be measured; "" when pages and labels are there."""
    absent = " and ".join(name for name in (_WEB, _LABELS) if not (corpora() / name).is_file())
    return absent and f"no {absent} in {corpora()}: set TOPICSPIDER_CORPORA to measure pages"


def labelled_pages(
    topic: str,
    folder: Path | None = None,
    *,
    web: str,
    cache: Path | None = None,
    every: int = 1,
    say: Callable[[str], None] = lambda _line: None,
) -> list[LabelledPage]:
    """Every labelled page (or every ``every``-th), in the order of the labels, for judging it by ``topic`` (a name or path).

    ``web``: the name of its files. The segmenter knows a topic's words, so each topic cuts the pages in its own way. ``cache``: the folder
    of read pages, None for the usual one. Raises OSError or ConfigError when the files are missing (see missing_pages).
    """
    folder = folder or corpora()
    labels = page_labels(folder / f"{web}.labels.jsonl")
    place, processes = str(folder / f"{web}.warc"), os.cpu_count() or 1
    own = own_words_of(topic)
    with closing(open_archived_web(place, cache=cache, processes=processes, say=say, own_words=own)) as opened:
        return list(pages_of(opened, dict(list(labels.items())[::every])))


def is_own(topic: str) -> bool:
    """Whether the benchmarks have a file of this topic."""
    return (OWN_TOPICS / f"{topic}.yaml").is_file()


def topic_file(topic: str) -> str:
    """The argument of load_topic: a file of the benchmarks, else the name of a topic that comes with the program."""
    return str(OWN_TOPICS / f"{topic}.yaml") if is_own(topic) else topic


def own_words_of(topic: str) -> tuple[str, ...]:
    """The words that learning and compiling the topic add to the segmenter of a crawl."""
    segmenter = make_segmenter()
    protect_words(compile_topic(learn(load_topic(topic), segmenter)), segmenter)
    return tuple(segmenter.own_words)


def page_labels(path: Path) -> dict[str, tuple[str, ...]]:
    """The topics by canonical URL, of pages with known topics; lists, directories and redirects are left out."""
    labels = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            url = canonicalize(record["url"])
            if url and record["kind"] == "page" and record["topics"] is not None:
                labels[url] = tuple(record["topics"])
    return labels


def pages_of(web: ArchivedWeb, labels: Mapping[str, tuple[str, ...]]) -> Iterator[LabelledPage]:
    """The labelled pages that the web has and a crawl would take for pages, in the order of the labels."""
    for url, topics in labels.items():
        answer = web.answer(url)
        if answer.features is not None and answer.is_page:
            yield LabelledPage(url, topics, answer.features)
