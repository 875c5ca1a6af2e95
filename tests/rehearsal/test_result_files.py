"""Results as files: the same bytes each time, equal when read back, whole or not there."""

from __future__ import annotations

import json
import os
import random

import pytest

from tests.rehearsal.example_runs import run_of, setting_of, u, written_labels
from tests.rehearsal.small_archives import SmallArchive, page
from topicspider.errors import ConfigError
from topicspider.rehearsal.evaluation.measures import results_of
from topicspider.rehearsal.evaluation.result_files import make_folder, results_json, write_file

NAMES = [f"%E6%B8%B8{i}" for i in range(8)]
PAGES = [u(name, site) for name, site in zip(NAMES, "aabbccdd", strict=True)]
JUDGE = written_labels(PAGES[:5], PAGES[5:])
WEB = SmallArchive(*(page(url, title=("黄山", "旅游")) for url in PAGES))


def results(**more):
    runs = []
    for policy, seed in (("bfs", 1), ("ipagerank", 2), ("oracle", 3)):
        for repeat in range(3):
            order = random.Random(seed * 10 + repeat).sample(PAGES, 7)
            runs.append(run_of(order, policy=policy, repeat=repeat, seeds=order[:1]))
    more = {"checkpoints": (2, 4, 6), "repeats": 3} | more
    return results_of(setting_of(**more), runs, JUDGE, WEB)


def test_results_json_holds_what_decides_the_outcome_and_reads_as_chinese():
    text = results_json(results()).decode()
    data = json.loads(text)
    assert data["setting"]["topic_digest"] == "topic"
    assert data["setting"]["options"] == {"delay_min": 0.0, "page_scorer": "vsm", "server_policy": "quality"}
    assert (data["setting"]["seed"], data["setting"]["version"]) == (0, "1")
    assert "旅游" in text
    assert "\\u" not in text
    assert list(data) == sorted(data)


def test_a_web_whose_name_is_no_text_can_be_written_down():
    assert b"caf?.warc" in results_json(results(web=os.fsdecode(b"caf\xe9.warc")))


def test_a_file_is_whole_or_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "结果.json"
    write_file(path, b"old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["结果.json"]


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="--out") as caught:
        make_folder(tmp_path / place)
    assert "\n" not in str(caught.value)
