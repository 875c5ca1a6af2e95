"""The records of a topic: its checked file (Topic), what is learned from it (TopicProfile), the model that judges pages (TopicModel)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a topic's crawl; None or () means no limit."""

    depth: int | None = None
    pages: int | None = None
    pages_per_host: int | None = None
    allow_hosts: tuple[str, ...] = ()
    deny_hosts: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    max_bytes: int | None = None
    newer_than: date | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """The checked content of a topic file; docs/topics.md explains each key.

    ``page_thresholds``: scorer to its threshold; ``link_thresholds``: link policy to its threshold.
    """

    name: str
    title: Mapping[str, str] = field(default_factory=dict)
    clc: str = ""
    scope: str = "broad"
    languages: tuple[str, ...] = ("zh",)
    terms: Mapping[str, float] = field(default_factory=dict)
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    negative: Mapping[str, float] = field(default_factory=dict)
    near: Mapping[str, float] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    page_threshold: float | None = None
    link_threshold: float | None = None
    page_thresholds: Mapping[str, float] = field(default_factory=dict)
    link_thresholds: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    hubs: str = "apart"
    source: str = ""


@dataclass(frozen=True, slots=True)
class TopicProfile:
    """What is learned of a topic before the crawl ((a) Li 2002, "before the crawl, learn").

    ``weights``: feature word to weight in (0, 1], the strongest is 1; words are normalised and segmented as pages are. ``synonyms``: word
    to the feature word it stands for. ``negative``: word to penalty in (0, 1]. ``idf``: feature word to inverse document frequency.
    """

    topic: Topic
    weights: Mapping[str, float]
    synonyms: Mapping[str, str]
    negative: Mapping[str, float]
    idf: Mapping[str, float]
    digest: str


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word added by expansion: ``weight`` in (0, 1], on the scale of feature words; ``of``: the feature word that it is near to."""

    weight: float
    of: str


@dataclass(frozen=True, slots=True)
class TopicModel:
    """What the judges of pages and links are built from; compiled once per topic and cached by ``digest`` (topic.compiling).

    ``expansion``: near word to its weight; no feature words. ``vector``: the topic's direction in the space of word vectors, of length 1,
    or () when none of its words has a vector. ``url_words``: spelling in URLs (lvyou) to feature word. ``others``: the directions of other
    topics, minus their projections on ``vector``. ``parts``: the directions of the parts of a name alone, () for a name of one part.
    ``digest`` changes with the profile and the word vectors.
    """

    profile: TopicProfile
    expansion: Mapping[str, NearWord] = field(default_factory=dict)
    vector: tuple[float, ...] = ()
    url_words: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    others: tuple[tuple[float, ...], ...] = ()
    parts: tuple[tuple[float, ...], ...] = ()


def crawl_name(*topics: str) -> str:
    """The name of a joint crawl of ``topics``: joined by ``+``, or short for a whole branch (T*, clc), as file names are limited."""
    from topicspider.topic.catalogue import pattern_of  # imports YAML, which commands' --help must not

    return pattern_of([topic.replace("_", "/") for topic in topics]) or "+".join(topics)


def folder_name(*topics: str) -> str:
    """The folder name of a joint crawl of ``topics``; letters that file names may not contain here are percent-encoded."""
    is_any = sys.getfilesystemencoding() == "utf-8"
    letters = crawl_name(*topics)
    return "".join(x if x.isalnum() and (is_any or x.isascii()) else quote(x, safe="+") for x in letters)
