"""The file that leads Prometheus to a running crawl."""

from __future__ import annotations

import json
import subprocess
import sys

from support.crawling import environment
from topicspider.metrics.endpoint import TargetFile

DIES = """
import os, sys
from topicspider.metrics.endpoint import TargetFile
kept = TargetFile(sys.argv[1], "127.0.0.1:1111")
os._exit(9)
"""


def told(folder):
    return sorted(json.loads(path.read_text(encoding="utf-8"))[0]["targets"][0] for path in folder.glob("*.json"))


def test_each_crawl_has_a_file_until_it_is_over(tmp_path):
    folder = tmp_path / "指标"
    one, two = TargetFile(str(folder), "127.0.0.1:1234"), TargetFile(str(folder), "[::1]:5678")
    assert told(folder) == ["127.0.0.1:1234", "[::1]:5678"]
    one.remove()
    one.remove()
    assert told(folder) == ["[::1]:5678"]
    two.remove()
    assert list(folder.iterdir()) == []


def test_what_a_killed_crawl_left_stays_until_the_next_one_comes(tmp_path):
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], env=environment(), check=False)
    assert told(tmp_path) == ["127.0.0.1:1111"]
    next_one = TargetFile(str(tmp_path), "127.0.0.1:2222")
    assert told(tmp_path) == ["127.0.0.1:2222"]
    next_one.remove()
