"""The figures of a running crawl, declared once, and the text in which Prometheus gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

# seconds: a page of a fast host takes .05 to .5, the default limits are 10 for a silence and 60 for a page
BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
PREFIX = "topicspider_"
_DOWNLOAD_HELP = "From the beginning of a download to its last byte."


def download_histogram() -> Histogram:
    """Seconds that downloads took; in no registry, since each exposition has its own."""
    return Histogram(f"{PREFIX}download_seconds", _DOWNLOAD_HELP, buckets=BOUNDS, registry=None)


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
    download_seconds: Histogram = _figure(download_histogram, HISTOGRAM, _DOWNLOAD_HELP)  # noqa: RUF009 - a field
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


CRAWL = "crawl"


class Exposition:
    """Asks ``look`` each time somebody asks for the text. ``facts`` are said of the crawl as a whole, once.

    A registry of its own: nothing of other libraries, and no state shared between two crawls of a process.
    """

    def __init__(self, crawl: str, facts: Mapping[str, str], look: Callable[[], Figures]) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_CrawlCollector(crawl, facts, look))
        ProcessCollector(registry=self._registry)  # memory, CPU, open files: process_*

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """The text and its content type, in the form that ``accept`` (a header) asks for."""
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type


class _CrawlCollector(Collector):
    """Every metric has the label ``crawl``; the values of other labels are few, for they are names of ours."""

    def __init__(self, crawl: str, facts: Mapping[str, str], look: Callable[[], Figures]) -> None:
        self._crawl = crawl
        self._facts = facts
        self._look = look

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[Any]:
        info = InfoMetricFamily(f"{PREFIX}crawl", "What crawls: a fact a label.", labels=[CRAWL])
        info.add_metric([self._crawl], dict(self._facts))
        yield info
        figures = self._look()
        for name, family in families().items():
            yield self._metric(family, getattr(figures, name))

    def _metric(self, family: Family, value: Any) -> Any:
        if family.kind == HISTOGRAM:
            return self._histogram(family, value)
        kind = CounterMetricFamily if family.kind == COUNTER else GaugeMetricFamily
        metric = kind(family.name, family.help, labels=[CRAWL, family.label] if family.label else [CRAWL])
        if not family.label:
            metric.add_metric([self._crawl], value)
            return metric
        for name, number in value.items():
            metric.add_metric([self._crawl, name], number)
        return metric

    def _histogram(self, family: Family, durations: Histogram) -> HistogramMetricFamily:
        (measured,) = durations.collect()
        buckets = [(one.labels["le"], one.value) for one in measured.samples if one.name.endswith("_bucket")]
        total = next(one.value for one in measured.samples if one.name.endswith("_sum"))
        metric = HistogramMetricFamily(family.name, family.help, labels=[CRAWL])
        metric.add_metric([self._crawl], buckets, total)
        return metric
