"""Connects a RedisFrontier to its crawl: assembles the Lua programs, runs them, and notices a restart of the server."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from topicspider.errors import FrontierRefused, FrontierUnavailable
from topicspider.frontier.host_ranking import Rules
from topicspider.frontier.protocol import HostTiming, Work
from topicspider.frontier.redis.packing import BUCKET_BITS, UrlKeys, WorkPacker
from topicspider.frontier.redis.server import ProgramForgotten, RedisServer


@cache
def lua(*names: str) -> str:
    """The text of these Lua files, one after the other: a program in Redis has no modules."""
    folder = files("topicspider.frontier") / "lua"
    return "\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names)


logger = logging.getLogger(__name__)

Reply = Any  # what Redis answers: lists, integers, bytes

LAYOUT = 3
JOURNAL_SECONDS = 10.0
"""Work confirmed within this time is reported again after a restart: the server writes its log once a second, so the log's end may be lost.
"""


_REPLACED, _EMPTIED = 1, 2  # the same numbers as in opening.lua
_QUIET = (
    "no host is leased until all leases that were lost are over, and what was told within the last %d s is told again"
)
_WORDS_OF_LOSS = {
    _REPLACED: f"another server took its place, or it started anew within 2 s, and may lack its last seconds; {_QUIET % JOURNAL_SECONDS}",
    _EMPTIED: f"it has lost the crawl (FLUSHALL, or its data were deleted): what was queued is gone; {_QUIET % JOURNAL_SECONDS}",
}


def key_prefix(crawl: str) -> str:
    """The prefix of all keys of a crawl: the crawl's name in a hash tag, which keeps its keys in one slot of a cluster."""
    name = crawl.replace("%", "%25").replace("{", "%7B").replace("}", "%7D")
    if len(name.encode()) > 40:  # the prefix is part of 131,072 keys
        digest = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
        name = name.encode()[:23].decode("utf-8", "ignore") + "~" + digest
    return f"topicspider:{{{name}}}:v1:"


class Connection:
    """``epoch``: changes with each start of the server. ``restarts``: how many were noticed; ``emptied``: how many of them lost the crawl.

    In each run of the server, the opening program is always run first: no other program is loaded before it. Therefore a server that does
    not know our program was restarted (or a replica took its place).
    """

    def __init__(self, server: RedisServer, crawl: str, rules: Rules, clock: Callable[[], float] | None) -> None:
        self._server = server
        self._rules = rules
        self._clock = clock
        self._prefix = key_prefix(crawl)
        # Each crawl has a program of its own (the prefix is in it). With a shared one, after a restart another crawl's node might load it
        # before this crawl was opened again. Its second half is a function: a function of Lua may have 200 locals, and use 60 from those
        # around it.
        outer = lua("state", "storage", "leases", "dead_letters", "eviction", "work", "operations")
        inner = f"return (function()\n{lua('inspection', 'call')}\nend)()"
        self._program = f"-- {self._prefix}\n{outer}\n{inner}"
        self._digest = hashlib.sha1(self._program.encode(), usedforsecurity=False).hexdigest()
        self._journal: deque[tuple[float, Work]] = deque()
        self._untold: deque[Work] = deque()  # to be reported again after a restart
        self._is_unsure = False  # a call was interrupted: what it granted is not known here
        self._longest_lease = 0.0  # in seconds, as asked for here; the server may have forgotten it
        self.epoch = self.restarts = self.emptied = 0
        self._next_look, self._policy = 0.0, ""  # of the check for a server that drops keys
        self._evicted_before: int | None = None
        self.is_ranked_anew = False
        self.seed = rules.seed
        self.url_keys = UrlKeys(rules.seed)

    def call(self, operation: str, *arguments: str | bytes) -> Reply:
        """Run the operation and return its answer, without the epoch and loss that come first, which are recorded."""
        reply = self._ask(operation, arguments)
        self._adopt(*reply[0])
        if self._untold:
            self._tell_again()
            reply = reply if operation == "sync" else self._ask(operation, arguments)
        return reply[1:]

    def sync(
        self,
        work: Work | None,
        packed: list[bytes],
        asked: tuple[str | bytes, ...],
        *,
        renews: bool = True,
        heartbeat: str = "",
    ) -> Reply:
        """One sync with the frontier; ``work`` is remembered until it is surely on disk. ``renews``: renew the leases that ``asked``
        names. ``heartbeat``: the node's heartbeat, "" for none."""
        self.look_at_memory()
        self._longest_lease = max(self._longest_lease, float(asked[2]))
        is_unsure, self._is_unsure = self._is_unsure, True
        signs = ("1" if is_unsure and asked[0] else "0", "1" if renews else "0")
        reply = self.call("sync", *packed, *asked, *signs, heartbeat)
        self._is_unsure = is_unsure and not asked[0]
        if work:
            self._remember(work)
        return reply

    def look_at_memory(self) -> None:
        """Once a minute, check for a server that drops keys when it is full, and log a warning."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + 60.0
        if self._evicted_before is None:
            self._evicted_before = self._server.evicted_keys()
        policy, self._policy = self._policy, self._server.evicts()
        if self._policy and policy != self._policy:
            words = (
                "frontier %s: its maxmemory-policy is %s: when its memory is full it drops URLs of the crawl without a word. "
                "Set maxmemory-policy noeviction: then those with the lowest scores are given up, and counted"
            )
            logger.warning(words, self._server.label, self._policy)

    def evicted_keys(self) -> int:
        """How many keys the server has dropped since the first check, or since its restart; also checks its memory once more."""
        before, self._next_look = self._evicted_before, 0.0
        self.look_at_memory()
        return 0 if before is None else max(0, self._server.evicted_keys() - before)

    def run(self, command: str, name: str, *arguments: str | int) -> Reply:
        """Run a plain command on one key of the crawl, for data stored beside the queue."""
        return self._server.run(command, self._prefix + name, *arguments)

    def forget_journal(self) -> None:
        """Forget the remembered work: nothing is reported again."""
        self._journal.clear()
        self._untold.clear()

    def close(self) -> None:
        self._server.close()

    def _ask(self, operation: str, arguments: tuple[str | bytes, ...]) -> Reply:
        given = (self._now(), operation, *arguments)
        for _ in range(3):
            try:
                reply = self._server.program(self._digest, [f"{self._prefix}totals"], given)
            except ProgramForgotten:
                reply = None
            if reply is not None:
                return reply
            self.open(with_rules=False)
            self._tell_again()
        raise FrontierUnavailable(self._server.label, "forgets the frontier's program again and again")

    def open(self, *, with_rules: bool, is_first: bool = False) -> None:
        """Create or find the crawl with the opening program; then load the main program. Without rules an existing crawl keeps its own."""
        run, seconds_up = self._server.run_and_uptime()
        rules = self._rules
        given = [self._now(), run, str(seconds_up), str(self.epoch), repr(self._longest_lease)]
        given += [str(LAYOUT), str(BUCKET_BITS), str(self.seed), "1" if with_rules else "0"]
        limits = (-1 if limit is None else limit for limit in (rules.max_pages, rules.pages_per_host))
        given += [rules.server_policy, *(str(limit) for limit in limits), str(rules.attempts)]
        given += [str(rules.patience), str(rules.least)]
        text, key = lua("state", "opening"), f"{self._prefix}totals"
        epoch, layout, seed, is_changed, loss = self._server.script(text, [key], given)
        if layout != LAYOUT:
            why = f"the crawl has layout {layout}, this version knows layout {LAYOUT}"
            raise FrontierRefused(self._server.label, why, "Use another database, or the version that began it")
        self._server.load_program(self._program)
        if is_first:
            self.is_ranked_anew = bool(is_changed)
            with self._server.readable():
                self.seed = int.from_bytes(int(seed).to_bytes(8, signed=True), signed=True)  # error unless 64 bits
                self.url_keys = UrlKeys(self.seed)
        self._adopt(epoch, loss)

    def _adopt(self, epoch: int, loss: int) -> None:
        """Record the epoch; after a new one, recent work is reported again. ``loss``: how the last epoch ended (0: by a restart)."""
        if epoch == self.epoch:
            return
        is_restart, self.epoch = self.epoch != 0, epoch
        if is_restart:
            self.restarts += 1
            self.emptied += loss == _EMPTIED
            if loss:
                logger.warning("frontier %s: %s", self._server.label, _WORDS_OF_LOSS[loss])
            self._untold.extend(replace(work, timings=_rests_left(work, told)) for told, work in self._journal)
            self._journal.clear()

    def _tell_again(self) -> None:
        while self._untold:
            packed = WorkPacker(self.url_keys, self.seed).pack(self._untold[0], is_told_again=True)
            self._ask("sync", (*packed, "", b"", "-1.0", "-1", "0", "0"))
            self._remember(self._untold.popleft())

    def _remember(self, work: Work) -> None:
        now = time.monotonic()
        self._journal.append((now, work))
        while self._journal[0][0] < now - JOURNAL_SECONDS:
            self._journal.popleft()

    def _now(self) -> str:
        return "" if self._clock is None else repr(float(self._clock()))


def _rests_left(work: Work, told: float) -> dict[str, HostTiming]:
    """The remaining rests of the hosts in ``work``, which was reported at time ``told``."""
    age = time.monotonic() - told
    left = {host: timing.rest_seconds - age for host, timing in (work.timings or {}).items()}
    return {host: HostTiming(seconds) for host, seconds in left.items() if seconds > 0}
