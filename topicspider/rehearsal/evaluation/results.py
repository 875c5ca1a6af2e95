"""The figures of a rehearsal, as they are printed, drawn and written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from topicspider.rehearsal.phrase import Phrase


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How one run stood after ``pages`` pages ((a) Li 2002, the test); ``reached`` is False when it had ended before.

    ``precision`` = hits / (hits + misses), the harvest rate; ``discovery`` = hits / targets, the resource discovery rate (target
    recall). Pages that are neither (hubs, unknown, seeds, copies) count in neither. ``seconds``: virtual.
    """

    pages: int
    reached: bool
    hits: int
    misses: int
    precision: float
    discovery: float
    seconds: float


@dataclass(frozen=True, slots=True)
class RunFigures:
    """One run, measured.

    ``curve``: (pages, hits, virtual seconds) at evenly spaced points, from (0, 0, 0.0) on. ``auc_perfect``: area under hits by pages relative
    to a crawl whose every page is a hit until there are no more; ``auc_oracle``: to the oracle's from the same seeds, if it was run.
    """

    policy: str
    repeat: int
    seeds: Sequence[str]
    pages: int
    hits: int
    ended: str
    targets: int
    checkpoints: Sequence[Checkpoint]
    curve: Sequence[tuple[int, int, float]]
    auc_perfect: float
    auc_oracle: float | None
    dead: int
    redirects: int
    forbidden: int
    links: int
    pruned: Mapping[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over repeats with the half-width of its 95 % confidence interval (0 for a single one)."""

    value: float
    half_width: float
    count: int

    @property
    def is_with_interval(self) -> bool:
        """Whether the interval is worth showing: of two values it is 9 times as wide as they lie apart."""
        return self.count >= 3

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of at least one value, with the interval of Student's t."""
        from scipy.special import stdtrit

        count = len(values)
        if count == 1:
            return cls(values[0], 0.0, 1)
        return cls(fmean(values), float(stdtrit(count - 1, 0.975)) * stdev(values) / sqrt(count), count)


@dataclass(frozen=True, slots=True)
class PolicyFigures:
    """One policy over all its repeats; ``precision``, ``discovery``, ``hits``, ``seconds`` by checkpoint, in pages."""

    policy: str
    runs: Sequence[RunFigures]
    precision: Mapping[int, Mean]
    discovery: Mapping[int, Mean]
    hits: Mapping[int, Mean]
    seconds: Mapping[int, Mean]
    auc_perfect: Mean
    auc_oracle: Mean | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``winner`` against ``loser`` from the same seeds, by area under the harvest curve relative to perfect: wins, ties, mean difference."""

    winner: str
    loser: str
    wins: int
    ties: int
    count: int
    difference: Mean


@dataclass(frozen=True, slots=True)
class Setting:
    """What was rehearsed; everything that decides the outcome. ``judged_by``: a labels file's name, ``truth``, or a scorer's name.

    ``is_evidence`` is False when no independent label judged: every output then says "self-judged, not evidence".
    """

    web: str
    web_digest: str
    pages_in_web: int
    topic: str
    topic_title: Mapping[str, str]
    topic_digest: str
    judged_by: str
    is_evidence: bool
    labels_digest: str
    checkpoints: Sequence[int]
    repeats: int
    start_pages: Sequence[str]
    options: Mapping[str, object]
    seed: int
    version: str


@dataclass(frozen=True, slots=True)
class Results:
    """Everything a rehearsal found, the same bytes for the same setting."""

    setting: Setting
    policies: Sequence[PolicyFigures]
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[Phrase] = ()


def plain(value: Any) -> Any:
    """``value`` in lists, dicts with text keys, numbers and text, as JSON has them; floats rounded, of another type its text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Phrase):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        # Digits behind the point in files: the last bits of a float depend on a machine's mathematical library.
        return round(value, 6) + 0.0  # no -0.0
    return value if value is None or isinstance(value, bool | int | str) else str(value)
