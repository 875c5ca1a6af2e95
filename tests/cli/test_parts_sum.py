"""R1: the parts of a score sum to it, on pages and links of the made web."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from topicspider.cli.judge import load_judge
from topicspider.options import Options
from topicspider.page.page import Page
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.relevance.interfaces import PageWords, Parent
from topicspider.relevance.page_judge import PAGE_SCORERS
from topicspider.relevance.policies import LINK_POLICIES
from topicspider.url import fingerprint

COUNT = 200
ADDITIVE = [name for name in ("shark", "learned") if name in LINK_POLICIES]
"""Policies whose parts are terms of a sum; of the others they are factors, or what a rank was made from."""


@pytest.fixture(scope="module")
def pages():
    """200 pages of the made web, drawn with a seed, read as a crawl reads them."""
    web = SyntheticWeb.read("pages=4000,hosts=40,seed=3")
    urls = [url for url, truth in islice(web.labels(), 4000) if truth.kind != "redirect"]
    segmenter = load_judge("tourism", Options()).segmenter
    found = []
    for url in random.Random(7).sample(urls, COUNT):
        answer = web.find(url)
        found.append(Page(url, answer.body, dict(answer.headers).get("Content-Type", ""), segmenter))
    return found


@pytest.mark.parametrize("name", PAGE_SCORERS)
def test_of_every_page_scorer(pages, name):
    bench = load_judge("tourism", Options(page_scorer=name))
    above = 0
    for page in pages:
        words = PageWords(page.title_words, page.body_words)
        score = bench.judge(words)
        assert sum(value for _, value in bench.view.judge.explain(words)) == pytest.approx(score.value, abs=1e-9)
        above += score.value > 0
    assert above > COUNT / 10


@pytest.mark.parametrize("name", ADDITIVE)
def test_of_link_policies_that_add(pages, name):
    bench = load_judge("tourism", Options(link_policy=name))
    rng, checked = random.Random(5), 0
    for page in pages:
        words = PageWords(page.title_words, page.body_words)
        score = bench.judge(words)
        parent = Parent(page.url, fingerprint(page.url), score.value, score.on_topic, 1, words)
        links = [(fingerprint(link.url), link) for link in page.links]
        judged = bench.view.policy.judge(parent, links)
        for one in rng.sample(judged, min(3, len(judged))):
            assert sum(one.parts.values()) == pytest.approx(one.value, abs=1e-6)
            checked += 1
    assert checked >= COUNT
