"""Where figures may be asked for, and who is told."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.crawling import environment
from topicspider.errors import ConfigError
from topicspider.metrics.endpoint import Place, TargetFile, is_loopback
from topicspider.options import Options

TOKEN = "0123456789abcdef"


def place(**options):
    return Place.read(Options(**{"metrics": "0", **options}))


def test_by_default_there_is_none():
    assert Place.read(Options()) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.8.7", "::1", "localhost"])
def test_on_loopback_no_token_is_needed(host):
    assert is_loopback(host)
    assert place(metrics=f"[{host}]:0").admits("")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "node3.internal", "localhost.example", "本机"])
def test_elsewhere_there_is_no_open_port_without_a_token(host):
    with pytest.raises(ConfigError, match="TOPICSPIDER_METRICS_TOKEN: '' is not valid; allowed: 16 or more letters"):
        place(metrics=f"[{host}]:0")
    assert place(metrics=f"[{host}]:0", metrics_token=TOKEN).token == TOKEN


@pytest.mark.parametrize("token", ["k9rz", "0123456789abcde", "0123456789 abcdef", "密码密码密码密码密码密码密码密码"])
def test_a_token_that_is_too_short_or_no_header_can_hold_is_refused_and_not_shown(token):
    with pytest.raises(ConfigError, match="TOPICSPIDER_METRICS_TOKEN") as caught:
        place(metrics_token=token)
    assert token not in str(caught.value)
    assert "\\u5bc6" not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "is_let_in"),
    [
        (f"Bearer {TOKEN}", True),
        (f"bearer  {TOKEN} ", True),
        (f"Bearer {TOKEN}0", False),
        (f"Bearer {TOKEN[:-1]}", False),
        (f"Basic {TOKEN}", False),
        (TOKEN, False),
        ("Bearer", False),
        ("Bearer 密码", False),
        ("Bearer \udcff", False),
        ("", False),
    ],
)
def test_only_the_whole_token_opens(header, is_let_in):
    assert place(metrics_token=TOKEN).admits(header) is is_let_in


@pytest.mark.parametrize("port", ["-2", "65536", "one", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(ConfigError, match="TOPICSPIDER_METRICS: "):
        place(metrics=port)


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
