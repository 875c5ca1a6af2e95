"""What somebody beside a crawl asks the process that owns its frontier to do, and that process's answer, as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from topicspider.frontier.inspection import LeaseState

BLOCK, UNBLOCK, DELAY, RESCORE, REVIVE, LEASES = "block", "unblock", "delay", "rescore", "revive", "leases"


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do. ``hosts``: for block, unblock and delay; ``fingerprints``: for revive, None for all."""

    do: str
    hosts: tuple[str, ...] = ()
    seconds: float = 0.0
    scores: tuple[tuple[int, float], ...] = ()
    fingerprints: tuple[int, ...] | None = None

    def text(self) -> str:
        """As it is kept until it is done."""
        return json.dumps(
            {name: value for name, value in asdict(self).items() if value is not None}, ensure_ascii=False
        )

    @classmethod
    def read(cls, text: str) -> Order:
        """What ``text`` gave; raises ValueError, TypeError or KeyError for what it never gave."""
        told = json.loads(text)
        if not isinstance(told, dict):
            raise ValueError(text)
        marks = told.get("fingerprints")
        return cls(
            do=str(told["do"]),
            hosts=tuple(map(str, told.get("hosts", ()))),
            seconds=float(told.get("seconds", 0.0)),
            scores=tuple((int(mark), float(score)) for mark, score in told.get("scores", ())),
            fingerprints=None if marks is None else tuple(map(int, marks)),
        )


Answer = int | Sequence[LeaseState]
"""How many it was done to; for LEASES who holds what."""


def answer_text(answer: Answer) -> str:
    """The answer as it is kept until it is read."""
    return json.dumps(answer if isinstance(answer, int) else [asdict(one) for one in answer], ensure_ascii=False)


def read_answer(text: str) -> Answer:
    """What ``answer_text`` was given."""
    told = json.loads(text)
    return told if isinstance(told, int) else [LeaseState(**{**one, "urls": tuple(one["urls"])}) for one in told]
