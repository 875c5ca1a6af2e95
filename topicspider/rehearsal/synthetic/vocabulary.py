"""The words and sentence patterns of the synthetic web, from vocabulary.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Subject:
    """How one subject is written about. ``columns``: names of sections; ``names``: of sites."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    things: tuple[str, ...]
    actors: tuple[str, ...]
    places: tuple[str, ...]
    deeds: tuple[str, ...]
    qualities: tuple[str, ...]
    titles: tuple[str, ...]
    sentences: tuple[str, ...]


def _subjects(language: dict[str, Any]) -> dict[str, Subject]:
    return {name: Subject(**{key: tuple(words) for key, words in lists.items()}) for name, lists in language.items()}


_DATA = json.loads(files("topicspider.rehearsal.synthetic").joinpath("vocabulary.json").read_text(encoding="utf-8"))
CHINESE, ENGLISH = _subjects(_DATA["chinese"]), _subjects(_DATA["english"])
FILLER, FILLER_ENGLISH = tuple(_DATA["filler"]), tuple(_DATA["filler_english"])
MISLEADING, TIMES, REGIONS = tuple(_DATA["misleading"]), tuple(_DATA["times"]), tuple(_DATA["regions"])
PEOPLE, SURNAMES, GIVEN = tuple(_DATA["people"]), tuple(_DATA["surnames"]), tuple(_DATA["given"])
