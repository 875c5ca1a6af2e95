"""Where the models of one crawl are kept and shared: what each call promises (SQL and Redis keep the same promises), and which is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.store import location
from topicspider.url.display import masked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EXAMPLES_KEPT = 10_000
MODELS_KEPT = 3


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model: ``number`` rises by one with each that is published, ``state`` is what learners gave."""

    number: int
    state: bytes


@dataclass(frozen=True, slots=True)
class SharedExample:
    """What one node saw come of a page or link, as JSON; ``cursor`` is its place, to be given to the next call."""

    cursor: str
    node: str
    text: str


class ModelStore(Protocol):
    """The models of one crawl, for all its nodes. Calls block: use them from a worker thread.

    1. One node holds the lease at a time; asking again makes it longer, with the same token. When it has ended, whoever asks
       first has it, with a larger token.
    2. Only with the newest token is anything published (a node that was away for long publishes nothing); numbers rise by one.
    3. Examples come back in the order in which they were submitted; the newest EXAMPLES_KEPT, or a few more, are there.
    4. When a call returns, what it did is durable; a store that cannot be reached raises UnavailableError, a bad address
       ConfigError.
    """

    is_shared: bool
    """Whether other nodes may use it too."""

    def latest(self, after: int = 0) -> PublishedModel | None:
        """The newest model, when its number is above ``after``."""

    def lease(self, node: str, seconds: float) -> int | None:
        """The token for fitting and publishing, or None while another node has it."""

    def publish(self, node: str, token: int, state: bytes) -> int | None:
        """The number of the new model; None when the token is stale."""

    def submit_examples(self, node: str, examples: Sequence[str]) -> None:
        """Hand examples to whoever fits."""

    def examples(self, after: str = "", limit: int = 200) -> list[SharedExample]:
        """Those after the cursor, oldest first; all that are kept when it is ""."""

    def close(self) -> None:
        """Give the connection back."""


REDIS = ("redis:", "rediss:", "unix:")
FORMS = (
    "empty (beside the pages, in the store), redis://USER:PASSWORD@HOST:PORT/DATABASE, or what TOPICSPIDER_STORE may be"
)


def open_model_store(url: str, store: str, default_path: Path, crawl: str) -> ModelStore:
    """The board at ``url``, else in the store at ``store``, else (both empty) in the SQLite file ``default_path``.

    Raises ConfigError for a bad ``url``, UnavailableError for a database that does not answer; Redis is not asked yet.
    """
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis.server import RedisServer
        from topicspider.steering.redis_model_store import RedisModelStore

        return RedisModelStore(RedisServer(url.strip(), setting_name("model")), crawl)
    from topicspider.steering.sql_model_store import open_sql_model_store

    return open_sql_model_store(_location(url, store, default_path), crawl)


def check_model_store(url: str, store: str, folder: Path) -> None:
    """Raise ConfigError when ``open_model_store`` would; opens and asks nothing."""
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis.server import RedisServer

        RedisServer(url.strip(), setting_name("model")).close()
    else:
        _location(url, store, folder)


def _location(url: str, store: str, default_path: Path) -> location.Place:
    """Where a store that is not in Redis lies; raises ConfigError."""
    try:
        return location.parse(url or store, default_path)
    except ConfigError:
        if url:
            raise ConfigError(setting_name("model"), masked(url), FORMS) from None
        raise
