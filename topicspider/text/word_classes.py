"""The class of a Chinese word (noun, verb, a person's name, …) in jieba's dictionary."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.text.packages import package_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONTENT = ("n", "v", "j", "b", "a", "l", "zg")
_NAMES = ("nr", "ns", "nt")


def word_class(word: str) -> str:
    """The tag of ``word``: n noun, nr person, ns place, nt organisation, v verb, a adjective, …; "" when the dictionary lacks it."""
    return _classes().get(word, "")


def is_content_word(word: str) -> bool:
    """Whether ``word`` is a noun, verb, adjective or set phrase, or unknown: no name of a person or place, number or adverb."""
    tag = word_class(word)
    return not tag or (tag.startswith(_CONTENT) and not tag.startswith(_NAMES))


@lru_cache(maxsize=1)
def _classes() -> Mapping[str, str]:
    rows = (line.split(" ") for line in package_file("jieba", "jieba/dict.txt").splitlines())
    return {row[0]: row[2] for row in rows if len(row) == 3}
