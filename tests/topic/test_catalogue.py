"""The catalogue of classes: complete, each class told from the others by its terms and by texts that were left out of it."""

from __future__ import annotations

from collections import defaultdict

import pytest

from support.class_data import shares, terms_alone, texts_left_out
from topicspider.text.normalise import has_cjk
from topicspider.topic import catalogue
from topicspider.topic.class_topics import class_of, class_topic, class_topics, level_of, search_classes

LETTERS = "ABCDEFGHIJKNOPQRSTUVXZ"
LARGEST_TEXTS = 5
each_class = pytest.mark.parametrize("number", catalogue.classes())


@each_class
def test_a_class_has_titles_terms_texts_scope_and_a_parent(number: str) -> None:
    topic = class_topic(number)
    assert set(topic.title) == {"zh", "en"}
    assert 8 <= len(topic.terms) <= 30
    assert 3 <= len(topic.texts) <= LARGEST_TEXTS
    assert any(not has_cjk(term) for term in topic.terms)
    assert any(not has_cjk(text) for text in topic.texts)
    assert sum(map(has_cjk, topic.texts)) >= 2
    assert topic.clc == number
    assert (topic.scope, catalogue.parent_of(number)) == ("broad", "") or (
        topic.scope == "specific" and level_of(number) == 2
    )
    assert number in LETTERS or catalogue.parent_of(number) in catalogue.classes()


def test_all_letters_have_their_classes() -> None:
    assert [number for number in catalogue.classes() if level_of(number) == 1] == list(LETTERS)
    assert len(catalogue.classes()) >= 270


def test_no_term_is_that_of_two_classes() -> None:
    owners = defaultdict(set)
    for topic in class_topics():
        for term in topic.terms:
            owners[term.lower()].add(topic.clc)
    assert {term: numbers for term, numbers in owners.items() if len(numbers) > 1} == {}


@pytest.mark.parametrize("level", [1, 2])
def test_nine_of_ten_texts_are_found_in_their_class_when_they_are_left_out_of_it(level: int) -> None:
    found = texts_left_out(level)
    right = [number == best for number, _, best in found]
    assert len(right) >= 3 * len(class_topics(level))
    assert sum(right) >= 0.9 * len(right), [one for one in found if one[0] != one[2]]


def test_terms_by_themselves_lead_to_their_class() -> None:
    """Nineteen of twenty, and most of each class; the rest are words that two neighbours share (车企: F4, U4) or names that no table has."""
    found = terms_alone(2)
    assert {number: share for number, share in shares(found).items() if share < 0.6} == {}
    assert sum(number == best for number, _, best in found) >= 0.92 * len(found)


@pytest.mark.parametrize(
    ("number", "nearest", "neighbour"),
    [
        ("F59", "F59", "F59"),
        ("F592.7", "F59", "F59"),
        ("d35", "D33/37", "D33/37"),
        ("Z9", "Z", "Z8"),
        ("K82", "K", "K81"),
        ("TX", None, None),
        ("W1", None, None),
        ("茶", None, None),
    ],
)
def test_a_number_leads_to_the_class_it_is_in_or_beside(
    number: str, nearest: str | None, neighbour: str | None
) -> None:
    assert catalogue.nearest_class(number) == nearest
    assert catalogue.neighbour(number) == neighbour


@pytest.mark.parametrize(
    ("word", "number"),
    [("心理", "B84"), ("xlx", "B84"), ("psych", "B84"), ("K8", "K87"), ("兵马俑", "K87"), ("football", "G8")],
)
def test_a_class_is_found_by_title_initials_english_number_and_term(word: str, number: str) -> None:
    assert number in list(search_classes(word))


def test_a_class_is_called_by_its_number_and_its_titles() -> None:
    names = ("k87", "D33/37", "d33_37", "心理学", "Psychology", "nothing")
    assert [class_of(name) for name in names] == ["K87", "D33/37", "D33/37", "B84", "B84", ""]


def test_a_branch_is_a_letter_or_number_with_all_below_it() -> None:
    assert catalogue.branch("F5*") == ["F5", "F59"]
    assert catalogue.branch("v*") == ["V", "V1", "V2", "V4", "V7"]
    assert len(catalogue.branch("clc")) == len(catalogue.classes())
    assert catalogue.branch("F5") == catalogue.branch("*") == catalogue.branch("W*") == []
