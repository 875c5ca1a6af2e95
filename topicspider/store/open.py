"""Opens the store that TOPICSPIDER_STORE names, and waits for one that is still starting."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import StoreRefused, StoreUnavailable
from topicspider.store import location

if TYPE_CHECKING:
    from topicspider.store.relational import RelationalStore

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0
_ANSWER_SECONDS = 30.0

logger = logging.getLogger(__name__)


def open_store(
    url: str, default_path: Path, connect_wait: float = 30.0, answer_seconds: float = _ANSWER_SECONDS
) -> RelationalStore:
    """The store at ``url``; ``default_path`` is the SQLite file when ``url`` is empty.

    Blocks up to ``connect_wait`` seconds for a MySQL server that does not answer; one that answers and
    refuses is not waited for. One that later says nothing for ``answer_seconds`` is away. Raises ConfigError for a bad ``url``, StoreUnavailable when it cannot be used.
    """
    place = location.parse(url, default_path)
    if isinstance(place, location.SqlitePlace):
        from topicspider.store.sqlite import SqliteStore

        return SqliteStore(place.path or ":memory:")
    return _wait_for_mysql(place, connect_wait, answer_seconds)


def _wait_for_mysql(place: location.MysqlPlace, connect_wait: float, answer_seconds: float) -> RelationalStore:
    from topicspider.store.mysql import MysqlStore

    deadline = time.monotonic() + connect_wait
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            return MysqlStore(place, answer_seconds=answer_seconds)
        except StoreRefused:
            raise
        except StoreUnavailable as error:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            if pause == _FIRST_PAUSE_SECONDS:
                logger.warning("waiting up to %.0f s: %s", connect_wait, error)
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
