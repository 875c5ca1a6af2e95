"""A crawl's folder is one plain name, whatever its topics are called."""

from __future__ import annotations

from urllib.parse import unquote

from topicspider.topic.profile import folder_name


def test_topics_together_are_joined_by_plus() -> None:
    assert folder_name("tourism", "sport") == folder_name("tourism+sport") == "tourism+sport"


def test_no_name_leaves_the_folder() -> None:
    assert folder_name("../茶 叶/x") == "..%2F%E8%8C%B6%20%E5%8F%B6%2Fx"
    assert unquote(folder_name("茶叶")) == "茶叶"
