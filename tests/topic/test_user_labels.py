"""What a user's labels have made of a topic, on disk."""

from __future__ import annotations

import json

import pytest

from tests.relevance.topics import SEGMENTER, profile
from topicspider.errors import ConfigError
from topicspider.judging import view_of
from topicspider.options import Options
from topicspider.topic.user_labels import Label, UserLabels, read_user_labels, user_labels_file, write_user_labels

LABELS = (Label(True, ("古镇", "旅游"), ("门票",), "http://a.example/旅", 0.5), Label(False, ("战报",)))
TUNED = UserLabels("tourism", "digest", "vsm", 0.125, LABELS)


def test_what_was_written_is_read(tmp_path):
    data = str(tmp_path)
    assert read_user_labels(data, "tourism") is None
    assert write_user_labels(data, TUNED) == user_labels_file(data, "tourism")
    assert read_user_labels(data, "tourism") == TUNED
    assert [path.name for path in user_labels_file(data, "tourism").parent.iterdir()] == ["tuned.json"]


def test_a_threshold_is_for_its_scorer_and_its_state_of_the_topic_only():
    assert TUNED.threshold_for("vsm", "digest") == 0.125
    assert TUNED.threshold_for("bm25", "digest") is None
    assert TUNED.threshold_for("vsm", "another") is None


@pytest.mark.parametrize(("option", "threshold"), [(-1.0, 0.125), (0.3, 0.3)])
def test_a_crawl_judges_by_it_unless_a_threshold_is_set(tmp_path, option, threshold):
    write_user_labels(str(tmp_path), TUNED)
    options = Options(data=str(tmp_path), page_scorer="vsm", page_threshold=option)
    assert view_of(profile(page=0.7), SEGMENTER, options).judge.threshold == threshold


WHOLE = {"topic": "tourism", "digest": "d", "scorer": "vsm", "threshold": 0.1, "labels": []}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[" * 100_000,
        *(
            json.dumps({**WHOLE, **changed})
            for changed in ({"threshold": 2.0}, {"threshold": "high"}, {"labels": [{}]})
        ),
    ],
)
def test_anything_else_in_the_file_is_an_error_that_says_what_to_do(tmp_path, content):
    path = user_labels_file(str(tmp_path), "tourism")
    path.parent.mkdir()
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match="Delete it"):
        read_user_labels(str(tmp_path), "tourism")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="TOPICSPIDER_DATA"):
        write_user_labels(str(tmp_path / "file"), TUNED)
