"""Keeps what a crawl learns on its board, and shares it: one node fits, all score by what it publishes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.errors import UnavailableError, one_line
from topicspider.relevance.learner.board import EXAMPLES_KEPT
from topicspider.steering.model_state import learn, learners_of, news_of, pack, unpack, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicspider.judging import TopicView
    from topicspider.relevance.learner.board import ModelBoard
    from topicspider.steering.thread_refits import ThreadRefits

logger = logging.getLogger(__name__)

LEASE_SECONDS = 30.0
OWN_LEASE_SECONDS = 10.0
"""Of a board that nobody shares: after a kill -9 the same command may fit as soon as its first pages are there."""
EXAMPLES_AT_ONCE = 200  # learned on the event loop


@dataclass(frozen=True, slots=True)
class _Told:
    """What the board said: a newer model of another node, and examples of other nodes."""

    state: bytes | None = None
    examples: tuple[str, ...] = ()


class ModelSharing:
    """The learners of one node and their board.

    ``exchange`` is called every few seconds. The node with the lease fits (its ``refits`` are allowed), takes in the others'
    examples and publishes; the others hand their examples over and adopt what is published. While the board is away every node
    goes on by its own model. Nothing here ends a crawl.
    """

    def __init__(
        self,
        open_board: Callable[[], ModelBoard],
        views: Callable[[], Sequence[TopicView]],
        node: str,
        refits: ThreadRefits,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self._open_board = open_board
        self._views = views
        self._node = node
        self._refits = refits
        self._lease_seconds = lease_seconds
        self._board: ModelBoard | None = None
        self._number = 0  # of the model that is judged by
        self._version = ""  # of what was published or adopted last
        self._mark = ""
        self._token: int | None = None
        self._waiting: deque[str] = deque(maxlen=EXAMPLES_KEPT)  # own examples that the board does not have yet
        self._is_away = False

    @property
    def number(self) -> int:
        """The number of the published model that pages and links are judged by; 0 before any."""
        return self._number

    @property
    def is_fitting(self) -> bool:
        """Whether this node has the lease."""
        return self._token is not None

    def load(self, *, is_fresh: bool = False) -> None:
        """Adopt the newest model, before the first page; it blocks. ``is_fresh``: only what other nodes may be using."""
        if not any(learners_of(self._views())):
            return
        try:
            board = self._opened()
            published = None if is_fresh and not board.is_shared else board.latest()
            self._number = published.number if published else 0
        except UnavailableError as error:
            self._note_away(error)
            return
        self._refits.is_allowed = not board.is_shared  # else nobody fits, labels neither, before it has the lease
        if published:
            self._adopt(published.state)

    async def exchange(self, *, is_last: bool = False) -> None:
        """Tell the board what is new here, and hear from it; ``is_last``: the crawl ends, its model is kept whatever its version."""
        views = self._views()
        if not any(learners_of(views)):
            return
        self._waiting.extend(news_of(views))
        version = version_of(views)
        is_new = version != self._version or is_last
        may_publish = is_last or self._token is not None or not self._number
        state = pack(views, self._mark) if is_new and may_publish else None
        try:
            told = await asyncio.to_thread(self._talk, state, is_last)
        except UnavailableError as error:
            self._note_away(error)
            return
        self._note_back()
        if state is not None and self._token is not None and told.state is None:
            self._version = version
        if told.state is not None:
            self._adopt(told.state)
        if told.examples:
            learn(views, told.examples)

    async def close(self) -> None:
        """Keep the last state, and give board and lease back."""
        await self.exchange(is_last=True)
        await asyncio.to_thread(self.release)

    def release(self) -> None:
        """Close the board."""
        board, self._board = self._board, None
        if board is not None:
            with suppress(UnavailableError):
                board.close()

    def _talk(self, state: bytes | None, is_last: bool) -> _Told:
        """In a thread: all that this exchange has to do with the board."""
        board = self._opened()
        seconds = self._lease_seconds if board.is_shared else min(self._lease_seconds, OWN_LEASE_SECONDS)
        token = board.lease(self._node, seconds)
        self._token = token
        self._refits.is_allowed = token is not None
        if token is None:
            self._hand_over(board)
        published = board.latest(self._number)
        if published is not None:  # also what the node before published last: it is fitted further from there
            self._number = published.number
            return _Told(published.state)
        if token is None:
            return _Told()
        self._waiting.clear()  # they are in this node's own model
        if state is not None:
            self._number = board.publish(self._node, token, state) or self._number
        if is_last:
            board.lease(self._node, 0.001)  # the next may have it at once
            return _Told()
        return self._heard(board)

    def _hand_over(self, board: ModelBoard) -> None:
        if board.is_shared:
            waiting = list(self._waiting)
            board.post(self._node, waiting)
            for _ in waiting:
                self._waiting.popleft()

    def _heard(self, board: ModelBoard) -> _Told:
        if not board.is_shared:
            return _Told()
        found = board.examples(self._mark, EXAMPLES_AT_ONCE)
        self._mark = found[-1].mark if found else self._mark
        return _Told(None, tuple(one.text for one in found if one.node != self._node))

    def _adopt(self, state: bytes) -> None:
        mark, notes = unpack(self._views(), state)
        self._mark = mark or self._mark
        self._version = version_of(self._views())
        for note in notes:
            logger.warning("what was learned before is not used: %s", one_line(note))

    def _opened(self) -> ModelBoard:
        if self._board is None:
            self._board = self._open_board()
        return self._board

    def _note_away(self, error: UnavailableError) -> None:
        self._refits.is_allowed = True
        if not self._is_away:
            self._is_away = True
            logger.warning("the crawl goes on by its own model: %s", error)

    def _note_back(self) -> None:
        if self._is_away:
            self._is_away = False
            logger.warning("models are shared again")
