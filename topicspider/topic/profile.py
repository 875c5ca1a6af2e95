"""What a topic is: the checked content of its file, then what was learned from it before the crawl."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


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
class SiteAccess:
    """How one host is reached: through a proxy, or with a login whose password is in the environment."""

    proxy: str = ""
    user: str = ""
    password_env: str = ""


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
    urls: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    page_threshold: float | None = None
    link_threshold: float | None = None
    page_thresholds: Mapping[str, float] = field(default_factory=dict)
    link_thresholds: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    sites: Mapping[str, SiteAccess] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class TopicProfile:
    """What a crawl knows of its topic before the first page ((a) Li 2002, "before the crawl, learn").

    ``weights``: feature word to weight in (0, 1], the strongest is 1; words are normalised and cut as
    pages are. ``synonyms``: word to the feature word it stands for. ``negative``: word to penalty in
    (0, 1]. ``idf``: feature word to inverse document frequency. ``digest`` changes when anything does.
    """

    topic: Topic
    weights: Mapping[str, float]
    synonyms: Mapping[str, str]
    negative: Mapping[str, float]
    idf: Mapping[str, float]
    digest: str
