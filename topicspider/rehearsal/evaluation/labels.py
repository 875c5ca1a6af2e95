"""Decides which pages of an archived web are on topic: by labels, by a synthetic web's truth, or else by another page scorer.

Labels and truth are independent of the crawl's own scorer. The verdicts of another scorer are no evidence, and every output says so.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path

from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.rehearsal.archive.archived_web import ArchivedWeb
from topicspider.rehearsal.archive.warc import SYNTHETIC
from topicspider.rehearsal.evaluation.reach import is_page, page_behind
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.topic.profile import TopicProfile
from topicspider.url import canonicalize

Topics = tuple[str, ...] | None
PAGE_KIND = "page"


class Verdict(StrEnum):
    """Whether a page is on topic (HIT) or not (MISS). NEITHER: a hub, a redirect, or a page without a label."""

    HIT = "hit"
    MISS = "miss"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Labels:
    """The verdicts on the pages of one web for one topic.

    ``name`` is printed: a labels file's name, ``truth``, or a scorer's name. ``is_evidence``: False when one of our own scorers
    judged. ``digest`` changes when any verdict may have changed. ``verdicts``: by canonical URL. ``labelled``: how many URLs of a file
    have labels that say hit or miss; ``unmatched``: how many of those are no page of the web and redirect to none.
    """

    name: str
    is_evidence: bool
    digest: str
    verdicts: Mapping[str, Verdict]
    labelled: int = 0
    unmatched: int = 0

    def verdict(self, url: str) -> Verdict:
        """The verdict on a canonical URL; NEITHER for an unknown one."""
        return self.verdicts.get(url, Verdict.NEITHER)

    def targets(self) -> Collection[str]:
        """Every page of the web that is a HIT, canonical, each once; never empty."""
        return {url for url, verdict in self.verdicts.items() if verdict is Verdict.HIT}


def find_labels(file: Path | None, spec: str, web: ArchivedWeb, profile: TopicProfile, scorer: str) -> Labels:
    """The most independent labels of ``web`` (opened as ``spec``): ``file``, its truth, or another page scorer than the crawl's ``scorer``.

    Raises ConfigError when labels match no page, or no page is on topic.
    """
    if file is not None:
        return labels_of_file(file, profile.topic.name, web)
    if spec.startswith(SYNTHETIC):
        return labels_of_truth(SyntheticWeb.read(spec.removeprefix(SYNTHETIC)), profile.topic.name)
    return labels_of_scorer(profile, scorer, web)


def labels_of_file(path: Path, topic: str, web: ArchivedWeb) -> Labels:
    """Labels from a file with a JSON object a line: ``url``, ``kind``, ``topics``. Of several lines of a URL, the last counts.

    A URL of kind ``page`` (the default) is a hit when ``topics`` has the name ``topic``, and a miss when it lacks it. Other kinds (hubs,
    lists, redirects) and URLs with ``topics`` null are neither. The label of a URL that redirects to a page (as http to https) is that of
    the page, unless the page has its own. Raises ConfigError: no such file, a bad line, no page of the web, no page on the topic.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError("labels", str(path), _("a JSONL file that can be read ({why})", why=error.strerror)) from None
    labels = {url: topics for url, topics in _lines(path, data) if url}
    by_page, unmatched = _by_page(labels, web)
    if not by_page:
        why = _(
            "None of its {count} URLs is a page there; the first: {url}.",
            count=len(labels),
            url=next(iter(labels), "-"),
        )
        raise ConfigError("labels", str(path), _("labels of pages of {name}", name=web.name), why)
    verdicts = {url: _verdict(topics, topic) for url, topics in by_page.items()}
    if Verdict.HIT not in verdicts.values():
        counts = Counter(name for topics in by_page.values() for name in dict.fromkeys(topics or ()))
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
        there = _(
            "The topics of its pages: {names}.",
            names=", ".join((f"{name} ({count})" for name, count in ranked)) or _("none"),
        )
        raise ConfigError("topic", topic, _("a topic with pages in {path}", path=path.name), there)
    labelled = sum(topics is not None for topics in labels.values())
    return Labels(path.name, True, _digest(data, topic), verdicts, labelled, unmatched)


def labels_of_truth(web: SyntheticWeb, topic: str) -> Labels:
    """Labels from the truth of a synthetic web, by the rules of labels_of_file; raises ConfigError when no page is on ``topic``."""
    verdicts = {url: _verdict(truth.topics, topic) for url, truth in web.labels() if truth.kind == PAGE_KIND}
    if Verdict.HIT not in verdicts.values():
        raise ConfigError("topic", topic, _("a topic of the simulated web: {names}", names=", ".join(web.scale.topics)))
    return Labels("truth", True, _digest(web.scale, topic), verdicts)


def labels_of_scorer(profile: TopicProfile, crawl_scorer: str, web: ArchivedWeb) -> Labels:
    """Labels by another page scorer than the crawl's: a hint and no evidence, because both scorers may make the same mistakes.

    Reads the whole web. Every readable page is a hit or a miss, lists too. Raises ConfigError when no page is a hit.
    """
    name = "vsm" if crawl_scorer == "bm25" else "bm25"
    judge = PageJudge(profile, name)
    verdicts = {}
    for url in web.urls():
        if (features := web.answer(url).features) is not None:
            words = PageWords.of(features)
            verdicts[url] = Verdict.HIT if judge.judge(words).on_topic else Verdict.MISS
    if Verdict.HIT not in verdicts.values():
        topic = profile.topic.name
        hint = _("By {name} no page there is on it.", name=name)
        raise ConfigError("topic", topic, _("a topic of pages of {name}", name=web.name), hint)
    return Labels(name, False, _digest(name, judge.threshold, profile.digest, web.digest), verdicts)


def _digest(*parts: object) -> str:
    return blake2b("\0".join(map(repr, parts)).encode(), digest_size=8).hexdigest()


def _by_page(labels: Mapping[str, Topics], web: ArchivedWeb) -> tuple[dict[str, Topics], int]:
    """The topics by page of the web, and how many labels with topics match no page."""
    page_of = {url: url if is_page(url, web) else page_behind(url, web) for url in labels}
    by_page = {url: labels[url] for url, page in page_of.items() if page == url}
    for url, page in page_of.items():
        if page and labels[url] is not None:  # null topics of a redirect say nothing about its target
            by_page.setdefault(page, labels[url])
    return by_page, sum(not page and labels[url] is not None for url, page in page_of.items())


def _verdict(topics: Topics, topic: str) -> Verdict:
    if topics is None:
        return Verdict.NEITHER
    return Verdict.HIT if topic in topics else Verdict.MISS


def _lines(path: Path, data: bytes) -> Iterator[tuple[str, Topics]]:
    """Yield (canonical URL, topics): the URL is "" when no crawl can fetch it, topics None when it is neither hit nor miss."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            label = json.loads(line)
            url, topics, kind = label["url"].strip(), label.get("topics"), label.get("kind") or PAGE_KIND
            is_list = isinstance(topics, list) and all(isinstance(topic, str) for topic in topics)
            is_label = bool(url) and (is_list or topics is None)
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            is_label = False
        if not is_label:
            allowed = (
                'a line of JSON, an object with a "url" and "topics": a list of names of topics, or null for unknown'
            )
            raise ConfigError(f"labels, {path}:{number}", line[:200].decode("utf-8", "replace"), allowed)
        yield (
            canonicalize(url) or "",
            tuple(map(sys.intern, topics)) if topics is not None and kind == PAGE_KIND else None,
        )
