"""The catalogue of topics: levels 1 and 2 of the 中图分类法 (Chinese Library Classification), (a) Li 2002."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.topic.search_path import shipped_dirs
from topicspider.topic.yaml_node import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE = "clc/classes.yaml"
_NUMBER = re.compile(r"[A-Z]{1,2}[-\d][\d./=()-]*|[A-Z]{1,2}")


def classes() -> Mapping[str, str]:
    """Every class: number to name, in the catalogue's order (A, A1, …, Z8)."""
    return _classes()


def class_title(number: str) -> str:
    """The name of the class, or of the nearest class above it (F592 is in F59); "" when there is none."""
    nearest = nearest_class(number)
    return classes()[nearest] if nearest else ""


def nearest_class(number: str) -> str | None:
    """``number`` itself, or the nearest class above it that the catalogue has; None if it is no class number."""
    clean = number.strip().upper()
    if not _NUMBER.fullmatch(clean):
        return None
    if clean in classes():
        return clean
    in_range = [key for key in classes() if "/" in key and _is_in_range(clean, key)]
    above = [key for key in classes() if clean.startswith(key)]
    # a letter that the catalogue does not have is no class: TX is not a kind of T
    if len(clean) > 1 and clean[1].isalpha() and clean[:2] not in classes():
        return None
    return max(in_range or above, key=len, default=None)


def _is_in_range(number: str, key: str) -> bool:
    """Whether D352 is in D33/37, or I561 in I3/7."""
    letter = key.rstrip("0123456789/")
    first, last = key[len(letter) :].split("/")
    digits = number[len(letter) : len(letter) + len(first)]
    return number.startswith(letter) and digits.isdigit() and int(first) <= int(digits) <= int(last)


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    for folder in shipped_dirs():
        file = folder.joinpath(_FILE)
        if file.is_file():
            classes = read_yaml(file.read_bytes(), str(file)).entries or {}
            return {number: str(name.text) for number, name in classes.items()}
    raise ConfigError("catalogue", _FILE, "a file that comes with topicspider", "Install topicspider again.")
