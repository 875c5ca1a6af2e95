"""What Prometheus is told: the names, the labels, and that they stay few."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from topicspider.metrics.exposition import Exposition

CRAWL = "旅游+food"


def test_every_figure_is_told_under_its_name_with_the_crawl_in_chinese():
    figures = {"pages": 12, "recent_harvest_ratio": 0.25, "errors": {"not_found": 3}, "queue_urls": {"leased": 2}}
    exposition = Exposition(CRAWL, {"node": "n1", "version": "1.0"}, lambda: figures)
    exposition.download_seconds.observe(0.5)
    exposition.download_seconds.observe(70.0)
    seen = {}
    for family in text_string_to_metric_families(exposition.text()[0].decode()):
        for sample in family.samples:
            labels = dict(sample.labels)
            if sample.name.startswith("topicspider_"):
                assert labels.pop("crawl") == CRAWL
            seen[sample.name, tuple(sorted(labels.items()))] = sample.value
    assert seen["topicspider_pages_total", ()] == 12
    assert seen["topicspider_recent_harvest_ratio", ()] == 0.25
    assert seen["topicspider_errors_total", (("reason", "not_found"),)] == 3
    assert seen["topicspider_queue_urls", (("state", "leased"),)] == 2
    assert seen["topicspider_download_seconds_bucket", (("le", "0.5"),)] == 1
    assert seen["topicspider_download_seconds_bucket", (("le", "+Inf"),)] == 2
    assert seen["topicspider_download_seconds_sum", ()] == pytest.approx(70.5)
    assert seen["topicspider_crawl_info", (("node", "n1"), ("version", "1.0"))] == 1
    assert seen["process_resident_memory_bytes", ()] > 1e6
