"""The figures of a running crawl, each declared once, and their text for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Histogram, Info
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

# seconds: a page of a fast host takes .05 to .5, the default limits are 10 for a silence and 60 for a page
BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
CRAWL = "crawl"
PREFIX = "topicspider_"
COUNTER, GAUGE = CounterMetricFamily, GaugeMetricFamily


class Figure(NamedTuple):
    """One metric. A counter's samples end in ``_total``; with a ``label``, the value is a mapping from label values to numbers."""

    name: str
    kind: type[CounterMetricFamily | GaugeMetricFamily]
    help: str
    label: str = ""


FIGURES = (
    Figure("pages", COUNTER, "Pages fetched and judged."),
    Figure("hits", COUNTER, "Pages that at least one topic keeps, near-duplicates not counted."),
    Figure("harvest_ratio", GAUGE, "Hits a page in this run, 0 to 1."),
    Figure("recent_harvest_ratio", GAUGE, "Hits a page among the last 100, 0 to 1."),
    Figure("hosts_with_hits", GAUGE, "Hosts with a hit in this run."),
    Figure("errors", COUNTER, "Attempts at a URL that ended without a page.", "reason"),
    Figure("links_kept", COUNTER, "Links that survived judging."),
    Figure("links_pruned", COUNTER, "Links that were pruned.", "reason"),
    Figure("queue_urls", GAUGE, "URLs of the whole crawl by where they are.", "state"),
    Figure("queue_pages", GAUGE, "Pages of the whole crawl: all nodes, all runs."),
    Figure("queue_hosts", GAUGE, "Hosts that the queue has heard of."),
    Figure("frontier_calls", COUNTER, "Conversations with the frontier."),
    Figure("frontier_call_seconds", COUNTER, "Time spent in conversations with the frontier."),
    Figure("frontier_away", GAUGE, "1 while the frontier does not answer."),
    Figure("downloaded_bytes", COUNTER, "Bytes of answers, robots.txt included."),
    Figure("resting_hosts", GAUGE, "Hosts that rest now, by why.", "why"),
    Figure("store_rows", COUNTER, "Rows that the store took or refused as bad.", "result"),
    Figure("store_rows_waiting", GAUGE, "Rows not in the store yet, by where they are.", "place"),
    Figure("store_away", GAUGE, "1 while the store does not answer."),
    Figure("loop_lag_seconds", GAUGE, "How late the event loop was, at worst in the last minute."),
    Figure("stalled", GAUGE, "1 while the crawl is slow or stands still and the log says why."),
)
"""Label values are names of ours, never from pages (URL, host, word). Counters are of this run and process, the queue is the crawl's."""


class Exposition:
    """Calls ``look`` for the figures by name each time the text is asked for. ``facts`` describe the crawl as a whole.

    Every metric has the label ``crawl``. Each instance has its own registry, so two crawls in one process share no state.
    """

    def __init__(self, crawl: str, facts: Mapping[str, str], look: Callable[[], Mapping[str, Any]]) -> None:
        registry = self._registry = CollectorRegistry()
        told = Info(f"{PREFIX}crawl", "What crawls: a fact a label.", [CRAWL], registry=registry)
        told.labels(crawl).info(dict(facts))
        help_text = "From the beginning of a download to its last byte."
        downloads = Histogram(f"{PREFIX}download_seconds", help_text, [CRAWL], registry=registry, buckets=BOUNDS)
        self.download_seconds = downloads.labels(crawl)
        registry.register(_CrawlCollector(crawl, look))
        ProcessCollector(registry=registry)  # memory, CPU, open files: process_*

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """The text and its content type, in the form that ``accept`` (a header) asks for."""
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type


class _CrawlCollector(Collector):
    def __init__(self, crawl: str, look: Callable[[], Mapping[str, Any]]) -> None:
        self._crawl = crawl
        self._look = look

    def describe(self) -> list[Any]:
        return []

    def collect(self) -> Iterator[Any]:
        seen = self._look()
        for figure in FIGURES:
            metric = figure.kind(
                PREFIX + figure.name, figure.help, labels=[CRAWL, figure.label][: 1 + bool(figure.label)]
            )
            value = seen.get(figure.name, {} if figure.label else 0)
            for name, number in value.items() if figure.label else [("", value)]:
                metric.add_metric([self._crawl, name] if figure.label else [self._crawl], number)
            yield metric
