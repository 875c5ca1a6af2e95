"""Every figure of a running crawl that is told to Prometheus, declared once: name, kind, help, label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from topicspider.metrics.durations import Durations

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
PREFIX = "topicspider_"


@dataclass(frozen=True, slots=True)
class Family:
    """One metric. A counter's samples end in ``_total``; ``label`` "" is a single value, else the field is a mapping."""

    name: str
    kind: str
    help: str
    label: str = ""


def _figure(default: Any, kind: str, help: str, label: str = "") -> Any:  # noqa: A002
    """``default``: a number, or what makes one."""
    told = {"kind": kind, "help": help, "label": label}
    return field(default_factory=default, metadata=told) if callable(default) else field(default=default, metadata=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One look at a crawl. The values of a label are names of ours: never a URL, a host or a word of a page.

    Counters are of this run and process; the queue is that of the whole crawl, of all nodes and runs.
    """

    # what came
    pages: int = _figure(0, COUNTER, "Pages fetched and judged.")
    hits: int = _figure(0, COUNTER, "Pages that at least one topic keeps, near-duplicates not counted.")
    near_duplicates: int = _figure(0, COUNTER, "Pages that are near-duplicates of earlier hits.")
    harvest_ratio: float = _figure(0.0, GAUGE, "Hits a page in this run, 0 to 1.")
    recent_harvest_ratio: float = _figure(0.0, GAUGE, "Hits a page among the last 100, 0 to 1.")
    earlier_pages: int = _figure(0, GAUGE, "Pages that earlier runs had fetched when this one began.")
    max_pages: int = _figure(0, GAUGE, "How many pages the crawl may fetch, earlier runs included; 0 is no limit.")
    hosts: int = _figure(0, GAUGE, "Hosts with a page in this run.")
    hosts_with_hits: int = _figure(0, GAUGE, "Hosts with a hit in this run.")
    errors: Mapping[str, int] = _figure(dict, COUNTER, "Attempts at a URL that ended without a page.", "reason")
    # links
    links: int = _figure(0, COUNTER, "Links judged.")
    links_kept: int = _figure(0, COUNTER, "Links that survived judging.")
    links_pruned: Mapping[str, int] = _figure(dict, COUNTER, "Links that were pruned.", "reason")
    # the queue
    queue_urls: Mapping[str, int] = _figure(dict, GAUGE, "URLs of the whole crawl by where they are.", "state")
    queue_pages: int = _figure(0, GAUGE, "Pages of the whole crawl: all nodes, all runs.")
    queue_hosts: int = _figure(0, GAUGE, "Hosts that the queue has heard of.")
    requests_in_work: int = _figure(0, GAUGE, "URLs that this process has begun, until their page is stored.")
    frontier_calls: int = _figure(0, COUNTER, "Conversations with the frontier.")
    frontier_call_seconds: float = _figure(0.0, COUNTER, "Time spent in conversations with the frontier.")
    frontier_away: int = _figure(0, GAUGE, "1 while the frontier does not answer.")
    # the network
    download_seconds: Durations = _figure(  # noqa: RUF009 - a field
        Durations, HISTOGRAM, "From the beginning of a download to its last byte."
    )
    downloaded_bytes: int = _figure(0, COUNTER, "Bytes of answers, robots.txt included.")
    downloads: int = _figure(0, GAUGE, "Downloads under way.")
    resting_hosts: Mapping[str, int] = _figure(dict, GAUGE, "Hosts that rest now, by why.", "why")
    # the store
    store_rows: Mapping[str, int] = _figure(dict, COUNTER, "Rows that the store took or refused as bad.", "result")
    store_rows_waiting: Mapping[str, int] = _figure(
        dict, GAUGE, "Rows not in the store yet, by where they are.", "place"
    )
    store_away: int = _figure(0, GAUGE, "1 while the store does not answer.")
    # this process
    loop_lag_seconds: float = _figure(0.0, GAUGE, "How late the event loop was, at worst in the last minute.")
    stalled: int = _figure(0, GAUGE, "1 while the crawl is slow or stands still and the log says why.")
    started_timestamp_seconds: float = _figure(0.0, GAUGE, "When this run began, in seconds since 1970.")


def families() -> dict[str, Family]:
    """Field of Figures to the metric that it becomes."""
    return {
        one.name: Family(PREFIX + one.name, one.metadata["kind"], one.metadata["help"], one.metadata["label"])
        for one in fields(Figures)
    }
