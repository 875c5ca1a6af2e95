"""Levels 1 and 2 of the Chinese Library Classification (中图分类法), as in (a) Li 2002; one file per letter: topics/clc/F.yaml."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase

from topicspider.topic.search_path import shipped_dirs
from topicspider.topic.yaml_node import YamlNode, read_yaml

_NUMBER = re.compile(r"[A-Z]{1,2}[-\d][\d./=()-]*|[A-Z]{1,2}")
_RANGE = re.compile(r"(.*\d)/(\d+)")


def classes() -> dict[str, str]:
    """Class number to Chinese title, of every class in the catalogue's order (A, A1, …, Z8)."""
    return {number: title_of(number) for letter in ascii_uppercase for number in entries(letter)}


@lru_cache(maxsize=26)
def entries(letter: str) -> Mapping[str, YamlNode]:
    """Class number to entry, for all classes of a letter, itself first; {} for a letter that the catalogue does not use."""
    files = (folder.joinpath(f"clc/{letter}.yaml") for folder in shipped_dirs() if letter and letter in ascii_uppercase)
    file = next((file for file in files if file.is_file()), None)
    value = None if file is None else read_yaml(file.read_bytes(), str(file)).value
    return value if isinstance(value, dict) else {}


def title_of(number: str, language: str = "zh") -> str:
    """The title of a class of the catalogue; KeyError for another number."""
    title: str = entries(number[:1])[number].plain["title"][language]
    return title


def parent_of(number: str) -> str:
    """The parent class: the longest other class number that ``number`` begins with; "" for a letter."""
    return max((other for other in entries(number[:1]) if other != number and number.startswith(other)), default="")


def class_title(number: str, language: str = "zh") -> str:
    """The title of the class, or of its nearest ancestor (F592 is in F59); "" when there is none."""
    nearest = nearest_class(number)
    return title_of(nearest, language) if nearest else ""


def nearest_class(number: str) -> str | None:
    """The class of ``number``, or of the longest class number that it begins with (D35 is in D33/37); None if it is no class number."""
    clean = number.strip().upper()
    if not _NUMBER.fullmatch(clean):
        return None
    starts = {start: key for key in entries(clean[0]) for start in (key, *_numbers_in(key))}
    # with a second letter that the catalogue does not have, it is no class number: TX is not part of T
    if clean[1:2].isalpha() and clean[:2] not in starts:
        return None
    return starts[max((start for start in starts if clean.startswith(start)), key=len)] if starts else None


def neighbour(number: str) -> str | None:
    """The class probably meant by an unknown number: its ancestor of level 2, else the class before it (Z8 for Z9); None for no number."""
    above = nearest_class(number)
    if above is None or len(above) > 1:
        return above
    keys = sorted(entries(above))
    return keys[bisect(keys, number.strip().upper()) - 1]


def branch(pattern: str) -> list[str]:
    """The class numbers that ``pattern`` stands for: ``T*`` (T and all below it), ``F5*``, ``clc`` (all classes); [] for anything else."""
    clean = pattern.strip().upper()
    if clean == "CLC":
        return list(classes())
    start = clean.removesuffix("*")
    return [key for key in entries(clean[:1]) if key.startswith(start)] if start and start != clean else []


def pattern_of(numbers: Sequence[str]) -> str:
    """The inverse of ``branch``: ``clc`` for all classes, ``T*`` for a letter with all below it; "" for anything else."""
    patterns = ("clc", f"{numbers[0][:1]}*") if len(numbers) > 1 and len(numbers[0]) == 1 else ()
    return next((pattern for pattern in patterns if branch(pattern) == list(numbers)), "")


def _numbers_in(key: str) -> list[str]:
    """The numbers of a range: D33, D34, … for D33/37; [] for a single number."""
    found = _RANGE.fullmatch(key)
    if found is None:
        return []
    first, last = found[1], found[2]
    stem = first[: -len(last)]
    return [f"{stem}{digits}" for digits in range(int(first[len(stem) :]), int(last) + 1)]
