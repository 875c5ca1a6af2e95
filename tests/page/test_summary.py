"""A summary is the first sentences of the text."""

from __future__ import annotations

import pytest

from topicspider.page.metadata import MAX_SUMMARY, sentences, summary_of

LEAD = "本市昨日召开会议，部署今年各项工作。"
FILLER = [f"会议还听取了第{n}项工作的情况汇报，并提出具体要求。" for n in "一二三四五六"]
TEXT = "".join([LEAD, *FILLER])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("第一句。第二句！第三句？", ["第一句。", "第二句！", "第三句？"]),
        ("他说：“好的。”她走了。", ["他说：“好的。”", "她走了。"]),
        ("One. Two is 3.14 long. Three!", ["One.", "Two is 3.14 long.", "Three!"]),
        ("一行\n两行", ["一行", "两行"]),
        ("等等……好", ["等等……", "好"]),
        ("没有标点", ["没有标点"]),
        ("", []),
    ],
)
def test_sentences(text, wanted):
    assert list(sentences(text)) == wanted


def test_the_first_sentences_are_the_summary_and_short_ones_say_nothing():
    assert summary_of(TEXT) == LEAD + FILLER[0] + FILLER[1]
    assert summary_of("短。" * 5 + LEAD) == LEAD


def test_the_title_is_not_said_again():
    assert summary_of(TEXT, LEAD.rstrip("。")) == FILLER[0] + FILLER[1] + FILLER[2]


@pytest.mark.parametrize("text", ["", "短", "很长的旅游" * 2000, "旅游。" * 3000, TEXT * 50])
def test_a_summary_is_bounded(text):
    assert len(summary_of(text)) <= MAX_SUMMARY
