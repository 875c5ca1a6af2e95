"""The figures as text that Prometheus reads; the home of prometheus_client."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from topicspider.metrics.durations import Durations
from topicspider.metrics.figures import COUNTER, HISTOGRAM, PREFIX, Family, Figures, families

CRAWL = "crawl"
MOST_VALUES = 60
REST = "other"


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
    """Every metric has the label ``crawl``; those with a label of their own have at most MOST_VALUES values of it, and the rest as one."""

    def __init__(self, crawl: str, facts: Mapping[str, str], look: Callable[[], Figures]) -> None:
        self._crawl = crawl
        self._facts = facts
        self._look = look

    def describe(self) -> list[Any]:
        """Nothing: a look is not needed to register."""
        return []

    def collect(self) -> Iterator[Any]:
        """One look, as metrics."""
        info = InfoMetricFamily(f"{PREFIX}crawl", "What crawls: a fact a label.", labels=[CRAWL])
        info.add_metric([self._crawl], dict(self._facts))
        yield info
        figures = self._look()
        for field, family in families().items():
            yield self._metric(family, getattr(figures, field))

    def _metric(self, family: Family, value: Any) -> Any:
        if family.kind == HISTOGRAM:
            return self._histogram(family, value)
        kind = CounterMetricFamily if family.kind == COUNTER else GaugeMetricFamily
        metric = kind(family.name, family.help, labels=[CRAWL, family.label] if family.label else [CRAWL])
        if not family.label:
            metric.add_metric([self._crawl], value)
            return metric
        for name, number in few(value).items():
            metric.add_metric([self._crawl, name], number)
        return metric

    def _histogram(self, family: Family, durations: Durations) -> HistogramMetricFamily:
        metric = HistogramMetricFamily(family.name, family.help, labels=[CRAWL])
        counts = durations.cumulative()
        buckets = [("+Inf" if bound == math.inf else str(bound), float(count)) for bound, count in counts]
        metric.add_metric([self._crawl], buckets, durations.total_seconds)
        return metric


def few(values: Mapping[str, float]) -> Mapping[str, float]:
    """The first MOST_VALUES by name, and the sum of the others."""
    if len(values) <= MOST_VALUES:
        return values
    names = sorted(values)
    return {
        **{name: values[name] for name in names[:MOST_VALUES]},
        REST: sum(values[name] for name in names[MOST_VALUES:]),
    }
