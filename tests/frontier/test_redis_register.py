"""The register of nodes in a real Redis: orders, and what was handed out again."""

from __future__ import annotations

from tests.frontier.drive import add, entry
from topicspider.frontier.heartbeat import Heartbeat
from topicspider.frontier.protocol import Work

LEASE = 20.0


def say(frontier, node):
    """One turn with a heartbeat."""
    frontier.sync(Work(), node, -1, 1, LEASE, Heartbeat("节点", lease=LEASE).text())


def test_a_wish_is_read_with_the_next_beat_and_only_by_whom_it_is_for(nodes, look):
    first, second = nodes(), nodes()
    say(first, "a-1")
    say(second, "b-1")
    assert look().ask("a-1", "drain")
    assert not look().ask("c-1", "drain")
    first.sync(Work(), "a-1", -1, 1, LEASE)
    assert first.asked == "", "no heartbeat, no answer"
    say(first, "a-1")
    say(second, "b-1")
    assert (first.asked, second.asked) == ("drain", "")
    assert [node.asked for node in look().nodes().nodes if node.key == "a-1"] == ["drain"]


def test_what_a_lease_that_is_over_had_counts_as_handed_out_again(nodes, look, clock):
    slow, other = nodes(), nodes()
    add(slow, *(entry(n, host=f"{n}.example:80") for n in range(3)))
    assert len(slow.acquire("slow", 3, 1, LEASE).leases) == 3
    clock.now += LEASE + 1
    assert len(other.acquire("other", 3, 1, LEASE).leases) == 3
    assert look().nodes().handed_out_again == 3
