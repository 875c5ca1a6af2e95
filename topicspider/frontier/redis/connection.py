"""The connection of a RedisFrontier to its crawl: puts the Lua programs together, runs them, and notices when the server was started anew."""

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
    """These files one after the other: a program has no modules in Redis."""
    folder = files("topicspider.frontier") / "lua"
    return "\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names)


logger = logging.getLogger(__name__)

Reply = Any  # what Redis answers: lists, integers, bytes

LAYOUT = 3
JOURNAL_SECONDS = 10.0
"""Work confirmed so recently may be lost with the end of the server's log, which is written each second; so it is told once more."""


_REPLACED, _EMPTIED = 1, 2  # as opening.lua has it
_QUIET = (
    "no host is leased until all leases that were lost are over, and what was told within the last %d s is told again"
)
_WORDS_OF_LOSS = {
    _REPLACED: f"another server took its place, or it started anew within 2 s, and may lack its last seconds; {_QUIET % JOURNAL_SECONDS}",
    _EMPTIED: f"it has lost the crawl (FLUSHALL, or its data were deleted): what was queued is gone; {_QUIET % JOURNAL_SECONDS}",
}


def key_prefix(crawl: str) -> str:
    """The beginning of all keys of a crawl: topic, and a hash tag that keeps them in one slot of a cluster."""
    name = crawl.replace("%", "%25").replace("{", "%7B").replace("}", "%7D")
    if len(name.encode()) > 40:  # it is in 131,072 keys
        digest = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
        name = name.encode()[:23].decode("utf-8", "ignore") + "~" + digest
    return f"topicspider:{{{name}}}:v1:"


class Connection:
    """``epoch`` is the crawl's between two starts of the server; ``restarts`` counts those that were noticed, ``emptied`` those of them by
    which it had lost the crawl.

    The first program of a run of the server is always the opening one: no other is loaded before it.
    Therefore a server that does not know the program was started again (or a replica took its place).
    """

    def __init__(self, server: RedisServer, crawl: str, rules: Rules, clock: Callable[[], float] | None) -> None:
        self._server = server
        self._rules = rules
        self._clock = clock
        self._prefix = key_prefix(crawl)
        # a program of the crawl's own: another crawl's node may have loaded its own after a restart, and looked after its own.
        # Its second half is a function: each function of Lua may have 200 locals, and take 60 from those around it.
        outer = lua("state", "storage", "leases", "dead_letters", "eviction", "work", "operations")
        inner = f"return (function()\n{lua('inspection', 'call')}\nend)()"
        self._program = f"-- {self._prefix}\n{outer}\n{inner}"
        self._digest = hashlib.sha1(self._program.encode(), usedforsecurity=False).hexdigest()
        self._journal: deque[tuple[float, Work]] = deque()
        self._untold: deque[Work] = deque()  # to be told again after a restart
        self._is_unsure = False  # a call was cut off: what it granted is not known here
        self._longest_lease = 0.0  # asked for here: the server may have forgotten it
        self.epoch = self.restarts = self.emptied = 0
        self._next_look, self._policy = 0.0, ""  # of a server that drops keys
        self._evicted_before: int | None = None
        self.is_ranked_anew = False
        self.seed = rules.seed
        self.url_keys = UrlKeys(rules.seed)

    def call(self, operation: str, *arguments: str | bytes) -> Reply:
        """What the operation answers; note is taken of the epoch and the loss that come before it."""
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
        """One sync with the frontier; ``work`` is remembered until it is surely on the disk. ``renews``: the leases that ``asked`` names.

        ``heartbeat``: what the node says of itself.
        """
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
        """Once a minute: warn of a server that drops keys when it is full."""
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
        """How many keys the server has dropped since the first call, or since it was started again; looks at its memory once more."""
        before, self._next_look = self._evicted_before, 0.0
        self.look_at_memory()
        return 0 if before is None else max(0, self._server.evicted_keys() - before)

    def run(self, command: str, name: str, *arguments: str | int) -> Reply:
        """A plain command on one key of the crawl, for what is kept beside the queue."""
        return self._server.run(command, self._prefix + name, *arguments)

    def forget_journal(self) -> None:
        """Nothing of what was told is told again."""
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
        """Make the crawl, or find it, by the opening program; then load the other one. Without rules a crawl that is there keeps its own."""
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
                self.seed = int.from_bytes(int(seed).to_bytes(8, signed=True), signed=True)  # of 64 bits, or an error
                self.url_keys = UrlKeys(self.seed)
        self._adopt(epoch, loss)

    def _adopt(self, epoch: int, loss: int) -> None:
        """Note the epoch; when it is a new one, what was told of late is told again. ``loss``: how the one before ended, 0: by a restart."""
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
    """What is left of the rests of hosts that were told at that time."""
    age = time.monotonic() - told
    left = {host: timing.rest_seconds - age for host, timing in (work.timings or {}).items()}
    return {host: HostTiming(seconds) for host, seconds in left.items() if seconds > 0}
