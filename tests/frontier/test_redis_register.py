"""The register of nodes in a real Redis: orders, and what was fetched twice."""

from __future__ import annotations

from tests.frontier.drive import add, ends, entry
from topicspider.frontier.heartbeat import Heartbeat
from topicspider.frontier.protocol import End, Work

LEASE = 20.0


def beat(name="节点", rate=-1.0, **fields):
    return Heartbeat(name, lease=LEASE, **fields).text(), repr(rate)


def say(frontier, node, work=None, *, hosts=-1, **fields):
    """One turn with a beat."""
    return frontier.sync(work or Work(), node, hosts, 1, LEASE, beat(**fields))[0]


def test_a_wish_is_read_with_the_next_beat_and_only_by_whom_it_is_for(nodes, look):
    first, second = nodes(), nodes()
    say(first, "a-1")
    say(second, "b-1")
    assert look().ask("a-1", "drain")
    assert not look().ask("c-1", "drain")
    first.sync(Work(), "a-1", -1, 1, LEASE)
    assert first.asked == "", "no beat, no answer"
    say(first, "a-1")
    say(second, "b-1")
    assert (first.asked, second.asked) == ("drain", "")
    assert [node.asked for node in look().nodes().nodes if node.key == "a-1"] == ["drain"]


def test_a_page_told_by_a_lease_that_is_over_was_fetched_twice_and_counts_once(nodes, look, clock):
    slow, other = nodes(), nodes()
    add(slow, *(entry(n, host=f"{n}.example:80") for n in range(3)))
    leases = say(slow, "slow", hosts=3).leases
    assert len(leases) == 3
    clock.now += LEASE + 1
    again = {lease.host: lease for lease in other.acquire("other", 3, 1, LEASE).leases}
    assert len(again) == 3
    register = look().nodes()
    assert (register.duplicates, register.handed_out_again) == (0, 3)
    done, missing, failed = leases
    told = [*ends(done), *ends(missing, End.NO_PAGE, "not_found"), *ends(failed, End.FAILED, "reset")]
    say(slow, "slow", Work(told))
    say(slow, "slow", Work(told))  # its answer was lost: told again
    other.apply(Work([end for lease in again.values() for end in ends(lease)]))
    register = look().nodes()
    assert (register.duplicates, register.handed_out_again) == (2, 3)
