"""What a round keeps of what the crawl knows of its hosts: blocks, delays, rests, and how many pages each may still give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from topicspider.frontier.inspection import HostState


class HostLimits:
    """``states``: the crawl's hosts as they are now; ``pages_per_host`` None is no limit.

    ``steering`` is what the round's own queue has to be told: pages of the crawl are no visits of the round.
    """

    def __init__(self, states: Iterable[HostState] = (), pages_per_host: int | None = None) -> None:
        self._pages_per_host = pages_per_host
        self._pages: dict[str, int] = {}
        self._taken: Counter[str] = Counter()
        self.steering: list[HostState] = []
        for state in states:
            if pages_per_host is not None:
                self._pages[state.host] = state.pages
            if state.is_blocked or state.delay_seconds or state.rest_seconds:
                self.steering.append(
                    HostState(
                        state.host,
                        rest_seconds=state.rest_seconds,
                        delay_seconds=state.delay_seconds,
                        is_blocked=state.is_blocked,
                    )
                )
        self.blocked = frozenset(state.host for state in self.steering if state.is_blocked)

    def begin(self) -> None:
        """A new round has taken nothing yet."""
        self._taken.clear()

    def take(self, host: str) -> bool:
        """Whether one more new page of ``host`` may be queued; it counts."""
        if self._pages_per_host is None:
            return True
        if self._pages.get(host, 0) + self._taken[host] >= self._pages_per_host:
            return False
        self._taken[host] += 1
        return True
