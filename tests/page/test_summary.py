"""A summary is two or three sentences of the text, about the topic when there is one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from topicspider.crawled_page import CrawledPage, DownloadResult
from topicspider.evaluation import Judging
from topicspider.page.keywords import MAX_SUMMARY, summary_of
from topicspider.page.page import Page
from topicspider.relevance.interfaces import PageScore
from topicspider.topic.url_filter import UrlFilter

LEAD = "本市昨日召开会议，部署今年各项工作。"
FILLER = [f"会议还听取了第{n}项工作的情况汇报，并提出具体要求。" for n in "一二三四五六"]
TOUR = "云台山景区今年将新增两条旅游线路，方便游客出行。"
TICKET = "景区门票在旅游淡季降价三成，学生凭证免票。"
TEXT = "".join([LEAD, *FILLER[:3], TOUR, *FILLER[3:], TICKET])
WEIGHTS = {"旅游": 1.0, "景区": 0.8, "门票": 0.6, "hiking": 0.5, "art": 0.9}


def test_without_a_topic_the_first_sentences_are_the_summary():
    assert summary_of(TEXT) == LEAD + FILLER[0] + FILLER[1]


def test_with_a_topic_its_sentences_are_chosen_and_stand_in_the_order_of_the_text():
    found = summary_of(TEXT, "", WEIGHTS)
    assert found.index(TOUR) < found.index(TICKET)
    assert LEAD not in found


def test_a_sentence_that_says_the_same_words_again_gains_less():
    again = "旅游景区旅游景区，人人都说好的旅游景区。"
    found = summary_of(
        f"{again}{again[:-1]}啊。{LEAD}门票一百二十元一张，网上可以预订。", "", {"旅游": 1.0, "门票": 0.9}
    )
    assert "门票一百二十元" in found


def test_words_are_found_however_they_are_written():
    assert "旅遊線路" in summary_of(
        f"{LEAD}{FILLER[0]}{FILLER[1]}{FILLER[2]}新的旅遊線路已經開通，歡迎各位遊客前往。", "", {"旅游": 1.0}
    )


def test_latin_words_are_found_whole():
    text = (
        "The party was about nothing in particular at all. " * 3 + "Hiking in the hills is what people come here for."
    )
    assert summary_of(text, "", {"hiking": 1.0, "art": 1.0}).startswith("Hiking in the hills")


def test_a_text_without_a_word_of_the_topic_has_its_first_sentences():
    assert summary_of(TEXT, "", {"足球": 1.0}) == summary_of(TEXT)


def test_the_title_is_not_said_again():
    assert TOUR.rstrip("。") not in summary_of(TOUR + LEAD + FILLER[0], TOUR.rstrip("。"), WEIGHTS)


@pytest.mark.parametrize("text", ["", "短", "很长的旅游" * 2000, "旅游。" * 3000, TEXT * 50])
def test_a_summary_is_bounded(text):
    assert len(summary_of(text, "", WEIGHTS)) <= MAX_SUMMARY


def test_a_page_says_what_it_has_on_a_topic():
    page = Page("http://www.example.cn/a.html", f"<html><body><p>{TEXT}</p></body></html>".encode(), "text/html")
    assert TOUR in page.summary_for(WEIGHTS)
    assert page.summary_for({}) == page.summary


def test_each_topic_of_a_crawl_gets_its_own_summary():
    page = Page("http://www.example.cn/a.html", f"<html><body><p>{TEXT}</p></body></html>".encode(), "text/html")
    views = [SimpleNamespace(topic="tourism", words=WEIGHTS), SimpleNamespace(topic="politics", words={"会议": 1.0})]
    crawled = CrawledPage(DownloadResult(page.url, 200, b"", {}), page, Judging(views, UrlFilter()))
    crawled.scores = {view.topic: PageScore(1.0, on_topic=True, threshold=0.5) for view in views}
    tourism, politics = crawled.items
    assert TICKET in tourism.summary
    assert LEAD in politics.summary
    assert TICKET not in politics.summary
