"""The link policy `learned` without one of its parts judges as if that part were not there."""

from __future__ import annotations

import pytest

from benchmarks.quality import link_ablation
from benchmarks.quality.link_ablation import PARTS, Without, policy_without
from tests.relevance.test_learned_links import HOME, crawl
from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.page.links.link import Link
from topicspider.relevance.interfaces import PolicyContext
from topicspider.relevance.policies import LINK_POLICIES

SETUP = PolicyContext(profile(), SEGMENTER)


@pytest.fixture
def policies(monkeypatch):
    """A copy of the table of policies, which a rehearsal looks into."""
    copied = dict(LINK_POLICIES)
    monkeypatch.setattr(link_ablation, "LINK_POLICIES", copied)
    return copied


def values(part, *anchors):
    one = Without(part, SETUP)
    found = links(*(Link(f"{HOME}{anchor}/", anchor, kind="down", group=3) for anchor in anchors))
    return [round(score.value, 6) for score in one.judge(page(HOME), found)]


def test_without_its_texts_an_anchor_on_topic_is_worth_what_another_one_is():
    on, off = values("tunnel", "古镇旅游", "编译器报错")
    assert on > off
    on, off = values("texts", "古镇旅游", "编译器报错")
    assert on == off


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_left_out_of_a_crawl(part):
    one = Without(part, SETUP)
    crawl(one)
    fit = one._weights.fit
    assert (fit is None) is (part == "learning")
    if fit is not None:
        assert bool(fit.words) is (part not in {"texts", "words"})
    explored = [value for _, value in one.revised() if value == 1.0]
    assert not explored or part != "exploration"


def test_a_policy_without_a_part_has_a_name_that_rehearsals_know(policies):
    assert isinstance(policies[policy_without("site")](SETUP), Without)
