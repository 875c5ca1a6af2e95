"""Who judges a rehearsal: what each page of the web really is, as far as anybody knows.

A judge by labels or by a made web's truth is independent of the crawl's own scorer. Without either, another scorer than the
guide judges; that is no evidence, and every output says so.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from topicspider.errors import ConfigError
from topicspider.rehearsal.evaluation.labelled_pages import LabelledPages
from topicspider.relevance.judgement import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.url.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.synthetic.web import SyntheticWeb
    from topicspider.topic.profile import TopicProfile

PAGE_KIND = "page"
_SHOWN = 10


class Verdict(StrEnum):
    """What a page is to the topic. NEITHER: a hub, a redirect, or a page of which nobody knows."""

    HIT = "hit"
    MISS = "miss"
    NEITHER = "neither"


class Judge(Protocol):
    """Says of every page of one web whether it is on one topic; the same answer whenever it is asked."""

    name: str
    """What is printed: a labels file's name, ``truth``, or a scorer's name."""

    is_evidence: bool
    """False when the judge is one of our own scorers."""

    digest: str
    """Changes when any verdict may have changed."""

    labelled: int
    """How many URLs have labels that say hit or miss; 0 when the judge has no labels."""

    strangers: int
    """How many of those are no page of the web and redirect to none."""

    def verdict(self, url: str) -> Verdict:
        """Of a canonical URL; NEITHER for one that the judge has never heard of."""

    def targets(self) -> Collection[str]:
        """Every page of the web that is a HIT, canonical, each once; never empty."""


class LabelsFile:
    """Independent labels, one JSON object a line: ``url``, ``kind``, ``topics``.

    Only kind ``page`` (also when there is no kind) is a hit or a miss: on the topic, or with ``topics`` that lack it. All other
    kinds are neither: ``topic-list`` and ``directory`` are hubs, whose worth is where they lead; ``list`` (home pages, archives by date)
    shows a mixture, so that being on topic is not said of it, and labels mostly leave its topics open; a ``redirect`` has
    nothing to read. ``topics`` null is unknown, and neither.
    """

    is_evidence = True

    def __init__(self, name: str, digest: str, verdicts: Mapping[str, Verdict], labelled: int, strangers: int) -> None:
        self.name = name
        self.digest = digest
        self.labelled, self.strangers = labelled, strangers
        self._verdicts = verdicts
        self._targets = frozenset(url for url, verdict in verdicts.items() if verdict is Verdict.HIT)

    @classmethod
    def read(cls, path: Path, topic: str, web: ArchivedWeb) -> LabelsFile:
        """The labels of ``topic`` (a topic's name) for the pages of ``web``; of two lines for one URL the later counts.

        A label of a URL that redirects to a page (http to https, for one) is that page's, unless it has one of its own. Raises
        ConfigError: no such file, a line that is no JSON object or has no ``url``, no label for any page
        of the web, no page of the web on the topic.
        """
        data = _bytes_of(path)
        labels = {url: topics for url, topics in _lines(path, data) if url}
        known, strangers = _by_page(labels, web)
        if not known:
            raise ConfigError(
                "labels",
                str(path),
                f"labels of pages of {web.name}",
                f"None of its {len(labels)} URLs is a page there; the first: {next(iter(labels), 'none')}.",
            )
        verdicts = {url: _verdict(topics, topic) for url, topics in known.items()}
        if Verdict.HIT not in verdicts.values():
            raise _no_target(topic, path, known)
        digest = blake2b(data + b"\0" + topic.encode(), digest_size=8).hexdigest()
        labelled = sum(topics is not None for topics in labels.values())
        return cls(path.name, digest, verdicts, labelled, strangers)

    def verdict(self, url: str) -> Verdict:
        """See Judge."""
        return self._verdicts.get(url, Verdict.NEITHER)

    def targets(self) -> Collection[str]:
        """See Judge."""
        return self._targets


class SyntheticTruth:
    """The truth of a made web, computed for each page when asked; of its million pages only the targets are kept."""

    name = "truth"
    is_evidence = True
    labelled = strangers = 0

    def __init__(self, web: SyntheticWeb, topic: str) -> None:
        """Walks over the whole web once (12 s of CPU a million pages); raises ConfigError when no page is on ``topic``."""
        self._web = web
        self._topic = topic
        self._targets = frozenset(web.pages_on(topic))
        if not self._targets:
            raise ConfigError("topic", topic, f"a topic of the made web: {', '.join(web.topics())}")
        self.digest = blake2b(f"{web.scale}\0{topic}".encode(), digest_size=8).hexdigest()

    def verdict(self, url: str) -> Verdict:
        """See Judge; by the rule of LabelsFile."""
        truth = self._web.truth(url)
        if truth is None or truth.kind != PAGE_KIND:
            return Verdict.NEITHER
        return Verdict.HIT if self._topic in truth.topics else Verdict.MISS

    def targets(self) -> Collection[str]:
        """See Judge."""
        return self._targets


class ScorerLabels:
    """Judges by another page scorer than the one that guides the crawl: a hint where there are no labels, no evidence.

    Both scorers know the same topic words, so that what one of them wrongly likes the other may like as well. Every page that
    can be read is a hit or a miss, lists too.
    """

    is_evidence = False
    labelled = strangers = 0

    def __init__(self, profile: TopicProfile, guide: str, web: ArchivedWeb) -> None:
        """``guide``: the page scorer of the crawl. Reads the whole web; raises ConfigError when no page is a hit."""
        self.name = other_scorer(guide)
        self._judge = PageJudge(profile, self.name)
        self._web = web
        self._verdicts: dict[str, Verdict] = {}
        said = f"{self.name}\0{self._judge.threshold!r}\0{profile.digest}\0{web.digest}"
        self.digest = blake2b(said.encode(), digest_size=8).hexdigest()
        self._targets = frozenset(self._hits())
        if not self._targets:
            raise ConfigError(
                "topic",
                profile.topic.name,
                f"a topic of pages of {web.name}",
                f"By {self.name} no page there is on it.",
            )

    def verdict(self, url: str) -> Verdict:
        """See Judge."""
        known = self._verdicts.get(url)
        if known is None:
            known = self._verdicts[url] = self._read(url)
        return known

    def targets(self) -> Collection[str]:
        """See Judge."""
        return self._targets

    def _hits(self) -> Iterator[str]:
        return (url for url in self._web.urls() if self.verdict(url) is Verdict.HIT)

    def _read(self, url: str) -> Verdict:
        features = self._web.answer(url).features
        if features is None:
            return Verdict.NEITHER
        words = PageWords(title=features.title_words, body=features.body_words)
        return Verdict.HIT if self._judge.judge(words).on_topic else Verdict.MISS


def other_scorer(guide: str) -> str:
    """The scorer that judges when ``guide`` guides: bm25, and vsm for bm25."""
    return "vsm" if guide == "bm25" else "bm25"


def _by_page(
    labels: Mapping[str, tuple[str, ...] | None], web: ArchivedWeb
) -> tuple[dict[str, tuple[str, ...] | None], int]:
    """Topics by page of the web, and how many labels that say something are of none."""
    pages = LabelledPages(labels, web)
    named = {url: pages.page_of(url) for url in labels}
    known = {url: labels[url] for url, page in named.items() if page == url}
    for url, page in named.items():
        if page and labels[url] is not None:  # that a redirect has no topics says nothing of where it leads
            known.setdefault(page, labels[url])
    return known, sum(not page and labels[url] is not None for url, page in named.items())


def _verdict(topics: Sequence[str] | None, topic: str) -> Verdict:
    if topics is None:
        return Verdict.NEITHER
    return Verdict.HIT if topic in topics else Verdict.MISS


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError("labels", str(path), f"a JSONL file that can be read ({error.strerror})") from None


def _lines(path: Path, data: bytes) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """(canonical URL, topics); the URL is "" when no crawl could ever fetch it, topics None when it is neither hit nor miss."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            where = f"labels, {path}:{number}"
            label = _label(where, line)
            yield canonicalize(label["url"]) or "", _topics(where, label)


def _label(where: str, line: bytes) -> Mapping[str, Any]:
    try:
        label = json.loads(line)
    except (ValueError, RecursionError):
        raise ConfigError(where, _shown(line), "a line of JSON") from None
    if not isinstance(label, dict) or not isinstance(label.get("url"), str) or not label["url"].strip():
        raise ConfigError(where, _shown(line), 'an object with a "url"')
    return label


def _topics(where: str, label: Mapping[str, Any]) -> tuple[str, ...] | None:
    topics = label.get("topics")
    if topics is None or (label.get("kind") or PAGE_KIND) != PAGE_KIND:
        return None
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise ConfigError(f"{where}: topics", topics, "a list of names of topics, or null for unknown")
    return tuple(sys.intern(topic) for topic in topics)


def _shown(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace")


def _no_target(topic: str, path: Path, known: Mapping[str, Sequence[str] | None]) -> ConfigError:
    """The error that names the topics there are, the most frequent first."""
    counts = Counter(name for topics in known.values() for name in dict.fromkeys(topics or ()))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = ", ".join(f"{name} ({count})" for name, count in ranked[:_SHOWN])
    return ConfigError(
        "topic", topic, f"a topic with pages in {path.name}", f"The topics of its pages: {names or 'none at all'}."
    )
