"""Takes the pictures of the docs in Chromium: of the web page over crawls of a simulated web, or of a rehearsal's report.

    python docs/screenshots.py                                        crawl.png, hits.png, wide.png and phone.png, in docs/img
    python docs/screenshots.py FOLDER_OR_REPORT.html [FOLDER]         of a report: both languages, on a phone and on a desk

Needs Chromium (``chromium`` or ``google-chrome`` on PATH) and a font with Chinese; drives it over its debugging protocol, so that
390 pixels are 390 and not the least width of a window. Of simulated webs only: titles of recorded pages are other people's text.
"""

from __future__ import annotations

import asyncio
import base64
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from PIL import Image

from topicspider.cli.demo import BREADTH_FIRST, FOCUSED, crawl

IMAGES = Path(__file__).parent / "img"
SIZES = {390: 1150, 1280: 1660}
"""Width to the height that is shown, in CSS pixels."""
COLOURS = 128
LARGEST = 300_000
PAGES = 400
CRAWL, HITS = "/crawl?crawl=demo/focused/tourism", "/hits?q=%E6%A1%82%E6%9E%97%20%E6%94%BB%E7%95%A5"
WEB_PAGE = {
    "crawl": [(CRAWL, "en", 1024, 1180, "light")],
    "hits": [(HITS, "zh-CN", 1024, 900, "light")],
    "wide": [(CRAWL, "zh-CN", 1600, 1100, "dark")],
    "phone": [
        ("/start?topic=tea", "en", 390, 1000, "light"),
        (HITS, "zh-CN", 390, 1000, "dark"),
        ("/map", "en", 390, 1000, "dark"),
        ("/catalogue", "zh-CN", 390, 1000, "light"),
    ],
}
"""Pictures of the web page: address, language, width, height and colours of each part; parts stand side by side."""
BESIDE = 24


class Browser:
    """One page of a headless Chromium, spoken to over a web socket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events in between are dropped."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return dict(message["result"])


async def take(browser: Browser, url: str, width: int, height: int, scheme: str = "light") -> bytes:
    """A PNG of the upper ``height`` pixels of what is at ``url``."""
    await browser.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
    )
    await browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await browser.call("Page.navigate", url="about:blank")
    await browser.call("Page.navigate", url=url)
    await asyncio.sleep(1.5)
    overflow = await browser.call(
        "Runtime.evaluate", expression="document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    if overflow["result"]["value"] > 0:
        print(f"{url}, {width} px: {overflow['result']['value']} px too wide", file=sys.stderr)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = await browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    return base64.b64decode(shot["data"])


def smaller(parts: Sequence[bytes]) -> bytes:
    """The parts side by side, in a few colours, which flat charts and text bear well."""
    images = [Image.open(io.BytesIO(png)).convert("RGB") for png in parts]
    size = sum(one.width + BESIDE for one in images) - BESIDE, max(one.height for one in images)
    whole, left = Image.new("RGB", size, "#8a908d"), 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + BESIDE
    picture = whole.quantize(COLOURS, dither=Image.Dither.NONE)
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A page of a new browser, which ends with the block."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("chromium is needed: apt-get install chromium fonts-noto-cjk")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
            f"--user-data-dir={profile}", "about:blank", stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with aiohttp.ClientSession() as session, session.ws_connect(await _page(session, Path(profile)), max_msg_size=0) as socket:  # fmt: skip
                yield Browser(socket)
        finally:
            process.terminate()
            await process.wait()


async def _page(session: aiohttp.ClientSession, profile: Path) -> str:
    """The address of the first page of the browser of ``profile``."""
    port_file = profile / "DevToolsActivePort"
    for _attempt in range(100):
        if port_file.exists() and port_file.read_text():
            break
        await asyncio.sleep(0.2)
    port = port_file.read_text().split()[0]
    async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
        return next(str(target["webSocketDebuggerUrl"]) for target in await answer.json() if target["type"] == "page")


def keep(path: Path, *parts: bytes) -> None:
    small = smaller(parts)
    path.write_bytes(small)
    print(f"{path}: {len(small) // 1000} kB{', too large' if len(small) > LARGEST else ''}")


async def of_report(report: str, folder: Path) -> None:
    """All four pictures of a rehearsal's report."""
    async with chromium() as browser:
        for width, height in SIZES.items():
            for language in ("zh", "en"):
                png = await take(browser, f"{report}#{language}", width, height)
                keep(folder / f"rehearsal-{language}-{width}.png", png)


@contextmanager
def served(data: Path) -> Iterator[str]:
    """The link to the web page over ``data``."""
    command = [sys.executable, "-m", "scrapy", "serve", "--port", "0", "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert process.stdout is not None
        yield next(line.strip() for line in process.stdout if line.startswith("http"))
    finally:
        process.terminate()
        process.wait()


async def of_web_page(folder: Path) -> None:
    """A crawl beside what breadth-first found of the same web, while it runs; and hits."""
    with tempfile.TemporaryDirectory() as name:
        demo = Path(name) / "demo"
        await asyncio.to_thread(crawl, BREADTH_FIRST, demo / BREADTH_FIRST, "made:", PAGES, [])
        # slow enough to be seen running, and ended by its limit
        running = asyncio.create_task(asyncio.to_thread(crawl, FOCUSED, demo / FOCUSED, "made:", 2 * PAGES, ["TOPICSPIDER_DELAY_MIN=0.5"]))  # fmt: skip
        with served(Path(name)) as link:
            async with chromium() as browser:
                await browser.call("Network.enable")
                await browser.call("Page.navigate", url=link)
                base = link.partition("/login")[0]
                await _until(lambda: _number(browser, f"fetch('{base}{CRAWL.replace('?', '.json?')}').then(a => a.json()).then(a => a.status.pages)"), PAGES)  # fmt: skip
                await _until(lambda: _number(browser, f"fetch('{base}{HITS}').then(a => +a.ok)"), 1)  # indexed
                for picture, parts in WEB_PAGE.items():
                    taken = []
                    for address, language, *size in parts:
                        await browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
                        taken.append(await take(browser, base + address, *size))
                    keep(folder / f"{picture}.png", *taken)
            await running


async def _number(browser: Browser, ask: str) -> int:
    """What a promise of the page comes to; 0 when it fails."""
    asked = await browser.call("Runtime.evaluate", expression=f"{ask}.then(n => n ?? 0, () => 0)", awaitPromise=True)
    return int(asked["result"]["value"])


async def _until(count: Callable[[], Awaitable[int]], least: int) -> None:
    for _second in range(600):
        if await count() >= least:
            return
        await asyncio.sleep(1)
    raise SystemExit(f"the crawl has no {least} pages or hits after ten minutes")


def main() -> None:
    """The pictures of what is named, else of the web page."""
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) < 2:
        asyncio.run(of_web_page(folder))
        return
    given = Path(sys.argv[1])
    asyncio.run(of_report((given / "report.html" if given.is_dir() else given).resolve().as_uri(), folder))


if __name__ == "__main__":
    main()
