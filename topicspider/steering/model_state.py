"""What the learners of a crawl know, as one text, and back: by topic, and by who learned it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicspider.relevance.learner.board import Learner, SharingLearner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topicspider.judging import TopicView

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Place:
    """Whose knowledge it is: the topic in that version, its links or its pages, and the name of the policy or scorer."""

    topic: str
    digest: str
    part: str
    by: str


def learners_of(views: Iterable[TopicView]) -> Iterator[tuple[Place, Learner]]:
    """Everything in ``views`` that learns; what could, but does not, has no version."""
    for view in views:
        for part, by, one in (("links", view.policy.name, view.policy), ("pages", view.judge.scorer_name, view.judge)):
            if isinstance(one, Learner) and one.version:
                yield Place(view.topic, view.digest, part, by), one


def version_of(views: Iterable[TopicView]) -> str:
    """Changes when any of the learners has learned."""
    return " ".join(f"{place.topic}.{place.part}:{learner.version}" for place, learner in learners_of(views))


def pack(views: Iterable[TopicView], mark: str = "") -> bytes:
    """The states of all learners; ``mark``: of other nodes' examples, the last that is in it."""
    states = [[*_key(place), learner.state().decode()] for place, learner in learners_of(views)]
    return json.dumps({"format": FORMAT, "mark": mark, "states": states}, ensure_ascii=False).encode()


def unpack(views: Iterable[TopicView], state: bytes) -> tuple[str, list[str]]:
    """Have the learners adopt what ``state`` has for them; the mark in it, and what was refused, as short English notes.

    What was learned for another version of the topic, or by another policy or scorer, is nobody's.
    """
    try:
        found = json.loads(state)
        if found["format"] != FORMAT:
            return "", [f"format {found['format']!r} is not known"]
        states = {tuple(key): text for *key, text in found["states"]}
        mark = str(found["mark"])
    except (ValueError, KeyError, TypeError) as error:
        return "", [f"it is none ({type(error).__name__})"]
    notes = []
    for place, learner in learners_of(views):
        text = states.get(_key(place))
        if text is not None:
            notes += _refusal(place, learner, text)
        elif any(key[0] == place.topic for key in states):
            notes.append(f"{place.part} of {place.topic} were learned otherwise, or for another version of the topic")
    return mark, notes


def news_of(views: Iterable[TopicView]) -> list[str]:
    """Examples of this node's learners since the last call, with whose they are."""
    return [
        json.dumps([*_key(place), example], ensure_ascii=False)
        for place, learner in learners_of(views)
        if isinstance(learner, SharingLearner)
        for example in learner.news()
    ]


def learn(views: Iterable[TopicView], examples: Sequence[str]) -> None:
    """Hand other nodes' examples to the learners they are for; those for nobody here are left out."""
    by_place: dict[tuple[Any, ...], list[str]] = {}
    for text in examples:
        try:
            *key, example = json.loads(text)
        except (ValueError, TypeError):
            continue
        if isinstance(example, str) and all(isinstance(part, str) for part in key):
            by_place.setdefault(tuple(key), []).append(example)
    for place, learner in learners_of(views):
        theirs = by_place.get(_key(place))
        if theirs and isinstance(learner, SharingLearner):
            learner.learn(theirs)


def _key(place: Place) -> tuple[str, str, str, str]:
    return place.topic, place.digest, place.part, place.by


def _refusal(place: Place, learner: Learner, text: str) -> list[str]:
    try:
        learner.adopt(text.encode())
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        return [f"{place.part} of {place.topic}: {type(error).__name__}: {error}"]
    return []
