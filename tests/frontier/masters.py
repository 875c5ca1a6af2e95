"""Two Redis masters for crawls that are spread over both."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis

from support.servers import NoServerError, RedisServer, free_port, give_up, make_redis_server
from topicspider.frontier.redis.parting import part_of
from topicspider.frontier.redis.spread import open_crawl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.frontier.redis.partitioned import PartitionedFrontier

HALF = 8_192  # slots


def hosts_of(part: int, number: int) -> list[str]:
    """So many hosts that belong to that one of two parts."""
    names = (f"{n}.例子.example:80" for n in count())
    return list(islice((name for name in names if part_of(name, 2) == part), number))


@contextmanager
def running_masters(count: int = 2) -> Iterator[list[RedisServer]]:
    """So many servers of this test's own, which know nothing of each other."""
    with ExitStack() as ending:
        servers = []
        for _ in range(count):
            folder = Path(tempfile.mkdtemp(prefix="ts-"))
            ending.callback(shutil.rmtree, folder, ignore_errors=True)
            try:
                servers.append(make_redis_server(folder))
            except NoServerError as missing:
                give_up(str(missing))
            ending.callback(servers[-1].kill)
        yield servers


@contextmanager
def running_cluster() -> Iterator[list[RedisServer]]:
    """Two masters of one Redis Cluster, which have half of the slots each."""
    with running_masters() as masters:
        for master in masters:
            master.stop()
            master.more_arguments = ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
            master.start()
        clients = [redis.Redis.from_url(master.url) for master in masters]
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER ADDSLOTS", *range(number * HALF, (number + 1) * HALF))
        bus = masters[1].more_arguments[-1]
        clients[0].execute_command("CLUSTER MEET", "127.0.0.1", masters[1].port, bus)
        wait_for_cluster(clients)
        for client in clients:
            client.close()
        yield masters


def wait_for_cluster(clients: Sequence[redis.Redis]) -> None:
    """Until every one of them knows all of them."""
    deadline = time.monotonic() + 30
    while any(b"cluster_state:ok" not in _cluster_info(client) for client in clients):
        if time.monotonic() > deadline:
            raise AssertionError([_cluster_info(client) for client in clients])
        time.sleep(0.05)


def _cluster_info(client: redis.Redis) -> bytes:
    told = client.execute_command("CLUSTER INFO")
    return told if isinstance(told, bytes) else "\n".join(f"{key}:{value}" for key, value in told.items()).encode()


class SpreadCrawls:
    """Opens crawls that are spread over the masters; what they keep there is deleted at the end."""

    def __init__(self, masters: Sequence[RedisServer]) -> None:
        self.masters = masters
        self.name = f"分片-{secrets.token_hex(4)}"

    @property
    def url(self) -> str:
        """The setting that names them all."""
        return ",".join(master.url for master in self.masters)

    def open(self, crawl: str = "", **options: Any) -> PartitionedFrontier:
        """The frontier of ``crawl``; several may be open."""
        return open_crawl(self.url, self.name + crawl, **options)  # type: ignore[return-value]

    def delete(self) -> None:
        """Nothing is left of them."""
        for master in self.masters:
            with redis.Redis.from_url(master.url) as client:
                for key in client.scan_iter(f"topicspider:{{{self.name}*", count=10_000):
                    client.unlink(key)
