"""Latency and faults are drawn as asked."""

from __future__ import annotations

import random
from statistics import median

import pytest

from topicspider.errors import ConfigError
from topicspider.rehearsal.replay.conditions import Faults, HostSpread, Latency


@pytest.mark.parametrize(
    ("text", "latency"),
    [
        ("0", Latency(0, 0)),
        ("0.25", Latency(0.25, 0)),
        ("lognormal:0.2", Latency(0.2, 0.8)),
        ("lognormal:0.2:1.5", Latency(0.2, 1.5)),
    ],
)
def test_latency_is_read(text: str, latency: Latency) -> None:
    assert Latency.read(text) == latency


@pytest.mark.parametrize(
    "text",
    ["", "x", "-1", "nan", "inf", "1:2", "lognormal:", "lognormal:-1", "lognormal:1:-2", "lognormal:1:2:3", "一秒"],
)
def test_latency_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--latency"):
        Latency.read(text)


def test_lognormal_latency_has_its_median_and_a_tail() -> None:
    rng = random.Random(1)
    drawn = [Latency(0.2, 0.8).draw(rng) for _ in range(4000)]
    assert median(drawn) == pytest.approx(0.2, rel=0.1)
    assert max(drawn) > 1.0
    assert {Latency(0.2).draw(rng) for _ in range(10)} == {0.2}


def test_faults_depend_on_url_and_attempt_not_on_the_order() -> None:
    urls = [f"http://a.example/游{i}" for i in range(2000)]
    first, second = Faults(0.2, 7), Faults(0.2, 7)
    forward = {url: first.draw(url) for url in urls}
    backward = {url: second.draw(url) for url in reversed(urls)}
    assert forward == backward
    assert sum(map(bool, forward.values())) == pytest.approx(400, rel=0.2)
    assert any(first.draw(url) != forward[url] for url in urls)
    assert not any(map(Faults(0, 7).draw, urls))


def test_a_host_is_slow_or_fast_for_good_whatever_is_asked_before() -> None:
    hosts = [f"{n}.旅游.example" for n in range(2_000)]
    one, other = HostSpread(1.5, 7), HostSpread(1.5, 7)
    factors = [one.factor(host) for host in hosts]
    assert factors == [other.factor(host) for host in reversed(hosts)][::-1]
    assert median(factors) == pytest.approx(1.0, rel=0.2)
    assert max(factors) > 20
    assert min(factors) < 1 / 20
    assert factors != [HostSpread(1.5, 8).factor(host) for host in hosts]
    assert {HostSpread(0.0, 7).factor(host) for host in hosts} == {1.0}


@pytest.mark.parametrize("sigma", [-1.0, 5.1, float("nan")])
def test_a_spread_that_is_none_is_refused(sigma: float) -> None:
    with pytest.raises(ConfigError, match="--host-spread"):
        HostSpread(sigma, 0)
