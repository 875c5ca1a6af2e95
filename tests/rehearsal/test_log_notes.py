"""What is missing in a crawl's log is said in both languages."""

from __future__ import annotations

import pytest

from topicspider.rehearsal.archive.crawl_log import CUT_AT, DROPPED, TURNED_OFF
from topicspider.rehearsal.archive.log_web import _notes


class Facts:
    """The facts in a log's file."""

    def __init__(self, **facts):
        self._facts = facts

    def meta(self, key):
        return self._facts.get(key, "")


@pytest.mark.parametrize(("fact", "value"), [(CUT_AT, "100000"), (DROPPED, "17"), (TURNED_OFF, "磁盘已满")])
def test_every_note_of_a_log_has_its_chinese(fact, value):
    (note,) = _notes(Facts(**{fact: value}))
    assert value in note.en
    assert value in note.zh


def test_a_log_that_is_whole_has_no_note():
    assert list(_notes(Facts())) == []
