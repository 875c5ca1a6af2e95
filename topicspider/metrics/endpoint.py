"""Answers http://HOST:PORT/metrics from the event loop of the crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from topicspider.metrics.exposition import Exposition
    from topicspider.metrics.place import Place

PATH = "/metrics"
CLOSING_SECONDS = 1.0
KEPT_SECONDS = 90.0  # more than the usual minute between two looks: one connection for all


class MetricsEndpoint:
    """Made, opened and closed on the event loop; a look takes some milliseconds there."""

    def __init__(self, place: Place, exposition: Exposition) -> None:
        self._place = place
        self._exposition = exposition
        self._runner: web.AppRunner | None = None

    async def open(self) -> int:
        """Listen; returns the port. Raises OSError when that is not possible."""
        app = web.Application(client_max_size=1024)
        app.router.add_get(PATH, self._answer)
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=CLOSING_SECONDS, keepalive_timeout=KEPT_SECONDS
        )
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._place.host, self._place.port).start()
        except BaseException:
            await self.close()
            raise
        port: int = self._runner.addresses[0][1]
        return port

    async def close(self) -> None:
        """Listen no more."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        if not self._place.admits(request.headers.get("Authorization", "")):
            return web.Response(status=401, text="a token is needed\n", headers={"WWW-Authenticate": "Bearer"})
        text, content_type = self._exposition.text(request.headers.get("Accept", ""))
        return web.Response(body=text, headers={"Content-Type": content_type})
