"""Opens the model board that TOPICSPIDER_MODEL names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.steering.boards.relational import open_relational
from topicspider.store import location
from topicspider.url.display import masked

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.relevance.learner.board import ModelBoard

REDIS = ("redis:", "rediss:", "unix:")
FORMS = (
    "empty (beside the pages, in the store), redis://USER:PASSWORD@HOST:PORT/DATABASE, or what TOPICSPIDER_STORE may be"
)


def open_board(url: str, store: str, default_path: Path, crawl: str) -> ModelBoard:
    """The board at ``url``, else in the store at ``store``, else (both empty) in the SQLite file ``default_path``.

    Raises ConfigError for a bad ``url``, UnavailableError for a database that does not answer; Redis is not asked yet.
    """
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis_server import RedisServer
        from topicspider.steering.boards.redis_board import RedisBoard

        return RedisBoard(RedisServer(url.strip(), setting_name("model")), crawl)
    return open_relational(board_place(url, store, default_path), crawl)


def check_board(url: str, store: str, folder: Path) -> None:
    """Raise ConfigError when ``open_board`` would; opens and asks nothing."""
    if url.strip().startswith(REDIS):
        from topicspider.frontier.redis_server import RedisServer

        RedisServer(url.strip(), setting_name("model")).close()
    else:
        board_place(url, store, folder)


def board_place(url: str, store: str, default_path: Path) -> location.Place:
    """Where a board that is not in Redis lies; raises ConfigError."""
    try:
        return location.parse(url or store, default_path)
    except ConfigError:
        if url:
            raise ConfigError(setting_name("model"), masked(url), FORMS) from None
        raise
