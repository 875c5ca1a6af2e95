"""Floors, the least values that figures must have: reads and writes floors.json, compares figures, and computes the next floors.

A section is one corpus and one plan for measuring it. Its subjects are link policies (or groups of pages, for the reading of
pages), each with one or more figures; higher is better. A figure may be below its floor by at most the tolerance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from topicspider.files import atomic_write

Figures: TypeAlias = Mapping[str, Mapping[str, float]]
"""By subject and name of figure: the figure, as in ``{"ipagerank": {"auc": 0.71}}``."""


@dataclass(frozen=True, slots=True)
class Section:
    """``digest``: of the data measured, by part; ``plan``: how they are measured; ``tolerance``: by name of figure."""

    name: str
    plan: Mapping[str, object]
    tolerance: Mapping[str, float]
    digest: Mapping[str, str]
    floors: Figures

    @property
    def corpus(self) -> str:
        """The name without the topic: ``sites-dev`` of ``sites-dev/food``."""
        return self.name.partition("/")[0]


Regression: TypeAlias = dict[str, object]
"""A floor that was lowered on purpose: corpus, policy, figure, from, to (None: its subject is gone), reason."""

FLOORS = Path(__file__).with_name("floors.json")
DECIMALS = 4
"""Decimals of floors, and of the figures that are compared with them."""


@dataclass(frozen=True, slots=True)
class Floors:
    """The contents of floors.json."""

    sections: Sequence[Section]
    regressions: Sequence[Regression]

    @classmethod
    def read(cls) -> Floors:
        """Read floors.json."""
        found = json.loads(FLOORS.read_text(encoding="utf-8"))
        return cls(
            [Section(name, **fields) for name, fields in sorted(found["sections"].items())], found["regressions"]
        )

    def write(self) -> None:
        """Replace floors.json, with a figure a line; the same floors give the same bytes."""
        sections = {
            one.name: {key: value for key, value in asdict(one).items() if key != "name"} for one in self.sections
        }
        whole = {"sections": sections, "regressions": self.regressions}
        atomic_write(FLOORS, (json.dumps(whole, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode())


@dataclass(frozen=True, slots=True)
class Measured:
    """What measuring a section by its plan gives now."""

    digest: Mapping[str, str]
    figures: Figures


@dataclass(frozen=True, slots=True)
class Row:
    """One figure beside its floor: ``value`` None for a subject that is gone, ``floor`` None for one that is new."""

    section: str
    subject: str
    figure: str
    value: float | None
    floor: float | None
    tolerance: float

    @property
    def difference(self) -> float | None:
        """The figure minus its floor."""
        return None if self.value is None or self.floor is None else self.value - self.floor

    @property
    def is_below(self) -> bool:
        """Whether the figure is below its floor by more than the tolerance (and the rounding to DECIMALS)."""
        return self.difference is not None and self.difference < -self.tolerance - 1e-9

    @property
    def fails(self) -> bool:
        """Whether the figure is below its floor, or one of the two is missing."""
        return self.is_below or self.value is None or self.floor is None


def compare(section: Section, measured: Measured) -> list[Row]:
    """A row for each figure that was measured or has a floor, by subject and name."""
    cells = sorted(_cells(section.floors) | _cells(measured.figures))
    return [
        Row(
            section.name,
            subject,
            figure,
            measured.figures.get(subject, {}).get(figure),
            section.floors.get(subject, {}).get(figure),
            section.tolerance.get(figure, 0.0),
        )
        for subject, figure in cells
    ]


def changed(section: Section, measured: Measured) -> list[str]:
    """The parts of the digest that have changed since the floors were measured; all parts in a section without floors."""
    return sorted(part for part, digest in measured.digest.items() if section.digest.get(part) != digest)


def raised(section: Section, measured: Measured, reason: str = "") -> tuple[Section, list[Regression], list[Row]]:
    """The section with its next floors, what was lowered, and the rows that still fail.

    Figures above their floor, and new ones, become floors. Failing figures do so only with a ``reason``; without one, the old floors
    and the digest stay, because floors must not name a corpus on which they do not hold.
    """
    floors: dict[str, dict[str, float]] = {}
    lowered: list[Regression] = []
    failing: list[Row] = []
    for row in compare(section, measured):
        if row.floor is None or not row.fails:
            floor = max(value for value in (row.value, row.floor) if value is not None)
        elif reason:
            lost = {"corpus": row.section, "policy": row.subject, "figure": row.figure, "from": row.floor}
            lowered.append({**lost, "to": row.value, "reason": reason})
            if row.value is None:
                continue
            floor = row.value
        else:
            failing.append(row)
            floor = row.floor
        floors.setdefault(row.subject, {})[row.figure] = floor
    digest = section.digest if failing else measured.digest
    return replace(section, floors=floors, digest=digest), lowered, failing


def _cells(figures: Figures) -> set[tuple[str, str]]:
    return {(subject, figure) for subject, named in figures.items() for figure in named}
