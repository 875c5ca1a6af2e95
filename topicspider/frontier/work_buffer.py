"""Collects work for the frontier until the next call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace

from topicspider.frontier.protocol import Completion, Entry, HostTiming, Work


@dataclass(slots=True)
class WorkBuffer:
    """Links, completions and timings since the last call. Links are sent before the end of their page, or with it (promise F1)."""

    completions: list[Completion] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    promotions: dict[int, float] = field(default_factory=dict)
    revisions: dict[int, float] = field(default_factory=dict)
    timings: dict[str, HostTiming] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.revisions or self.timings)

    def promote(self, promotions: Iterable[tuple[int, float]]) -> None:
        """Record risen scores; of several scores of a link the highest counts."""
        for fingerprint, score in promotions:
            self.promotions[fingerprint] = max(score, self.promotions.get(fingerprint, score))

    def revise(self, revisions: Iterable[tuple[int, float]]) -> None:
        """Record a learner's new scores; each replaces every earlier score of its link, also in entries that wait here."""
        latest = dict(revisions)
        self.revisions.update(latest)
        if latest:
            self.entries = [self._as_revised(entry, latest) for entry in self.entries]
            for fingerprint in latest:
                self.promotions.pop(fingerprint, None)

    def note_timing(self, host: str, timing: HostTiming) -> None:
        """Record the latest timing of a host; values that this fetch did not measure keep their earlier value."""
        if (before := self.timings.get(host)) is not None:
            measured = {one.name: value for one in fields(timing) if (value := getattr(timing, one.name)) is not None}
            timing = replace(before, **measured)
        self.timings[host] = timing

    def take(self) -> Work:
        """Empty the buffer and return its contents."""
        promotions, revisions = list(self.promotions.items()), list(self.revisions.items())
        work = Work(self.completions, self.entries, promotions, revisions, self.timings)
        self.completions, self.entries, self.promotions, self.revisions, self.timings = [], [], {}, {}, {}
        return work

    def put_back(self, work: Work) -> None:
        """Put work that could not be sent before what has come since."""
        self.completions = [*work.completions, *self.completions]
        self.entries = [*(self._as_revised(entry, self.revisions) for entry in work.entries), *self.entries]
        self.promote(rise for rise in work.promotions if rise[0] not in self.revisions)
        self.revisions = {**dict(work.revisions), **self.revisions}
        since, self.timings = self.timings, dict(work.timings or {})
        for host, timing in since.items():
            self.note_timing(host, timing)

    def _as_revised(self, entry: Entry, revisions: Mapping[int, float]) -> Entry:
        """Apply revisions to an entry that is not in the frontier yet, where they would find nothing to revise."""
        score = revisions.get(entry.fingerprint)
        return entry if score is None else replace(entry, score=score)
