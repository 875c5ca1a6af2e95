"""How rare words are in a crawl."""

from __future__ import annotations

import json

import pytest

from topicspider.text import background
from topicspider.text.crawl_statistics import LEAST_SHARE, CrawlStatistics


@pytest.mark.parametrize("word", ["旅游", "考古", "travel", "红石峡谷漂流", "blogroll"])
def test_before_the_first_page_values_are_the_shipped_ones(word):
    assert CrawlStatistics().idf(word) == pytest.approx(background.idf(word))


@pytest.mark.parametrize("word", ["首页", "homepage", "某某网络版"])
def test_what_stands_on_every_page_tells_less_and_less(word):
    statistics = CrawlStatistics()
    values = []
    for _ in range(5):
        values.append(statistics.idf(word))
        for _ in range(100):
            statistics.add([word, "别的", "other"])
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] - 0.5


def test_what_the_crawl_never_meets_becomes_rarer():
    statistics = CrawlStatistics()
    for _ in range(300):
        statistics.add(["旅游", "travel"])
    assert statistics.idf("考古") > background.idf("考古")


def test_the_topic_s_words_keep_half_of_their_worth_however_often_they_stand():
    statistics = CrawlStatistics()
    for _ in range(5000):
        statistics.add(["旅游", "travel"])
    assert statistics.idf("旅游") == pytest.approx(LEAST_SHARE * background.idf("旅游"))
    assert statistics.idf("travel") == pytest.approx(LEAST_SHARE * background.idf("travel"))


def test_a_page_counts_a_word_once():
    once, often = CrawlStatistics(), CrawlStatistics()
    once.add({"景区", "map"})
    often.add(["景区", "map", "景区", "景区"])
    assert once.state() == often.state()
    assert often.count("景区") == 1


def test_later_on_every_fourth_page_is_counted():
    statistics = CrawlStatistics()
    for _ in range(900):
        statistics.add(["景区"])
    assert statistics.pages == statistics.count("景区") == 600


def test_memory_is_bounded_and_frequent_words_stay():
    statistics = CrawlStatistics(most_words=1000)
    for page in range(400):
        statistics.add(["景区", "map", *(f"字{page}之{number}" for number in range(20))])
    assert len(statistics.state()["counts"]) <= 1000
    assert statistics.count("景区") == statistics.count("map") == 400


def test_a_state_goes_through_json_and_goes_on_as_if_nothing_had_happened():
    whole, resumed = CrawlStatistics(500), CrawlStatistics(500)
    for page in range(700):
        if page == 350:
            resumed = CrawlStatistics.from_state(json.loads(json.dumps(resumed.state())), 500)
        words = ["景区", f"词{page % 90}", f"word{page}"]
        whole.add(words)
        resumed.add(words)
    assert resumed.state() == whole.state()
    assert resumed.idf("景区") == whole.idf("景区")


@pytest.mark.parametrize(
    "state", [None, [], {}, {"seen": 1, "pages": 5, "counts": {}}, {"seen": 2, "pages": 1, "counts": 7}]
)
def test_a_state_that_is_none_begins_anew(state):
    assert CrawlStatistics.from_state(state).state() == CrawlStatistics().state()
