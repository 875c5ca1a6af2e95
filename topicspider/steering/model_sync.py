"""Fits models in a thread of their own, and stores and shares what a crawl learns: one node fits, all score by what it publishes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from topicspider.errors import UnavailableError, one_line
from topicspider.i18n import gettext as _
from topicspider.judging import TopicView
from topicspider.relevance.interfaces import Learner, SharingLearner
from topicspider.steering.model_store import EXAMPLES_KEPT, LocalModelStore, RedisModelStore

logger = logging.getLogger(__name__)

Fitted = TypeVar("Fitted")


class ThreadFits:
    """A FitExecutor: one fit after the other, in a thread, so that none blocks the event loop.

    A fit that fails is logged in one line, and the present model stays in use. Fits are skipped while ``is_allowed`` is false, because
    another node fits for all.
    """

    def __init__(self) -> None:
        self.is_allowed = True
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fits")
        self._is_closed = False

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """Call ``fit`` in the thread, then ``adopt`` with what it returned, on the loop that called."""
        if self._is_closed or not self.is_allowed:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no event loop to block: a page is judged outside of a crawl
            self._adopt(fit, adopt)
            return
        self._thread.submit(self._fit, loop, fit, adopt)

    def close(self) -> None:
        """Adopt nothing from now on; a fit that is running is abandoned."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _fit(self, loop: asyncio.AbstractEventLoop, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        try:
            fitted = fit()
        except Exception as error:  # noqa: BLE001 - whatever a fit does, the crawl goes on
            self._note(error)
            return
        if not (self._is_closed or loop.is_closed()):
            loop.call_soon_threadsafe(self._adopt, lambda: fitted, adopt)

    def _adopt(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        if self._is_closed:
            return
        try:
            adopt(fit())
        except Exception as error:  # noqa: BLE001
            self._note(error)

    def _note(self, error: Exception) -> None:
        logger.warning(
            "a model could not be fitted anew, the old one stays: %s: %s", type(error).__name__, one_line(str(error))
        )


LEASE_SECONDS = 30.0


class ModelSync:
    """Connects the learners of one node with the model store.

    ``sync`` is called every few seconds. The node with the lease fits (its ``fits`` are allowed), learns from the others' examples too, and
    publishes; the others submit their examples and adopt what is published. While the store does not answer, every node goes on by its
    own model. No error here ends a crawl.
    """

    def __init__(
        self,
        open_store: Callable[[], LocalModelStore | RedisModelStore],
        views: Callable[[], Sequence[TopicView]],
        node: str,
        fits: ThreadFits,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self._open_store = open_store
        self._views = views
        self._node = node
        self._fits = fits
        self._lease_seconds = lease_seconds
        self._store: LocalModelStore | RedisModelStore | None = None
        self._number = 0  # of the published model in use
        self._version = ""  # of what was published or adopted last
        self._cursor = ""
        self._token: int | None = None
        self._waiting: deque[str] = deque(maxlen=EXAMPLES_KEPT)  # own examples that the store does not have yet
        self._is_away = False

    @property
    def number(self) -> int:
        """The number of the published model that pages and links are judged by; 0 before any."""
        return self._number

    def load(self, *, is_fresh: bool = False) -> None:
        """Adopt the newest model, before the first page; blocks. ``is_fresh``: only one in Redis, which other nodes may be using."""
        if not any(learners_of(self._views())):
            return
        try:
            store = self._opened()
            is_shared = isinstance(store, RedisModelStore)
            published = None if is_fresh and not is_shared else store.latest()
            self._number = published.number if published else 0
        except UnavailableError as error:
            self._note_away(error)
            return
        self._fits.is_allowed = not is_shared  # with Redis, nothing is fitted without the lease, not even labels
        if published:
            self._adopt(published.state)

    async def sync(self, *, is_last: bool = False) -> None:
        """Exchange what is new with the store. ``is_last``: the crawl ends, and its model is stored whatever its version."""
        views = self._views()
        if not any(learners_of(views)):
            return
        if not isinstance(self._store, LocalModelStore):  # there this node's model has them already
            self._waiting.extend(drain_examples(views))
        version = version_of(views)
        is_new = version != self._version or is_last
        may_publish = is_last or self._token is not None or not self._number
        state = pack(views, self._cursor) if is_new and may_publish else None
        try:
            newer, examples = await asyncio.to_thread(self._talk, state, is_last)
        except UnavailableError as error:
            self._note_away(error)
            return
        if self._is_away:
            self._is_away = False
            logger.warning("models are shared again")
        if newer is not None:
            self._adopt(newer)
        elif state is not None and self._token is not None:
            self._version = version
        add_examples(views, examples)

    async def close(self) -> None:
        """Store the last state, and release store and lease."""
        await self.sync(is_last=True)
        await asyncio.to_thread(self.release)

    def release(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with suppress(UnavailableError):
                store.close()

    def _talk(self, state: bytes | None, is_last: bool) -> tuple[bytes | None, list[str]]:
        """All calls of one sync to the store, in a thread. Returns a newer model of another node, if any, and other nodes' examples."""
        store = self._opened()
        if isinstance(store, RedisModelStore):
            answer = self._share(store, state, is_last)
            if is_last and self._token is not None:
                store.lease(self._node, 0.001)  # gives it back: another node can have it at once
            return answer
        self._fits.is_allowed = True
        self._token = 0
        if state is not None:
            self._number = store.publish(self._node, state)
        return None, []

    def _share(self, store: RedisModelStore, state: bytes | None, is_last: bool) -> tuple[bytes | None, list[str]]:
        token = self._token = store.lease(self._node, self._lease_seconds)
        self._fits.is_allowed = token is not None
        if token is None:
            waiting = list(self._waiting)
            store.submit_examples(self._node, waiting)
            for _ in waiting:
                self._waiting.popleft()
        published = store.latest(self._number)
        if published is not None:  # for a new holder of the lease, too: it fits on from there
            self._number = published.number
            return published.state, []
        if token is None:
            return None, []
        self._waiting.clear()
        if state is not None:
            self._number = store.publish(self._node, token, state) or self._number
        if is_last:
            return None, []
        # ``sync`` has them learned, on the event loop
        found = store.examples(self._cursor, 200)
        self._cursor = found[-1].cursor if found else self._cursor
        return None, [one.text for one in found if one.node != self._node]

    def _adopt(self, state: bytes) -> None:
        cursor, notes = unpack(self._views(), state)
        self._cursor = cursor or self._cursor
        self._version = version_of(self._views())
        for note in notes:
            logger.warning("what was learned before is not used: %s", one_line(note))

    def _opened(self) -> LocalModelStore | RedisModelStore:
        if self._store is None:
            self._store = self._open_store()
        return self._store

    def _note_away(self, error: UnavailableError) -> None:
        self._fits.is_allowed = True
        if not self._is_away:
            self._is_away = True
            logger.warning("the crawl goes on by its own model: %s", error)


FORMAT = 2


class LearnerKey(NamedTuple):
    """Identifies a learner: its topic, the digest of that, ``part`` ("links" or "pages"), and ``by``, the name of policy or scorer."""

    topic: str
    digest: str
    part: str
    by: str


def learners_of(views: Iterable[TopicView]) -> Iterator[tuple[LearnerKey, Learner]]:
    """Every learner in ``views`` with its key. A page judge whose scorer does not learn has the version "", and is left out."""
    for view in views:
        for part, by, one in (("links", view.policy.name, view.policy), ("pages", view.judge.scorer_name, view.judge)):
            if isinstance(one, Learner) and one.version:
                yield LearnerKey(view.topic, view.digest, part, by), one


def version_of(views: Iterable[TopicView]) -> str:
    """Changes when any of the learners has learned."""
    return " ".join(f"{place.topic}.{place.part}:{learner.version}" for place, learner in learners_of(views))


def pack(views: Iterable[TopicView], cursor: str = "") -> bytes:
    """The states of all learners, as JSON; ``cursor``: that of the last of other nodes' examples that they learned."""
    states = [[*place, learner.state().decode()] for place, learner in learners_of(views)]
    return json.dumps({"format": FORMAT, "cursor": cursor, "states": states}, ensure_ascii=False).encode()


def unpack(views: Iterable[TopicView], state: bytes) -> tuple[str, list[str]]:
    """Have the learners adopt what ``state`` has for them; returns its cursor, and short notes on what was refused.

    What was learned for another version of the topic, or by another policy or scorer, is not used.
    """
    try:
        found = json.loads(state)
        if found["format"] != FORMAT:
            return "", [_("another version of this program has learned it")]
        states = {tuple(key): text for *key, text in found["states"]}
        cursor = str(found["cursor"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return "", [f"it is none ({type(error).__name__})"]
    notes = []
    for place, learner in learners_of(views):
        text = states.get(place)
        if text is not None:
            try:
                learner.adopt(text.encode())
            except Exception as error:  # noqa: BLE001 - whatever stands there, it is learned anew
                notes.append(f"{place.part} of {place.topic}: {type(error).__name__}: {error}")
        elif any(key[0] == place.topic for key in states):
            notes.append(
                _(
                    "{part} of {topic} were learned by another scorer or policy, or for another version of the topic",
                    part=_(place.part),
                    topic=place.topic,
                )
            )
    return cursor, notes


def drain_examples(views: Iterable[TopicView]) -> list[str]:
    """The examples of this node's learners since the last call, each as JSON with the learner's key."""
    return [
        json.dumps([*place, example], ensure_ascii=False)
        for place, learner in learners_of(views)
        if isinstance(learner, SharingLearner)
        for example in learner.drain_examples()
    ]


def add_examples(views: Iterable[TopicView], examples: Sequence[str]) -> None:
    """Hand other nodes' examples to the learners they are for; those without a learner here are left out."""
    by_place: dict[tuple[Any, ...], list[str]] = {}
    for text in examples:
        try:
            *key, example = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(example, str) and all(isinstance(part, str) for part in key):
            by_place.setdefault(tuple(key), []).append(example)
    for place, learner in learners_of(views):
        theirs = by_place.get(place)
        if theirs and isinstance(learner, SharingLearner):
            learner.add_examples(theirs)
