"""Two Redis masters for crawls that are spread over both."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis

from tests.servers import NoServerError, RedisServer, give_up, make_redis_server
from topicspider.frontier.redis.spread import open_crawl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.frontier.redis.partitioned import PartitionedFrontier


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
