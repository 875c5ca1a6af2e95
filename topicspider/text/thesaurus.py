"""同义词词林 (Cilin): which places a word has in the tree of Chinese word senses."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from topicspider.text.packages import package_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_AGENT = "者"


def senses(word: str) -> tuple[str, ...]:
    """The codes of ``word``, one a sense; empty when the tree does not know it.

    A code such as ``Hj48B01=`` holds five levels: 大类 H, 中类 j, 小类 48, 词群 B, atom group 01; the mark
    says whether the words of the group are synonyms (=), of one kind (#), or one word alone (@).
    """
    return _tree()[0].get(word, ())


def agent_groups(word: str) -> tuple[str, ...]:
    """The synonym groups in which ``word`` + 者 stands: 旅游者 and 旅行者 are in one, ``Ag10A03=``."""
    return _tree()[1].get(word, ())


@lru_cache(maxsize=1)
def _tree() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    groups = list(_groups(json.loads(package_file("cilin", "data/cilin_tree.json"))))
    codes: dict[str, tuple[str, ...]] = {}
    for code, words in groups:
        for word in words:
            codes[word] = (*codes.get(word, ()), code)
    agents: dict[str, tuple[str, ...]] = {}
    for code, words in groups:
        for word in words:
            if code.endswith("=") and len(word) > 2 and word.endswith(_AGENT) and word[:-1] in codes:
                agents[word[:-1]] = (*agents.get(word[:-1], ()), code)
    return codes, agents


def _groups(level: Mapping[str, Any], code: str = "") -> Iterator[tuple[str, list[str]]]:
    """(code, words) of every atom group below ``level``."""
    for key, branch in level.items():
        if isinstance(branch, list):
            yield code + key, branch
        else:
            yield from _groups(branch["sub"], code + key)
