"""Where the models of one crawl are kept and shared: what each call promises (SQL and Redis keep the same promises)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES_KEPT = 10_000
MODELS_KEPT = 3


@dataclass(frozen=True, slots=True)
class Published:
    """A model: ``number`` rises by one with each that is published, ``state`` is what learners gave."""

    number: int
    state: bytes


@dataclass(frozen=True, slots=True)
class Example:
    """What one node saw come of a page or link, as JSON; ``mark`` is its place, to be given to the next call."""

    mark: str
    node: str
    text: str


class ModelBoard(Protocol):
    """The models of one crawl, for all its nodes. Calls block: use them from a worker thread.

    1. One node holds the lease at a time; asking again makes it longer, with the same token. When it has ended, whoever asks
       first has it, with a larger token.
    2. Only with the newest token is anything published (a node that was away for long publishes nothing); numbers rise by one.
    3. Examples come back in the order in which they were posted; the newest EXAMPLES_KEPT, or a few more, are there.
    4. When a call returns, what it did is durable; a board that cannot be reached raises UnavailableError, a bad address
       ConfigError.
    """

    is_shared: bool
    """Whether other nodes may use it too."""

    def latest(self, after: int = 0) -> Published | None:
        """The newest model, when its number is above ``after``."""

    def lease(self, node: str, seconds: float) -> int | None:
        """The token for fitting and publishing, or None while another node has it."""

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""

    def post(self, node: str, examples: Sequence[str]) -> None:
        """Hand examples to whoever fits."""

    def examples(self, after: str = "", limit: int = 200) -> list[Example]:
        """Those after the mark, oldest first; all that are kept when it is ""."""

    def close(self) -> None:
        """Give the connection back."""


@runtime_checkable
class Learner(Protocol):
    """What learns of one topic: its link policy, its page judge. The same state gives the same scores (R5)."""

    @property
    def version(self) -> str:
        """Names the state: how many refits it has seen, and a digest of what they gave."""

    def state(self) -> bytes:
        """What was learned, as JSON: enough for another process to score alike."""

    def adopt(self, state: bytes) -> None:
        """Score by what another process has learned from now on; ValueError for anything but a state."""


@runtime_checkable
class SharingLearner(Protocol):
    """A learner whose examples another node's learner of the same kind can learn from."""

    def news(self) -> Sequence[str]:
        """Its own examples since the last call, each as JSON."""

    def learn(self, examples: Sequence[str]) -> None:
        """Take in other nodes' examples; what cannot be read is left out."""
