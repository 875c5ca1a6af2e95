"""The append-only file (AOF) of a Redis that was killed: what it held, and what a power cut may leave of it."""

from __future__ import annotations

import random
import shutil
import struct
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path

import redis

from support.servers import RedisServer, make_redis_server, running
from topicspider.frontier.redis.connection import key_prefix

LONGEST_LOSS = 1.8  # seconds; the log is synced each second, and a sync may take as long again
_LOOK_SECONDS = 0.02
_LEASE_HEAD = struct.Struct(">ddddH")


def private_redis() -> AbstractContextManager[RedisServer]:
    """A server of this round's own, with ``appendfsync everysec``; its folder is removed afterwards."""
    return running(make_redis_server)


def leased_to(server: RedisServer, crawl: str, process: int) -> int:
    """How many URLs are leased to the ``process`` (its id)."""
    with redis.Redis(port=server.port) as client:
        leases = client.hgetall(key_prefix(crawl) + "leases").values()
    return sum(_urls(lease) for lease in leases if f"-{process}-".encode() in lease)


def _urls(lease: bytes) -> int:
    node = _LEASE_HEAD.unpack_from(lease)[4]
    return (len(lease) - _LEASE_HEAD.size - node) // 8


class LogWatch:
    """Notes how the log grows, so that after a kill what was written since a moment can be removed."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._sizes: list[tuple[float, int]] = [(0.0, 0)]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the watching thread."""
        self._is_over.set()
        self._thread.join()

    def leased(self, crawl: str) -> int:
        """How many URLs were leased when the server was killed; another server reads it from a copy of the log."""
        with private_copy(self._server) as copy, redis.Redis(port=copy.port) as client:
            return int(client.hget(key_prefix(crawl) + "totals", "leased") or 0)

    def cut(self, rng: random.Random, *, is_torn: bool) -> int:
        """Cut off the end of the killed server's log, between two commands or (``is_torn``) within one. Returns the number of bytes."""
        path, now = self._path(), time.monotonic()
        size = path.stat().st_size
        moment = now - rng.uniform(0.1, LONGEST_LOSS)
        kept = max(length for at, length in self._sizes if at <= moment or not at)
        bounds = command_ends(path.read_bytes())
        kept = max(bound for bound in bounds if bound <= kept)
        if is_torn:
            following = min((bound for bound in bounds if bound > kept), default=kept)
            kept += (following - kept) // 2
        with path.open("r+b") as file:
            file.truncate(kept)
        return size - kept

    def _path(self) -> Path:
        (path,) = (self._server.folder / "appendonlydir").glob("*.incr.aof")
        return path

    def _look(self) -> None:
        while not self._is_over.wait(_LOOK_SECONDS):
            size = self._path().stat().st_size
            if size != self._sizes[-1][1]:
                self._sizes.append((time.monotonic(), size))


def command_ends(log: bytes) -> list[int]:
    """The offsets in bytes at which the commands of an append-only file end, after a 0 for its beginning."""
    ends, at = [0], 0
    while at < len(log):
        line = log.find(b"\r\n", at)
        if line < 0 or log[at : at + 1] != b"*":
            return ends
        parts, at = int(log[at + 1 : line]), line + 2
        for _ in range(parts):
            line = log.find(b"\r\n", at)
            if line < 0:
                return ends
            at = line + 2 + int(log[at + 1 : line]) + 2
        if at <= len(log):
            ends.append(at)
    return ends


def private_copy(server: RedisServer) -> AbstractContextManager[RedisServer]:
    """Another server, which runs on a copy of the log of ``server``; that one must not run."""

    def copy(folder: Path) -> RedisServer:
        shutil.copytree(server.folder / "appendonlydir", folder / "appendonlydir")
        made = RedisServer(server.binary, folder)
        made.start()
        return made

    return running(copy)
