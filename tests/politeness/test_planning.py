"""What politeness allows: pages of some hosts in a time, and the time that pages take."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.politeness.planning import Allowance, Delays, HostBudget


def test_nine_hosts_with_a_rest_of_twenty_seconds_allow_3240_pages_in_two_hours():
    nine = Allowance([HostBudget(20.0)] * 9)
    assert nine.hosts == 9
    assert nine.pages_in(7200) == 3240
    assert nine.seconds_for(3240) == 7200
    assert nine.seconds_for(3241) == 7220


@pytest.mark.parametrize(
    ("download", "asked", "cycle"),
    [(0.0, 0.0, 1.0), (0.3, 0.0, 3.3), (0.3, 20.0, 20.3), (0.05, 0.0, 1.05), (30.0, 0.0, 90.0), (0.1, 99.0, 60.1)],
)
def test_a_cycle_is_a_download_and_the_rest_that_politeness_gives(download, asked, cycle):
    assert Delays(factor=10, low=1, high=60).cycle_seconds(download, asked) == pytest.approx(cycle)


def test_a_host_gives_no_more_than_it_has():
    allowance = Allowance([HostBudget(10.0, 5), HostBudget(1.0, 100)])
    assert allowance.pages_in(3600) == 105
    assert allowance.pages_in(20) == 22
    assert allowance.seconds_for(105) == 100
    assert allowance.seconds_for(106) is None


@given(
    st.lists(
        st.builds(HostBudget, st.floats(0.1, 1000), st.one_of(st.none(), st.integers(0, 50))), min_size=1, max_size=8
    ),
    st.integers(1, 300),
)
def test_the_time_that_is_named_is_enough_and_hardly_less_would_do(hosts, pages):
    allowance = Allowance(hosts)
    seconds = allowance.seconds_for(pages)
    if seconds is None:
        assert all(host.urls is not None for host in hosts)
        assert sum(host.urls for host in hosts) < pages
    else:
        assert allowance.pages_in(seconds + 0.01) >= pages
        assert allowance.pages_in(max(0.0, seconds - 0.01)) < pages
