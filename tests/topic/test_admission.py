"""What keeps a link out: depth, hosts, traps; a wrong name of a trap is an error that lists the right ones."""

from __future__ import annotations

import pytest

from topicspider.defaults import Options
from topicspider.errors import ConfigError
from topicspider.topic.admission import Admission, traps_of
from topicspider.topic.profile import Limits

TRAP = "http://甲.example/a/b/a/b/a/b/"


def test_limits_come_first_and_a_host_covers_its_subdomains():
    admission = Admission(Limits(depth=2, allow_hosts=("good.example",), deny_hosts=("bad.good.example",)))
    assert admission.refusal("http://good.example/", 3) == "depth"
    assert admission.refusal("http://x.bad.good.example/", 1) == "host_denied"
    assert admission.refusal("http://other.example/", 1) == "host_not_allowed"
    assert admission.refusal("http://www.good.example/旅游", 2) == ""
    assert Admission().refusal(TRAP, 99) == ""


def test_traps_are_on_by_default_and_can_be_chosen():
    def reason(**options):
        return Admission(Limits(), traps_of(Options(**options))).refusal(TRAP, 1)

    assert reason() == "trap_repeated"
    assert reason(traps="none") == reason(traps="length, calendar") == ""
    assert reason(traps="length,repeated") == "trap_repeated"


@pytest.mark.parametrize("value", ["", "all,length", "repeat", ","])
def test_a_wrong_name_is_told_with_the_right_ones(value):
    with pytest.raises(ConfigError) as caught:
        traps_of(Options(traps=value))
    assert "TOPICSPIDER_TRAPS" in str(caught.value)
    assert "repeated" in str(caught.value)
