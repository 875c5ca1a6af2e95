"""What a node asks of a Redis frontier beside what it tells, in one call."""

from __future__ import annotations

from dataclasses import dataclass

from topicspider.frontier.beats import NO_BEAT, BeatLine


@dataclass(frozen=True, slots=True)
class Question:
    """``hosts``: -1 asks for none, nor how things stand. ``renews``: the leases that ``node`` holds, unless ``lease_seconds`` is -1.

    ``beat``: what the node says of itself.
    """

    node: str = ""
    hosts: int = -1
    urls_per_host: int = 0
    lease_seconds: float = -1.0
    renews: bool = True
    beat: BeatLine = NO_BEAT


NOTHING = Question()
