"""Which pages' judged links are stored."""

from __future__ import annotations

from topicspider.middlewares.relevance import is_sampled


def test_all_of_a_small_crawl_and_of_a_long_one_some_to_its_end() -> None:
    stored, found = 0, []
    for number in range(100_000):
        if is_sampled(f"http://旅游.example/{number}", stored):
            stored += 20
            found.append(number)
    assert found[:100] == list(range(100))
    assert stored < 25_000
    assert sum(number > 20_000 for number in found) > 100
