"""Every cache of seen URLs keeps the promises of url_caches.UrlCache; the numbers are the promises'."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicspider.errors import ConfigError
from topicspider.frontier.url_caches import (
    URL_CACHES,
    CacheSetup,
    ClockCache,
    LruCache,
    MinimumCache,
    RandomCache,
    StaticCache,
    UrlCache,
    make_url_cache,
)

ALL = pytest.mark.parametrize("name", URL_CACHES)
FILLED = pytest.mark.parametrize("name", ["lru", "clock", "random", "infinite"])
TRACES = st.lists(st.integers(-4, 12) | st.sampled_from([2**63 - 1, -(2**63)]), max_size=80)
CAPACITIES = st.integers(1, 12)
FEWER = settings(max_examples=40)  # of tests that run on every cache


def crawl(cache: UrlCache, trace: list[int]) -> list[bool]:
    """Ask for every link of the trace, add what is not seen; the answers."""
    answers = []
    for link in trace:
        answers.append(cache.seen(link))
        if not answers[-1]:
            cache.add(link)
    return answers


def misses(name: str, capacity: int, trace: list[int], seed: int = 0) -> int:
    return crawl(make_url_cache(name, CacheSetup(capacity, trace, seed)), trace).count(False)


def letters(text: str) -> list[int]:
    return [ord(letter) for letter in text]


# the promises, on every cache


@ALL
@FEWER
@given(TRACES, CAPACITIES)
def test_1_seen_is_true_only_for_what_was_added_or_built_in(name: str, trace: list[int], capacity: int) -> None:
    cache = make_url_cache(name, CacheSetup(capacity, trace))
    added = {link for link, _ in Counter(trace).most_common(capacity)} if name == "static" else set()
    for link in trace:
        if not cache.seen(link):
            cache.add(link)
            added.add(link)
        else:
            assert link in added


@FILLED
@FEWER
@given(TRACES, CAPACITIES)
def test_2_asking_alone_keeps_nothing(name: str, trace: list[int], capacity: int) -> None:
    cache = make_url_cache(name, CacheSetup(capacity))

    assert not any(map(cache.seen, trace))
    assert len(cache) == 0


@pytest.mark.parametrize("name", ["lru", "clock"])
def test_2_a_url_that_was_seen_stays_longer(name: str) -> None:
    cache = make_url_cache(name, CacheSetup(3))
    crawl(cache, [1, 2, 3, 4, 2, 5])  # 4 drops 1; of 2 and 3, the older one was used

    assert cache.seen(2)
    assert not cache.seen(3)


@FILLED
@FEWER
@given(TRACES, CAPACITIES)
def test_3_what_was_added_last_is_seen(name: str, trace: list[int], capacity: int) -> None:
    cache = make_url_cache(name, CacheSetup(capacity))
    for link in trace:
        cache.add(link)
        assert cache.seen(link)


@FILLED
def test_4_adding_what_is_kept_drops_nothing(name: str) -> None:
    cache = make_url_cache(name, CacheSetup(3))
    for link in (1, 2, 3, 1, 2, 3, 3):
        cache.add(link)

    assert [cache.seen(link) for link in (1, 2, 3)] == [True, True, True]


def test_4_adding_what_is_kept_is_a_use() -> None:
    cache = LruCache(2)
    for link in (1, 2, 1, 3):
        cache.add(link)

    assert cache.seen(1)
    assert not cache.seen(2)


@FILLED
@FEWER
@given(st.lists(st.integers(), unique=True, max_size=12))
def test_4_nothing_is_dropped_before_the_cache_is_full(name: str, links: list[int]) -> None:
    cache = make_url_cache(name, CacheSetup(12))
    for link in links:
        cache.add(link)

    assert all(map(cache.seen, links))
    assert len(cache) == len(links)


@ALL
@FEWER
@given(TRACES, CAPACITIES)
def test_5_never_more_than_capacity_are_kept(name: str, trace: list[int], capacity: int) -> None:
    cache = make_url_cache(name, CacheSetup(capacity, trace))
    for link in trace:
        if not cache.seen(link):
            cache.add(link)
        assert len(cache) <= cache.capacity


@ALL
@FEWER
@given(TRACES, CAPACITIES, st.integers(0, 5))
def test_6_the_same_questions_get_the_same_answers(name: str, trace: list[int], capacity: int, seed: int) -> None:
    first, second = (crawl(make_url_cache(name, CacheSetup(capacity, trace, seed)), trace) for _ in range(2))

    assert first == second


def test_6_another_seed_draws_other_urls() -> None:
    trace = [*range(50), *range(50)]

    assert len({tuple(crawl(RandomCache(25, seed), trace)) for seed in range(5)}) > 1


# each rule, worked by hand: h is a hit, . a miss


@pytest.mark.parametrize(
    ("name", "capacity", "links", "answers"),
    [
        ("lru", 2, "abacb", "..h.."),  # c drops b: a was used since
        ("lru", 3, "abcdabcd", "........"),  # one round longer than the cache: LRU's worst case
        ("lru", 3, "abcabdab", "...hh.hh"),  # d drops c
        ("clock", 2, "abacb", "..h.h"),  # all are marked: the round unmarks both, a goes though it was used; b stays
        ("clock", 3, "abcdbea", "....h.."),  # d drops a; b's mark saves it: e drops c
        ("clock", 3, "abcdbeb", "....h.h"),
        ("min", 2, "abcabc", "...hh."),  # c comes again later than a and b: not taken in
        ("min", 1, "abba", "..h."),  # b comes again sooner than a, which makes room
        ("static", 1, "abacb", "h.h.."),  # a is the most frequent, b as frequent but later
        ("static", 2, "abacb", "hhh.h"),
        ("infinite", 1, "abcabd", "...hh."),
    ],
)
def test_answers_by_hand(name: str, capacity: int, links: str, answers: str) -> None:
    trace = letters(links)
    cache = make_url_cache(name, CacheSetup(capacity, trace))

    assert "".join(".h"[seen] for seen in crawl(cache, trace)) == answers


@given(TRACES, CAPACITIES)
def test_lru_is_as_its_definition_says(trace: list[int], capacity: int) -> None:
    expected = []
    for number, link in enumerate(trace):
        before = trace[:number]
        used_since = before[len(before) - before[::-1].index(link) :] if link in before else []
        expected.append(link in before and len(set(used_since)) < capacity)

    assert crawl(LruCache(capacity), trace) == expected


@given(TRACES, CAPACITIES)
def test_a_larger_lru_holds_all_that_a_smaller_one_holds(trace: list[int], capacity: int) -> None:
    small, large = crawl(LruCache(capacity), trace), crawl(LruCache(capacity + 1), trace)

    assert all(in_large or not in_small for in_small, in_large in zip(small, large, strict=True))


@given(TRACES, CAPACITIES)
def test_clock_is_as_its_definition_says(trace: list[int], capacity: int) -> None:
    circle: list[list[int]] = []  # pairs of link and mark
    hand, expected = 0, []
    for link in trace:
        place = next((pair for pair in circle if pair[0] == link), None)
        expected.append(place is not None)
        if place is not None:
            place[1] = 1
        elif len(circle) < capacity:
            circle.append([link, 1])
        else:
            while circle[hand][1]:
                circle[hand][1] = 0
                hand = (hand + 1) % capacity
            circle[hand] = [link, 1]
            hand = (hand + 1) % capacity

    assert crawl(ClockCache(capacity), trace) == expected


def test_random_drops_each_place_about_as_often() -> None:
    cache = RandomCache(4, seed=1)
    dropped = Counter()
    for link in range(4):
        cache.add(link)
    for link in range(4, 2004):
        kept = [old for old in range(max(0, link - 60), link) if cache.seen(old)]
        cache.add(link)
        dropped.update(link - old for old in kept if not cache.seen(old))

    assert dropped[1] == pytest.approx(500, abs=80)  # the newest one: one time in four


# MIN is the lower limit


@given(TRACES, CAPACITIES, st.integers(0, 3))
def test_no_cache_that_begins_empty_misses_less_than_min(trace: list[int], capacity: int, seed: int) -> None:
    least = misses("min", capacity, trace)

    assert all(least <= misses(name, capacity, trace, seed) for name in ("lru", "clock", "random"))
    assert misses("infinite", capacity, trace) <= least


@given(TRACES, CAPACITIES)
def test_static_gains_on_min_no_more_than_its_first_questions(trace: list[int], capacity: int) -> None:
    assert misses("min", capacity, trace) <= misses("static", capacity, trace) + min(capacity, len(set(trace)))


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(1, 3))
def test_min_misses_as_little_as_the_best_of_all_ways_to_keep(trace: list[int], capacity: int) -> None:
    states: dict[frozenset[int], int] = {frozenset(): 0}  # what is kept: fewest misses that lead there
    for link in trace:
        after: dict[frozenset[int], int] = {}
        for kept, missed in states.items():
            offered = kept | {link}
            choices = [kept, offered] if len(offered) <= capacity else [kept, *(offered - {old} for old in kept)]
            for choice in choices:
                after[choice] = min(after.get(choice, len(trace)), missed + (link not in kept))
        states = after

    assert misses("min", capacity, trace) == min(states.values())


@given(TRACES)
def test_a_larger_min_never_misses_more(trace: list[int]) -> None:
    counts = [misses("min", capacity, trace) for capacity in range(1, 14)]

    assert all(larger <= smaller for smaller, larger in pairwise(counts))


def test_min_keeps_its_memory_bounded_on_many_hits() -> None:
    trace = [1, 2] * 5000
    cache = MinimumCache(2, trace)

    assert crawl(cache, trace).count(False) == 2
    assert len(cache._latest) < 100


def test_min_refuses_questions_that_it_was_not_told_of() -> None:
    cache = MinimumCache(2, [1, 2])
    with pytest.raises(ValueError, match="question 0 of MIN"):
        cache.seen(2)
    with pytest.raises(ValueError, match="asked for last: 1"):
        cache.add(1)
    cache.seen(1)
    with pytest.raises(ValueError, match="asked for last: 2"):
        cache.add(2)


# STATIC, and the registry


def test_static_never_changes() -> None:
    cache = StaticCache(2, [1, 1, 2, 2, 3])
    cache.add(3)

    assert [cache.seen(link) for link in (1, 2, 3)] == [True, True, False]
    assert len(cache) == 2


@pytest.mark.parametrize(
    ("name", "capacity", "named"),
    [("fifo", 8, "lru, clock, random"), ("lru", 0, "1 or more"), ("clock", -1, "1 or more")],
)
def test_what_cannot_be_made_is_said_in_one_line(name: str, capacity: int, named: str) -> None:
    with pytest.raises(ConfigError, match=named) as caught:
        make_url_cache(name, CacheSetup(capacity))

    assert "\n" not in str(caught.value)


def test_on_a_cache_of_one_all_rules_that_take_everything_agree() -> None:
    for trace in product((1, 2, 3), repeat=5):
        counts = {misses(name, 1, list(trace)) for name in ("lru", "clock", "random")}
        assert len(counts) == 1, trace
