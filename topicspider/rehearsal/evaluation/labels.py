"""Who says what each page of an archived web is about: labels, a synthetic web's truth, or else another page scorer.

Labels and truth are independent of the crawl's own scorer. Another scorer than the crawl's is no evidence, and every output says so.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.warc import SYNTHETIC
from topicspider.rehearsal.evaluation.reach import is_page, page_behind
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.url import canonicalize, fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from topicspider.rehearsal.archive.archived_web import ArchivedWeb
    from topicspider.rehearsal.synthetic.web import SyntheticWeb
    from topicspider.topic.profile import TopicProfile

    Topics = tuple[str, ...] | None

PAGE_KIND = "page"


class Verdict(StrEnum):
    """What a page is to the topic. NEITHER: a hub, a redirect, or a page of which nobody knows."""

    HIT = "hit"
    MISS = "miss"
    NEITHER = "neither"


class Labels(Protocol):
    """Says of every page of one web whether it is on one topic; the same answer whenever it is asked."""

    name: str
    """What is printed: a labels file's name, ``truth``, or a scorer's name."""

    is_evidence: bool
    """False when one of our own scorers judges."""

    digest: str
    """Changes when any verdict may have changed."""

    labelled: int
    """How many URLs have labels that say hit or miss; 0 when there is no file of labels."""

    unmatched: int
    """How many of those are no page of the web and redirect to none."""

    def verdict(self, url: str) -> Verdict:
        """Of a canonical URL; NEITHER for one that was never heard of."""

    def targets(self) -> Collection[str]:
        """Every page of the web that is a HIT, canonical, each once; never empty."""


def find_labels(file: Path | None, spec: str, web: ArchivedWeb, profile: TopicProfile, scorer: str) -> Labels:
    """The most independent labels there are of ``web`` (called ``spec``); ``scorer``: the crawl's, which must not judge itself.

    Raises ConfigError when there is nothing to find: labels that match no page, a topic without a page on it.
    """
    if file is not None:
        return LabelsFile.read(file, profile.topic.name, web)
    if spec.startswith(SYNTHETIC):
        from topicspider.rehearsal.synthetic.web import SyntheticWeb

        return SyntheticTruth(SyntheticWeb.read(spec.removeprefix(SYNTHETIC)), profile.topic.name)
    return ScorerLabels(profile, scorer, web)


class LabelsFile:
    """Independent labels, one JSON object a line: ``url``, ``kind``, ``topics``.

    Only kind ``page`` (also when there is no kind) is a hit or a miss: on the topic, or with ``topics`` that lack it. All other
    kinds are neither: ``topic-list`` and ``directory`` are hubs, whose worth is where they lead; ``list`` (home pages, archives by
    date) shows a mixture; a ``redirect`` has nothing to read. ``topics`` null is unknown, and neither.
    """

    is_evidence = True

    def __init__(self, name: str, digest: str, verdicts: Mapping[str, Verdict], labelled: int, unmatched: int) -> None:
        self.name = name
        self.digest = digest
        self.labelled, self.unmatched = labelled, unmatched
        self._verdicts = verdicts
        self._targets = frozenset(url for url, verdict in verdicts.items() if verdict is Verdict.HIT)

    @classmethod
    def read(cls, path: Path, topic: str, web: ArchivedWeb) -> LabelsFile:
        """The labels of ``topic`` (a topic's name) for the pages of ``web``; of two lines for one URL the later counts.

        A label of a URL that redirects to a page (http to https, for one) is that page's, unless it has one of its own. Raises
        ConfigError: no such file, a line that is no JSON object or has no ``url``, no label for any page
        of the web, no page of the web on the topic.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigError("labels", str(path), f"a JSONL file that can be read ({error.strerror})") from None
        labels = {url: topics for url, topics in _lines(path, data) if url}
        by_page, unmatched = _by_page(labels, web)
        if not by_page:
            raise ConfigError(
                "labels",
                str(path),
                f"labels of pages of {web.name}",
                f"None of its {len(labels)} URLs is a page there; the first: {next(iter(labels), 'none')}.",
            )
        verdicts = {url: _verdict(topics, topic) for url, topics in by_page.items()}
        if Verdict.HIT not in verdicts.values():
            raise _no_target(topic, path, by_page)
        digest = blake2b(data + b"\0" + topic.encode(), digest_size=8).hexdigest()
        labelled = sum(topics is not None for topics in labels.values())
        return cls(path.name, digest, verdicts, labelled, unmatched)

    def verdict(self, url: str) -> Verdict:
        """See Labels."""
        return self._verdicts.get(url, Verdict.NEITHER)

    def targets(self) -> Collection[str]:
        """See Labels."""
        return self._targets


class SyntheticTruth:
    """The truth of a synthetic web, computed for each page when asked; of its million pages only the targets are kept."""

    name = "truth"
    is_evidence = True
    labelled = unmatched = 0

    def __init__(self, web: SyntheticWeb, topic: str) -> None:
        """Walks over the whole web once (12 s of CPU a million pages); raises ConfigError when no page is on ``topic``."""
        self._web = web
        self._topic = topic
        self._targets = frozenset(web.pages_on(topic))
        if not self._targets:
            raise ConfigError("topic", topic, f"a topic of the made web: {', '.join(web.topics())}")
        self.digest = blake2b(f"{web.scale}\0{topic}".encode(), digest_size=8).hexdigest()

    def verdict(self, url: str) -> Verdict:
        """See Labels; by the rule of LabelsFile."""
        truth = self._web.truth(url)
        return Verdict.NEITHER if truth is None or truth.kind != PAGE_KIND else _verdict(truth.topics, self._topic)

    def targets(self) -> Collection[str]:
        """See Labels."""
        return self._targets


class ScorerLabels:
    """Judges by another page scorer than the crawl's: a hint where there are no labels, no evidence.

    Both scorers know the same topic words, so that what one of them wrongly likes the other may like as well. Every page that
    can be read is a hit or a miss, lists too.
    """

    is_evidence = False
    labelled = unmatched = 0

    def __init__(self, profile: TopicProfile, crawl_scorer: str, web: ArchivedWeb) -> None:
        """Reads the whole web; raises ConfigError when no page is a hit."""
        self.name = "vsm" if crawl_scorer == "bm25" else "bm25"
        self._judge = PageJudge(profile, self.name)
        self._web = web
        self._verdicts: dict[str, Verdict] = {}
        identity = f"{self.name}\0{self._judge.threshold!r}\0{profile.digest}\0{web.digest}"
        self.digest = blake2b(identity.encode(), digest_size=8).hexdigest()
        self._targets = frozenset(url for url in web.urls() if self.verdict(url) is Verdict.HIT)
        if not self._targets:
            raise ConfigError(
                "topic",
                profile.topic.name,
                f"a topic of pages of {web.name}",
                f"By {self.name} no page there is on it.",
            )

    def verdict(self, url: str) -> Verdict:
        """See Labels."""
        verdict = self._verdicts.get(url)
        if verdict is None:
            verdict = self._verdicts[url] = self._judged(url)
        return verdict

    def targets(self) -> Collection[str]:
        """See Labels."""
        return self._targets

    def _judged(self, url: str) -> Verdict:
        features = self._web.answer(url).features
        if features is None:
            return Verdict.NEITHER
        words = PageWords(title=features.title_words, body=features.body_words)
        return Verdict.HIT if self._judge.judge(words).on_topic else Verdict.MISS


class _LabelledPages:
    """Finds the pages of some thousand labels while reading only the few that the web's list and graph leave open."""

    def __init__(self, urls: Collection[str], web: ArchivedWeb) -> None:
        """``urls``: of the labels, canonical."""
        self._web = web
        self._listed = {url for url in web.urls() if url in urls}

    def page_of(self, url: str) -> str:
        """The URL of the page that a label of ``url`` speaks of; "" when there is none."""
        if url in self._listed and is_page(url, self._web):
            return url
        links = self._web.graph().get(fingerprint(url))
        if links is None:
            return ""
        # of a WARC that joins http and https, all labels may be of the other scheme: none of them is read
        target = self._urls.get(links[0], "") if len(links) == 1 and url not in self._listed else ""
        target_links = self._web.graph().get(links[0]) if target else None
        return target if target_links is not None and len(target_links) != 1 else page_behind(url, self._web)

    @cached_property
    def _urls(self) -> dict[int, str]:
        return {fingerprint(url): url for url in self._web.urls()}


def _by_page(labels: Mapping[str, Topics], web: ArchivedWeb) -> tuple[dict[str, Topics], int]:
    """Topics by page of the web, and how many labels that say something are of none."""
    pages = _LabelledPages(labels, web)
    page_of = {url: pages.page_of(url) for url in labels}
    by_page = {url: labels[url] for url, page in page_of.items() if page == url}
    for url, page in page_of.items():
        if page and labels[url] is not None:  # that a redirect has no topics says nothing of where it leads
            by_page.setdefault(page, labels[url])
    return by_page, sum(not page and labels[url] is not None for url, page in page_of.items())


def _verdict(topics: Topics, topic: str) -> Verdict:
    if topics is None:
        return Verdict.NEITHER
    return Verdict.HIT if topic in topics else Verdict.MISS


def _lines(path: Path, data: bytes) -> Iterator[tuple[str, Topics]]:
    """(canonical URL, topics); the URL is "" when no crawl could ever fetch it, topics None when it is neither hit nor miss."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            where = f"labels, {path}:{number}"
            label = _label(where, line)
            yield canonicalize(label["url"]) or "", _topics(where, label)


def _label(where: str, line: bytes) -> Mapping[str, Any]:
    shown = line[:200].decode("utf-8", "replace")
    try:
        label = json.loads(line)
    except (ValueError, RecursionError):
        raise ConfigError(where, shown, "a line of JSON") from None
    if not isinstance(label, dict) or not isinstance(label.get("url"), str) or not label["url"].strip():
        raise ConfigError(where, shown, 'an object with a "url"')
    return label


def _topics(where: str, label: Mapping[str, Any]) -> Topics:
    topics = label.get("topics")
    if topics is None or (label.get("kind") or PAGE_KIND) != PAGE_KIND:
        return None
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise ConfigError(f"{where}: topics", topics, "a list of names of topics, or null for unknown")
    return tuple(sys.intern(topic) for topic in topics)


def _no_target(topic: str, path: Path, by_page: Mapping[str, Topics]) -> ConfigError:
    """The error that names the topics there are, the most frequent first."""
    counts = Counter(name for topics in by_page.values() for name in dict.fromkeys(topics or ()))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(f"{name} ({count})" for name, count in ranked[:10])
    return ConfigError(
        "topic", topic, f"a topic with pages in {path.name}", f"The topics of its pages: {names or 'none at all'}."
    )
