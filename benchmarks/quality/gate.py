"""The gate: measures every corpus of this machine, and fails when a figure is below its floor.

    ./run gate                                       measure and compare; exit code 1 below a floor
    ./run gate --only made                           one corpus of `--list`
    ./run gate --raise                               figures above their floors become the floors; new policies get one
    ./run gate --raise --allow-regression "reason"   figures below may become the floors, too; the reason is kept

Floors are in benchmarks/quality/floors.json. Recorded corpora lie in $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; those
that are missing are skipped and named. Synthetic webs (made) are always measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from benchmarks.quality import extraction
from benchmarks.quality.floors import Floors, Measured, Regression, Row, Section, changed, compare, raised
from benchmarks.quality.measuring import Bench, measure, missing, read_ahead
from topicspider.errors import ConfigError, TopicSpiderError

RAISE = "./run gate --raise"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code. 0: no figure is below its floor. 1: one is. 2: wrong use, or a file that cannot be read."""
    options = _options(arguments)
    try:
        return _gate(options)
    except TopicSpiderError as error:
        print(f"gate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gate: stopped", file=sys.stderr)
        return 130


def _gate(options: argparse.Namespace) -> int:
    floors = Floors.read()
    chosen = _chosen(floors.sections, options.only)
    if options.list:
        print("\n".join(map(_described, chosen)))
        return 0
    present = [one for one in chosen if not missing(one, extraction.corpora())]
    with tempfile.TemporaryDirectory(prefix="topicspider-gate-") as cache:
        bench = Bench(extraction.corpora(), None if options.cached else Path(cache), options.processes)
        read_ahead(present, bench, partial(_say, "recorded webs"))
        measured = {one.name: measure(one, bench, partial(_say, one.name)) for one in present}
    rows = [row for one in present for row in compare(one, measured[one.name])]
    if options.raise_floors:
        problems = _raise(floors, measured, options)
    else:
        problems = [line for one in present for line in problems_of(one, measured[one.name])]
    for line in problems:
        print(f"gate: FAILED {line}")
    _report_skipped(chosen, present)
    print(table(rows, with_marks=not options.raise_floors))  # when raising, figures are shown beside the old floors
    print(f"gate: {len(rows)} figures of {len(present)} sections; {len(problems) or 'nothing'} failed")
    return 1 if problems else 0


def _raise(floors: Floors, measured: dict[str, Measured], options: argparse.Namespace) -> list[str]:
    """Write the next floors; returns the failures that they do not allow."""
    sections: list[Section] = []
    lowered: list[Regression] = []
    problems: list[str] = []
    for section in floors.sections:
        if section.name not in measured:
            sections.append(section)
            continue
        after, regressions, failing = raised(section, measured[section.name], options.allow_regression or "")
        sections.append(after)
        lowered += regressions
        problems += failures(failing)
        _report_raised(section, after)
    Floors(sections, [*floors.regressions, *lowered]).write()
    for one in lowered:
        print("gate: lowered {corpus}: {policy}: {figure} {from} -> {to} ({reason})".format(**one))
    return [f'{line}; lowering needs --allow-regression "reason"' for line in problems]


def problems_of(section: Section, measured: Measured) -> list[str]:
    """The faults of a section, a line each: first those of its corpus, because then its figures mean little."""
    parts = changed(section, measured)
    lines = [f"{section.name}: {', '.join(parts)} changed since the floors were measured: {RAISE}"] if parts else []
    return lines + failures(compare(section, measured))


def failures(rows: Iterable[Row]) -> list[str]:
    """A line for each policy with failing figures."""
    failing = sorted((row for row in rows if row.fails), key=lambda row: (row.section, row.subject))
    return [
        f"{section}: {subject}: {_failure(list(group))}"
        for (section, subject), group in groupby(failing, key=lambda row: (row.section, row.subject))
    ]


def _failure(rows: Sequence[Row]) -> str:
    """A line on what is wrong with one policy: its figures are new, are gone, or are below their floors."""
    if all(row.floor is None for row in rows):
        return f"no floor yet for {', '.join(f'{row.figure} {row.value:.4f}' for row in rows)}; run {RAISE}"
    if all(row.value is None for row in rows):
        return f"has floors ({', '.join(f'{row.figure} {row.floor:.4f}' for row in rows)}), but is no more"
    return ", ".join(
        f"{row.figure} {_plain(row.value)} is below its floor {_plain(row.floor)} (tolerance {row.tolerance:g})"
        for row in rows
    )


def _plain(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def table(rows: Iterable[Row], *, with_marks: bool = True) -> str:
    """A line for each figure, with floor and difference; at most 80 columns. A star marks failures."""
    lines = [f"{'corpus':20} {'policy':17} {'figure':10} {'now':>8} {'floor':>8} {'diff':>8}"]
    for row in rows:
        cells = f"{_number(row.value)} {_number(row.floor)} {_number(row.difference, '+')}"
        lines.append(
            f"{row.section:20.20} {row.subject:17.17} {row.figure:10.10} {cells}{' *' if with_marks and row.fails else ''}"
        )
    return "\n".join(lines)


def _number(value: float | None, sign: str = "") -> str:
    return f"{'-':>8}" if value is None else f"{value:{sign}8.4f}"


def _report_raised(before: Section, after: Section) -> None:
    rows = compare(before, Measured(after.digest, after.floors))
    higher = sum(row.floor is not None and (row.difference or 0.0) > 0 for row in rows)
    new = sum(row.floor is None for row in rows)
    print(f"gate: {before.name}: {higher} floors raised, {new} new")


def _report_skipped(chosen: Sequence[Section], present: Sequence[Section]) -> None:
    skipped = [one.name for one in chosen if one not in present]
    if skipped:
        print(
            f"gate: skipped {len(skipped)} of {len(chosen)} sections, whose files are not in {extraction.corpora()}: "
            f"{', '.join(skipped)} (TOPICSPIDER_CORPORA names the folder)"
        )


def _described(section: Section) -> str:
    plan = ", ".join(f"{key} {value}" for key, value in section.plan.items())
    return f"{section.name:20} {len(section.floors):3} with floors; {plan}"


def _chosen(sections: Sequence[Section], only: Sequence[str]) -> list[Section]:
    known = {name for one in sections for name in (one.name, one.corpus)}
    for name in only:
        if name not in known:
            raise ConfigError("--only", name, ", ".join(sorted(known)))
    return [one for one in sections if not only or one.name in only or one.corpus in only]


def _say(section: str, line: str) -> None:
    print(f"gate: {section}: {line}", file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("gate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="CORPUS", help="measure this corpus (may be given again)")
    add("--list", action="store_true", help="say what would be measured")
    add("--raise", dest="raise_floors", action="store_true", help="write the figures that are above their floors")
    add("--allow-regression", metavar="REASON", help="with --raise: lower floors, too, and keep the reason")
    add("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="how many (default: one a CPU)")
    add(
        "--cached",
        action="store_true",
        help="take pages from the cache of `rehearse`: sooner, and blind to new libraries",
    )
    options = parser.parse_args(arguments)
    if options.allow_regression is not None and not options.allow_regression.strip():
        parser.error("--allow-regression needs a reason")
    if options.allow_regression is not None and not options.raise_floors:
        parser.error("--allow-regression goes with --raise")
    if options.processes < 1:
        parser.error("--processes: at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main())
