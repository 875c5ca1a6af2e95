"""What people call a host, and what the queue calls it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from topicspider.cli.frontier import hosts_called
from topicspider.errors import ConfigError
from topicspider.frontier.inspection import HostState

KNOWN = ["a.example:80", "a.example:443", "www.travel.example:80", "xn--zfvz1q.example:80", "[::1]:8080", "b.example:8080"]  # fmt: skip
QUEUE = SimpleNamespace(hosts=lambda: map(HostState, KNOWN))


@pytest.mark.parametrize(
    ("name", "hosts"),
    [
        ("A.Example", ["a.example:443", "a.example:80"]),
        ("https://a.example/某页?x=1", ["a.example:443"]),
        ("旅游.example", ["xn--zfvz1q.example:80"]),
        ("旅游.example:80", ["xn--zfvz1q.example:80"]),
        ("http://旅游.example/页", ["xn--zfvz1q.example:80"]),
        ("b.example", ["b.example:8080"]),
        ("[::1]", ["[::1]:8080"]),
        ("[::1]:8080", ["[::1]:8080"]),
    ],
)
def test_a_name_means_its_hosts(name, hosts):
    assert hosts_called([name], QUEUE) == hosts


@pytest.mark.parametrize("name", ["a.exmple", "a.example:8080", "旅行.example", "", "://"])
def test_an_unknown_name_is_an_error(name):
    with pytest.raises(ConfigError, match="frontier hosts"):
        hosts_called([name], QUEUE)
