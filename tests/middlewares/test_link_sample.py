"""Which pages' judged links are stored."""

from __future__ import annotations

from topicspider.middlewares.relevance import LinkSample


def chosen(pages: int, links: int, most: int = 10_000) -> list[int]:
    """Of so many pages with so many links each: those of which some are stored, in their order."""
    sample, found, total = LinkSample(most), [], 0
    for number in range(pages):
        stored = min(links, sample.room(f"http://旅游.example/{number}"))
        sample.stored(stored)
        total += stored
        found += [number] if stored else []
    assert total <= most
    return found


def test_all_of_a_small_crawl() -> None:
    assert chosen(250, 20) == list(range(250))


def test_a_long_crawl_is_sampled_to_its_end() -> None:
    found = chosen(100_000, 20)
    assert len(found) > 450
    assert found[:250] == list(range(250))
    gaps = [after - before for before, after in zip(found, [*found[1:], 100_000], strict=True)]
    assert max(gaps) < 20_000
    assert sum(number > 20_000 for number in found) > 30


def test_no_more_than_its_bound_however_many_there_are() -> None:
    assert sum(1 for _ in chosen(3_000, 7, most=50)) <= 8
    assert chosen(10, 5, most=0) == []


def test_the_same_pages_each_time() -> None:
    assert chosen(5_000, 20) == chosen(5_000, 20)
