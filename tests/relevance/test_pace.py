"""A crawl is dry when it finds much less of late than it did so far, or nothing at all."""

from __future__ import annotations

from topicspider.relevance.learner.pace import SETTLED, Pace


def after(*stretches: tuple[int, float]) -> Pace:
    pace = Pace()
    for pages, share in stretches:
        for number in range(pages):
            pace.add(float(int((number + 1) * share) > int(number * share)))
    return pace


def test_a_steady_crawl_is_not_dry_however_rare_its_hits_are():
    assert not after((1000, 0.5)).is_dry
    assert not after((2000, 0.1)).is_dry


def test_hits_that_stop_are_noticed_within_150_pages():
    assert not after((300, 0.4), (20, 0.0)).is_dry
    assert after((300, 0.4), (150, 0.0)).is_dry
    assert not after((300, 0.4), (150, 0.0), (30, 1.0)).is_dry


def test_a_crawl_without_any_hit_is_dry_once_it_has_settled():
    assert not after((SETTLED - 1, 0.0)).is_dry
    assert after((SETTLED, 0.0)).is_dry
