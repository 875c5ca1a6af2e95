"""What a topic is: the checked content of its file, what was learned from it before the crawl, and the model that pages are judged by."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a crawl of a topic may go; None is no limit."""

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
    """A topic file, checked; see docs/topics.md for the meaning of each key.

    ``page_thresholds`` are those given for single scorers, ``link_thresholds`` for single policies.
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
    """What a crawl knows of its topic before the first page ((a) Li 2002, "before the crawl, learn").

    ``weights``: feature word to weight in (0, 1], the strongest is 1; words are normalised and cut as pages are. ``synonyms``: word to the
    feature word it stands for. ``negative``: word to penalty in (0, 1]. ``idf``: feature word to inverse document frequency.
    """

    topic: Topic
    weights: Mapping[str, float]
    synonyms: Mapping[str, str]
    negative: Mapping[str, float]
    idf: Mapping[str, float]
    digest: str


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word that expansion added: ``weight`` in (0, 1], as feature words have, and the feature word ``of`` that it is near to."""

    weight: float
    of: str


@dataclass(frozen=True, slots=True)
class TopicModel:
    """What judges are built from; compiled once a topic and kept by ``digest`` (topic.compiling).

    ``expansion``: words near the feature words, none of which is one. ``vector``: the topic's direction among the word vectors, of
    length 1, or () when they have none of its words. ``url_words``: how a feature word is spelt in addresses (lvyou) to the word itself.
    ``others``: the directions of other topics, less what they have in common with this one. ``parts``: those of the parts of a name
    alone, none for a name in one piece. ``digest`` changes when the profile or the word vectors do.
    """

    profile: TopicProfile
    expansion: Mapping[str, NearWord] = field(default_factory=dict)
    vector: tuple[float, ...] = ()
    url_words: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    others: tuple[tuple[float, ...], ...] = ()
    parts: tuple[tuple[float, ...], ...] = ()


def crawl_name(*topics: str) -> str:
    """The name of a crawl of ``topics`` together: joined by ``+``, or the branch that they are (T*, clc), as a file's name has an end."""
    from topicspider.topic.catalogue import pattern_of  # reads YAML: not for the help of commands

    return pattern_of([topic.replace("_", "/") for topic in topics]) or "+".join(topics)


def folder_name(*topics: str) -> str:
    """The name, in the folder of all results, of the folder of a crawl of ``topics`` together; letters of any script that file names may have stay."""
    is_any = sys.getfilesystemencoding() == "utf-8"
    letters = crawl_name(*topics)
    return "".join(x if x.isalnum() and (is_any or x.isascii()) else quote(x, safe="+") for x in letters)
