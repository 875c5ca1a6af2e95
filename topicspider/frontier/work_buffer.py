"""Work for the frontier, collected until the next call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace

from topicspider.frontier.protocol import Completion, Entry, HostTiming, Work


@dataclass(slots=True)
class WorkBuffer:
    """Links, completions and timings since the last call. Links are sent before or with the end of their page (promise F1)."""

    completions: list[Completion] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    promotions: dict[int, float] = field(default_factory=dict)
    revisions: dict[int, float] = field(default_factory=dict)
    timings: dict[str, HostTiming] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.revisions or self.timings)

    def promote(self, promotions: Iterable[tuple[int, float]]) -> None:
        """Keep the highest score that any topic gave each link."""
        for fingerprint, score in promotions:
            self.promotions[fingerprint] = max(score, self.promotions.get(fingerprint, score))

    def revise(self, revisions: Iterable[tuple[int, float]]) -> None:
        """A revision replaces every earlier score of its link, also of entries that wait here."""
        latest = dict(revisions)
        self.revisions.update(latest)
        if latest:
            self.entries = [self._as_revised(entry, latest) for entry in self.entries]
            for fingerprint in latest:
                self.promotions.pop(fingerprint, None)

    def note_timing(self, host: str, timing: HostTiming) -> None:
        """Keep the latest timing of a host; values that this fetch did not measure stay as before."""
        if (before := self.timings.get(host)) is not None:
            measured = {one.name: value for one in fields(timing) if (value := getattr(timing, one.name)) is not None}
            timing = replace(before, **measured)
        self.timings[host] = timing

    def take(self) -> Work:
        """Empty the buffer, and return what was in it."""
        promotions, revisions = list(self.promotions.items()), list(self.revisions.items())
        work = Work(self.completions, self.entries, promotions, revisions, self.timings)
        self.completions, self.entries, self.promotions, self.revisions, self.timings = [], [], {}, {}, {}
        return work

    def put_back(self, work: Work) -> None:
        """Work that could not be sent goes before what came meanwhile."""
        self.completions = [*work.completions, *self.completions]
        self.entries = [*(self._as_revised(entry, self.revisions) for entry in work.entries), *self.entries]
        self.promote(rise for rise in work.promotions if rise[0] not in self.revisions)
        self.revisions = {**dict(work.revisions), **self.revisions}
        since, self.timings = self.timings, dict(work.timings or {})
        for host, timing in since.items():
            self.note_timing(host, timing)

    def _as_revised(self, entry: Entry, revisions: Mapping[int, float]) -> Entry:
        """New entries have no score in the frontier yet that could be revised there."""
        score = revisions.get(entry.fingerprint)
        return entry if score is None else replace(entry, score=score)
