"""The work that a frontier has not been told yet, gathered until the next call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace

from topicspider.frontier.protocol import Completion, Entry, HostTiming, Work


@dataclass(slots=True)
class WorkBuffer:
    """Work in the making. Links go before or with the end of the page they were found on (promise F1)."""

    completions: list[Completion] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    promotions: dict[int, float] = field(default_factory=dict)
    revisions: dict[int, float] = field(default_factory=dict)
    timings: dict[str, HostTiming] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.revisions or self.timings)

    def promote(self, promotions: Iterable[tuple[int, float]]) -> None:
        """Each link once, with the highest value that any topic gave it."""
        for fingerprint, score in promotions:
            self.promotions[fingerprint] = max(score, self.promotions.get(fingerprint, score))

    def revise(self, revisions: Iterable[tuple[int, float]]) -> None:
        """What a learner thinks of links now takes the place of all that was said of them before."""
        latest = dict(revisions)
        self.revisions.update(latest)
        if latest:
            self.entries = [self._as_revised(entry, latest) for entry in self.entries]
            self.promotions = {
                fingerprint: score for fingerprint, score in self.promotions.items() if fingerprint not in latest
            }

    def note_timing(self, host: str, timing: HostTiming) -> None:
        """What a fetch told of its host; what this one did not tell stands as the one before it told."""
        before = self.timings.get(host)
        self.timings[host] = timing if before is None else _later(before, timing)

    def take(self) -> Work:
        """All that is in it; nothing is in it after."""
        promotions, revisions = list(self.promotions.items()), list(self.revisions.items())
        work = Work(self.completions, self.entries, promotions, revisions, self.timings)
        self.completions, self.entries, self.promotions, self.revisions, self.timings = [], [], {}, {}, {}
        return work

    def put_back(self, work: Work) -> None:
        """Work that could not be told goes before what came meanwhile."""
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


def _later(before: HostTiming, after: HostTiming) -> HostTiming:
    told = {one.name: value for one in fields(after) if (value := getattr(after, one.name)) is not None}
    return replace(before, **told)
