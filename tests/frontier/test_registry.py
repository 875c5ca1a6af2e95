"""From TOPICSPIDER_FRONTIER to a frontier."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.frontier.drive import add, entry, take
from topicspider.errors import ConfigError
from topicspider.frontier.memory import MemoryFrontier
from topicspider.frontier.registry import open_frontier
from topicspider.frontier.sqlite import SqliteFrontier


@pytest.mark.parametrize(
    ("url", "kind", "file"),
    [
        ("", SqliteFrontier, "default.db"),
        ("memory:", MemoryFrontier, None),
        ("sqlite:///{}/深 层/f.db", SqliteFrontier, "深 层/f.db"),
    ],
)
def test_each_allowed_form_opens_its_frontier(tmp_path, url, kind, file):
    with closing(open_frontier(url.format(tmp_path), tmp_path / "default.db", max_pages=1, attempts=2)) as frontier:
        assert type(frontier) is kind
        add(frontier, entry(1), entry(2))
        assert len(take(frontier, urls_per_host=2).leases[0].entries) == 1
    assert [p.name for p in tmp_path.rglob("*.db")] == ([file.split("/")[-1]] if file else [])
    if file:
        assert (tmp_path / file).exists()


def test_three_slashes_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_frontier("sqlite:///f.db", tmp_path / "default.db").close()
    assert (tmp_path / "f.db").exists()


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1/0", "sqlite:///", "sqlite://f.db", "f.db", "memory", "mysql://旅游"]
)
def test_anything_else_is_an_error_that_names_the_setting_the_value_and_what_is_allowed(tmp_path, url):
    with pytest.raises(ConfigError) as error:
        open_frontier(url, tmp_path / "default.db")
    for part in ("TOPICSPIDER_FRONTIER", repr(url), "sqlite:///PATH", "memory:"):
        assert part in str(error.value)
