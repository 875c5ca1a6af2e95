"""Every page scorer finds tourism in every script: simplified, traditional, full-width, English and mixed."""

from __future__ import annotations

import pytest

from tests.relevance.texts import OTHERS, TEXTS, TOURISM
from tests.relevance.topics import profile
from topicspider.relevance.page_judge import PAGE_SCORERS, make_page_scorer

EACH = pytest.mark.parametrize("name", sorted(PAGE_SCORERS))
SCRIPTS = {"simplified", "traditional", "english", "mixed", "fullwidth"}


def test_both_halves_have_every_script():
    assert (len(TOURISM), len(OTHERS)) == (6, 6)
    assert {text.script for text in TOURISM} == {text.script for text in OTHERS} == SCRIPTS
    assert len({text.name for text in TEXTS}) == 12


@EACH
@pytest.mark.parametrize("text", TOURISM, ids=lambda text: text.name)
def test_a_text_on_tourism_scores_above_every_other(name, text):
    scorer = make_page_scorer(name, profile())
    assert scorer.score(text.words()) > max(scorer.score(other.words()) for other in OTHERS)
