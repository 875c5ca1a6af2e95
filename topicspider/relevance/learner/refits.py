"""Where a model is fitted anew: at once in rehearsals and tests, in a thread while a crawl runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Fitted = TypeVar("Fitted")


class Refits(Protocol):
    """Runs a fit and hands its result over where pages are judged; one at a time for each learner is the learner's care."""

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """Call ``fit``, which touches nothing that judging changes, then ``adopt`` with what it returned, between two pages.

        It may not come to ``adopt``: a fit may fail, or be left out because another node fits. Ask again with later examples.
        """


class InlineRefits:
    """At once: the same pages give the same scores in every run."""

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """See Refits."""
        adopt(fit())
