"""What keeps a link out: depth, hosts, traps; a wrong name of a trap is an error that lists the right ones."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.topic.profile import Limits
from topicspider.topic.url_filter import UrlFilter, traps_from_options

TRAP = "http://甲.example/a/b/a/b/a/b/"


def test_limits_come_first_and_a_host_covers_its_subdomains():
    admission = UrlFilter(Limits(depth=2, allow_hosts=("good.example",), deny_hosts=("bad.good.example",)))
    assert admission.reject_reason("http://good.example/", 3) == "depth"
    assert admission.reject_reason("http://x.bad.good.example/", 1) == "host_denied"
    assert admission.reject_reason("http://other.example/", 1) == "host_not_allowed"
    assert admission.reject_reason("http://www.good.example/旅游", 2) == ""
    assert UrlFilter().reject_reason(TRAP, 99) == ""


def test_traps_are_on_by_default_and_can_be_chosen():
    def reason(**options):
        return UrlFilter(Limits(), traps_from_options(Options(**options))).reject_reason(TRAP, 1)

    assert reason() == "trap_repeated"
    assert reason(traps="none") == reason(traps="length, calendar") == ""
    assert reason(traps="length,repeated") == "trap_repeated"


@pytest.mark.parametrize("value", ["", "all,length", "repeat", ","])
def test_a_wrong_name_is_told_with_the_right_ones(value):
    with pytest.raises(ConfigError) as caught:
        traps_from_options(Options(traps=value))
    assert "TOPICSPIDER_TRAPS" in str(caught.value)
    assert "repeated" in str(caught.value)
