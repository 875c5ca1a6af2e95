"""Picks between our own body of a page and trafilatura's, as the manner of reading says."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from topicspider.page.bodies.body import MAX_BODY, choose, text_of
from topicspider.page.bodies.confidence import confidence, signs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicspider.page.bodies.quality import Answer
    from topicspider.page.markup.reading import Reading

ASKED_BELOW = 0.4
"""Of confidence, where ``auto`` asks: 2 % of the measuring set's 437 pages, those that trafilatura reads better on average. From .5 to
.7 it is worse: mean F1 .71 against .88."""


class BodyRule:
    """A page's body by a rule: density, quality or auto. ``ask`` asks trafilatura, at most once."""

    def __init__(
        self, rule: str, reading: Reading, zones: list[str], title: str, is_thread: bool, ask: Callable[[], Answer]
    ) -> None:
        self._rule = rule
        self._reading = reading
        self._title = title
        self._ask = ask
        self._choice = choose(reading, zones, title, is_thread)

    @cached_property
    def own(self) -> str:
        """Our own body."""
        return text_of(self._reading, self._choice, self._title)

    @cached_property
    def signs(self) -> dict[str, float]:
        """What speaks for our own body."""
        return signs_of(self._reading, self._choice, self.own)

    @property
    def confidence(self) -> float:
        """How likely our own body is mostly right, in [0, 1]."""
        return confidence(self.signs)

    @cached_property
    def answer(self) -> Answer | None:
        """What trafilatura says; None when it is not asked."""
        if self._rule == "quality" or (self._rule == "auto" and self.confidence < ASKED_BELOW):
            return self._ask()
        return None

    @property
    def text(self) -> str:
        """The body by the rule; our own where trafilatura has none."""
        return (self.answer.text[:MAX_BODY] if self.answer else "") or self.own

    @property
    def parts(self) -> dict[str, float | str]:
        """Whose body it is, what became of asking for another, and the signs."""
        answer = self.answer
        told: dict[str, float | str] = {"rule": "quality" if answer and answer.text else "density"}
        if answer and answer.why:
            told["quality"] = answer.why
        return told | self.signs
