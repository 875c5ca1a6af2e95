"""``scrapy topics list``: what it says of the topics that a store holds."""

from __future__ import annotations

import argparse
from contextlib import closing

from topicspider.cli.topics import list_topics
from topicspider.commands.topics import Command
from topicspider.i18n import use_language
from topicspider.options import Options
from topicspider.store.location import open_store

TEA = "title: {zh: 茶叶, en: Tea}\nterms: {茶叶: 1.0, 普洱: 0.8}\n"


def test_names_in_a_store_that_a_terminal_would_obey_are_shown_without_that(tmp_path, capsys):
    url = f"sqlite:///{tmp_path / 'p.db'}"
    names = ("茶", "茶\x1b[2J叶", "黑茶\n假的一行")
    with closing(open_store(url, tmp_path / "unused")) as store:
        rows = [(name, TEA, "2026-11-22") for name in names]
        store.database.write([("INSERT INTO topics (name, content, stored_at) VALUES (?, ?, ?)", rows)])
    options = Options(store=url, topics_dir=str(tmp_path))
    use_language("zh")
    list_topics(Command(), argparse.Namespace(), options)
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert "\x1b" not in out
    assert "  茶  茶叶" in lines
    assert any(line.startswith("  茶 [2J叶  ") for line in lines)
    assert any(line.startswith("  黑茶 假的一行  ") for line in lines)
    assert not any(line.startswith("假的一行") for line in lines)
