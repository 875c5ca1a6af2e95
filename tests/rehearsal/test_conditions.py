"""Latency and faults are drawn as asked."""

from __future__ import annotations

from statistics import median

import pytest

from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.feature_file import Answer
from topicspider.rehearsal.replay.conditions import Faults, HostLatency


@pytest.mark.parametrize(
    "text",
    ["", "x", "-1", "nan", "inf", "1:2", "lognormal:", "lognormal:-1", "lognormal:1:-2", "lognormal:1:2:3", "一秒"],
)
def test_latency_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--latency"):
        HostLatency.read(text)


def test_a_host_is_slow_or_fast_for_good_whatever_is_asked_before() -> None:
    hosts = [f"{n}.旅游.example" for n in range(2_000)]
    one, other, third = (HostLatency.read("lognormal:0.2:1.5", seed) for seed in (7, 7, 8))
    drawn = [one.connect_seconds(host) for host in hosts]
    assert drawn == [other.connect_seconds(host) for host in reversed(hosts)][::-1]
    assert drawn != [third.connect_seconds(host) for host in hosts]
    assert median(drawn) == pytest.approx(0.1, rel=0.2)
    assert max(drawn) > 20 * min(drawn)
    assert {HostLatency(0.2).response_seconds(host, Answer(f"http://{host}/")) for host in hosts} == {0.2}


def test_faults_depend_on_url_and_attempt_not_on_the_order() -> None:
    urls = [f"http://a.example/游{i}" for i in range(2000)]
    first, second = Faults(0.2, 7), Faults(0.2, 7)
    forward = {url: first.draw(url) for url in urls}
    backward = {url: second.draw(url) for url in reversed(urls)}
    assert forward == backward
    assert sum(map(bool, forward.values())) == pytest.approx(400, rel=0.2)
    assert any(first.draw(url) != forward[url] for url in urls)
    assert not any(map(Faults(0, 7).draw, urls))
