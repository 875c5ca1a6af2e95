"""Examples as lines of JSON: what another process learns from, and what a state carries so that a resumed crawl does not begin with nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from topicspider.relevance.learner.examples import Example
from topicspider.relevance.learner.link_numbers import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIELDS = 3
_BETWEEN = "|"


def said_of(numbers: Iterable[float], words: Iterable[Iterable[str]]) -> str:
    """All but the outcome, which may change; four digits of each number are enough for a fit."""
    texts = [_BETWEEN.join(word for word in field if _BETWEEN not in word) for field in words]
    return json.dumps([" ".join(f"{number:.4g}" for number in numbers), *texts], ensure_ascii=False)[1:]


def line_of(example: Example) -> str:
    """The example as ``example_of`` reads it."""
    return f"[{round(example.outcome, 4)}, {example.said}"


def example_of(line: str) -> Example | None:
    """None for anything but an example."""
    try:
        outcome, numbers, *texts = json.loads(line)
        read = tuple(float(number) for number in numbers.split(" "))
        words = tuple(tuple(text.split(_BETWEEN)) if text else () for text in texts)
        outcome = min(1.0, max(0.0, float(outcome)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    is_sound = len(read) == len(NAMES) and len(words) == _FIELDS and all(abs(number) < 1e6 for number in read)
    return Example(read, words, outcome, said=line.partition(", ")[2]) if is_sound else None


def examples_of(lines: str) -> Iterator[Example]:
    """Those that can be read."""
    for line in lines.splitlines():
        example = example_of(line)
        if example is not None:
            yield example


def newest(own: Iterable[Example], lines: str, most: int) -> str:
    """``own``, newest first, then those of ``lines`` that are others, as lines of at most ``most`` characters together."""
    chosen: list[str] = []
    known: set[str] = set()
    total = 0
    for example in own:
        line = line_of(example)
        total += len(line) + 1
        if total > most:
            return "\n".join(chosen)
        chosen.append(line)
        known.add(example.said)
    for line in lines.splitlines():
        if line.partition(", ")[2] not in known:
            total += len(line) + 1
            if total > most:
                break
            chosen.append(line)
    return "\n".join(chosen)
