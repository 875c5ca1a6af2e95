"""What ``python -m benchmarks.crawl.speedup`` makes of its measurements: ceilings, speed-ups, slopes."""

from __future__ import annotations

import os

import pytest

from benchmarks.crawl.soak import Sample, sample_of, slope_an_hour, soak_table, warm
from benchmarks.crawl.speedup import Run, table

ONE = Run(
    workers=1,
    seconds=60.0,
    pages=780,
    requests=900,
    twice=0,
    overlaps=0,
    calls=700,
    worker_cpu=15.6,
    web_cpu=3.9,
    redis_cpu=0.78,
    hosts=400,
    latency=0.3,
    delay_factor=10.0,
    connections=4,
    cores=2,
    busy=0.4,
)


def more(workers: int, pages: int, **fields) -> Run:
    values = {name: getattr(ONE, name) for name in Run.__dataclass_fields__}
    scaled = {name: values[name] * pages / ONE.pages for name in ("worker_cpu", "web_cpu", "redis_cpu")}
    return Run(**{**values, **scaled, "workers": workers, "pages": pages, **fields})


def test_each_bound_has_its_ceiling():
    assert ONE.ceilings == pytest.approx({"politeness": 121.2, "connections": 13.33, "cores": 76.9}, rel=0.01)
    assert more(8, 4000).ceilings["connections"] == pytest.approx(106.7, rel=0.01)


def test_the_table_says_how_many_times_as_fast_and_what_bounds_it():
    lines = table([ONE, more(2, 1530), more(6, 4000, twice=1, overlaps=2)]).splitlines()
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|")
    assert lines[2] == "| 1 | 13.0 | 1.00 | 13.3 (connections) | 20.0, 5.0, 1.0 | 0 | 0 | 0.90 | 40% |"
    assert lines[3].startswith("| 2 | 25.5 | 1.96 | 26.7 (connections) |")
    assert "| 76.9 (cores) |" in lines[4]
    assert "| 1 | 2 | 0.1" in lines[4]


def test_a_slope_is_what_grows_after_the_warm_up():
    flat = [Sample(0, 0, minute, 300.0, 40) for minute in range(31)]
    assert slope_an_hour(flat) == 0.0
    grows = [
        Sample(1, 0, minute, 200.0 + 100 * min(minute, 4) + minute / 60 * 6, 40 + minute % 3) for minute in range(31)
    ]
    assert slope_an_hour(warm(grows)) == pytest.approx(6.0)
    assert slope_an_hour(grows) > 50
    assert slope_an_hour(warm(grows, 1.0)) > slope_an_hour(warm(grows, 3.0)) > 7.0
    assert slope_an_hour(flat[:1]) == 0.0
    rows = soak_table([*grows, *flat]).splitlines()
    assert rows[2] == "| 0 | 0 | 30 | 300 | 300 | 0.0 | 40, 40, 40 |"
    assert rows[3].endswith("| 6.0 | 40, 42, 40 |")


def test_segments_are_told_apart():
    samples = [
        Sample(0, segment, 10 * segment + minute, 100.0 * segment, 9) for segment in (0, 1) for minute in range(5)
    ]
    assert len(soak_table(samples).splitlines()) == 4


def test_a_look_at_a_process():
    sample = sample_of(3, os.getpid(), 1, 2.5)
    assert (sample.worker, sample.segment, sample.minutes) == (3, 1, 2.5)
    assert sample.megabytes > 10
    assert sample.files > 2
