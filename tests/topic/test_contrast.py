"""Where other topics lie: all that come with topicspider but the topic itself, and nothing that they have in common with it."""

from __future__ import annotations

import numpy as np
import pytest

from topicspider.text.segment import make_segmenter
from topicspider.text.vectors import word_vectors
from topicspider.topic.compiling import compile_topic
from topicspider.topic.expansion import NAMES, other_directions
from topicspider.topic.learning import learn
from topicspider.topic.loading import load_topic


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_topic_is_no_other_than_itself(name: str) -> None:
    model = compile_topic(learn(load_topic(name), make_segmenter("rjieba")))
    assert len(model.others) == len(NAMES) - 1
    assert np.abs(np.array(model.others) @ np.array(model.vector)).max() < 0.01


def test_a_topic_between_two_is_neither() -> None:
    table = word_vectors()
    tea, law = table.vector("茶叶"), table.vector("法律")
    assert tea is not None
    assert law is not None
    assert len(other_directions(tea, table)) == len(other_directions(law, table)) == len(NAMES)
