"""The catalogue of topics: levels 1 and 2 of the 中图分类法 (Chinese Library Classification), (a) Li 2002."""

from __future__ import annotations

import re
from functools import lru_cache

from topicspider.topic.search_path import shipped_dirs
from topicspider.topic.yaml_node import read_yaml

_NUMBER = re.compile(r"[A-Z]{1,2}[-\d][\d./=()-]*|[A-Z]{1,2}")


@lru_cache(maxsize=1)
def classes() -> dict[str, str]:
    """Every class: number to name, in the catalogue's order (A, A1, …, Z8)."""
    files = (folder.joinpath("clc/classes.yaml") for folder in shipped_dirs())
    file = next(file for file in files if file.is_file())
    return dict(read_yaml(file.read_bytes(), str(file)).plain)


def class_title(number: str) -> str:
    """The name of the class, or of the nearest class above it (F592 is in F59); "" when there is none."""
    nearest = nearest_class(number)
    return classes()[nearest] if nearest else ""


def nearest_class(number: str) -> str | None:
    """``number`` itself, or the longest class number that it begins with; None if it is no class number."""
    clean = number.strip().upper()
    # a letter that the catalogue does not have is no class: TX is not a kind of T
    is_number = _NUMBER.fullmatch(clean) and (not clean[1:2].isalpha() or clean[:2] in classes())
    return max((key for key in classes() if is_number and clean.startswith(key)), key=len, default=None)
