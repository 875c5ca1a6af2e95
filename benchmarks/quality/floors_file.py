"""Reads floors.json and writes it: sorted, the same bytes for the same floors, all or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.quality.floors import Floors, Regression, Section
from topicspider.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FLOORS = Path(__file__).with_name("floors.json")
DECIMALS = 4
"""Of floors, and of the figures that are held against them."""


def read_floors(path: Path = FLOORS) -> Floors:
    """The floors of ``path``; raises ConfigError for a file that cannot be read or lacks a field."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        sections = [_section(name, fields) for name, fields in sorted(found["sections"].items())]
        regressions = [_regression(fields) for fields in found["regressions"]]
    except OSError as error:
        raise ConfigError("floors", str(path), f"a file that can be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        allowed = "JSON with sections and regressions, as `./run gate --raise` writes it"
        raise ConfigError("floors", str(path), allowed, f"{type(error).__name__}: {error}") from None
    return Floors(sections, regressions)


def write_floors(floors: Floors, path: Path = FLOORS) -> None:
    """Put ``floors`` in the place of ``path``; a crash leaves the old file or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text_of(floors), encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def text_of(floors: Floors) -> str:
    """The file's text: two spaces of indent, keys in order of the alphabet, a figure a line."""
    sections = {
        one.name: {
            "digest": dict(one.digest),
            "floors": {subject: _rounded(named) for subject, named in one.floors.items()},
            "plan": dict(one.plan),
            "tolerance": dict(one.tolerance),
        }
        for one in floors.sections
    }
    whole = {"sections": sections, "regressions": [_fields(one) for one in floors.regressions]}
    return json.dumps(whole, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _section(name: str, fields: Mapping[str, Any]) -> Section:
    return Section(
        name=name,
        plan=_mapping(fields["plan"], lambda value: value),
        tolerance=_mapping(fields["tolerance"], float),
        digest=_mapping(fields["digest"], str),
        floors={subject: _mapping(named, float) for subject, named in fields["floors"].items()},
    )


def _mapping(found: Mapping[str, Any], kind: Callable[[Any], Any]) -> dict[str, Any]:
    return {str(key): kind(value) for key, value in found.items()}


def _regression(fields: Mapping[str, Any]) -> Regression:
    return Regression(
        fields["corpus"], fields["policy"], fields["figure"], fields["from"], fields["to"], fields["reason"]
    )


def _fields(one: Regression) -> dict[str, object]:
    return {
        "corpus": one.corpus,
        "policy": one.policy,
        "figure": one.figure,
        "from": round(one.before, DECIMALS),
        "to": None if one.to is None else round(one.to, DECIMALS),
        "reason": one.reason,
    }


def _rounded(named: Mapping[str, float]) -> dict[str, float]:
    return {figure: round(value, DECIMALS) for figure, value in named.items()}
