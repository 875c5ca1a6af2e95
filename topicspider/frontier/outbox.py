"""What a frontier has not been told yet, gathered until the next call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from topicspider.frontier.protocol import Completion, Entry, HostTiming, Work


@dataclass(slots=True)
class Outbox:
    """Work in the making. Links go before or with the end of the page they were found on (F1)."""

    completions: list[Completion] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    promotions: dict[int, float] = field(default_factory=dict)
    timings: dict[str, HostTiming] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.timings)

    def promote(self, promotions: Iterable[tuple[int, float]]) -> None:
        """Each link once, with the highest value that any topic gave it."""
        for fingerprint, score in promotions:
            self.promotions[fingerprint] = max(score, self.promotions.get(fingerprint, score))

    def take(self) -> Work:
        """All that is in it; nothing is in it after."""
        work = Work(self.completions, self.entries, list(self.promotions.items()), self.timings)
        self.completions, self.entries, self.promotions, self.timings = [], [], {}, {}
        return work

    def put_back(self, work: Work) -> None:
        """Work that could not be told goes before what came meanwhile."""
        self.completions = [*work.completions, *self.completions]
        self.entries = [*work.entries, *self.entries]
        self.promote(work.promotions)
        self.timings = {**(work.timings or {}), **self.timings}
