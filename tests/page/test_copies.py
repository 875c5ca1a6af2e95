"""A hit is counted once, however many copies of it a crawl finds."""

from __future__ import annotations

import pytest

from topicspider.page.near_duplicate import NEAR, CopyMemory


def flipped(simhash: int, bits: int) -> int:
    for bit in range(bits):
        simhash ^= 1 << (7 * bit)
    return simhash


@pytest.mark.parametrize("first", [0x1234_5678_9ABC_DEF0, -0x1234_5678_9ABC_DEF0, -1])
@pytest.mark.parametrize(("bits", "is_copy"), [(0, True), (NEAR, True), (NEAR + 1, False)])
def test_another_url_with_nearly_the_same_words_is_a_copy(first, bits, is_copy):
    memory = CopyMemory()
    assert not memory.is_copy(first, 1)
    assert memory.is_copy(flipped(first, bits), 2) is is_copy


def test_the_same_url_again_is_no_copy_and_its_copies_stay_copies():
    memory = CopyMemory()
    assert [memory.is_copy(5, mark) for mark in (-1, 2, -1, 2)] == [False, True, False, True]


def test_pages_too_short_to_tell_are_copies_of_nothing():
    memory = CopyMemory()
    assert not any(memory.is_copy(0, mark) for mark in range(5))


def test_it_remembers_the_last_originals_and_no_more():
    memory = CopyMemory(capacity=3)
    hashes = [0x0101_0101_0101_0101 * number for number in range(1, 6)]
    hashes = [one * 0x9E37_79B9_7F4A_7C15 % 2**63 for one in hashes]
    assert not any(memory.is_copy(one, mark) for mark, one in enumerate(hashes))
    assert [memory.is_copy(one, 99) for one in hashes[2:]] == [True] * 3
    assert not memory.is_copy(hashes[0], 99)


def test_it_grows_beyond_its_first_size():
    memory = CopyMemory()
    hashes = [number * 0x9E37_79B9_7F4A_7C15 % 2**63 for number in range(1, 3000)]
    originals = [one for mark, one in enumerate(hashes) if not memory.is_copy(one, mark)]
    assert len(originals) > 2500
    assert all(memory.is_copy(one, -1) for one in originals)
