"""Near-duplicates are found within LIMIT bits, without comparing all pairs, and whatever the order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from topicspider.rehearsal.evaluation.measures import LIMIT, duplicate_groups, earlier_duplicates

MASK = (1 << 64) - 1
HASHES = st.integers(-(2**63), 2**63 - 1)


def flipped(simhash, bits):
    for bit in bits:
        simhash ^= 1 << bit
    return simhash - 2**64 if simhash >= 2**63 else simhash


@given(HASHES.filter(bool), st.sets(st.integers(0, 62), max_size=12))
def test_a_page_is_a_copy_exactly_when_at_most_limit_bits_differ(simhash, bits):
    other = flipped(simhash, bits)
    assert list(earlier_duplicates([simhash, other])) == [[], [0] if len(bits) <= LIMIT and other else []]


def test_pages_too_short_to_tell_are_copies_of_nothing():
    assert duplicate_groups([0, 0, 1, 0]) == [0, 1, 2, 3]


def plain_groups(simhashes):
    """Every pair compared, until nothing changes."""
    groups = list(range(len(simhashes)))
    for _ in simhashes:
        for i, one in enumerate(simhashes):
            for j, other in enumerate(simhashes):
                if one and other and ((one ^ other) & MASK).bit_count() <= LIMIT:
                    groups[i] = groups[j] = min(groups[i], groups[j])
    return groups


@given(
    st.lists(st.sampled_from([0, 1, 0b11, 2**7 - 1, 2**9 - 1, 2**15 - 1, -1, -2, 1 << 40, (1 << 40) + 1]), max_size=12)
)
def test_groups_are_those_of_comparing_every_pair(simhashes):
    fast, plain = duplicate_groups(simhashes), plain_groups(simhashes)
    assert [fast.index(group) for group in fast] == [plain.index(group) for group in plain]
