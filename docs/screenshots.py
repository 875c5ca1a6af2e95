"""Takes the screenshots of a rehearsal's report for the docs: both languages, on a phone and on a desk.

    python docs/screenshots.py FOLDER_OR_REPORT.html [FOLDER FOR IMAGES]

Needs Chromium (``chromium`` or ``google-chrome`` on PATH) and a font with Chinese; drives it over its debugging protocol, so that
390 pixels are 390 and not the least width of a window. Use it on a rehearsal of a made web only: titles of recorded pages are
other people's text.
"""

from __future__ import annotations

import asyncio
import base64
import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
from PIL import Image

IMAGES = Path(__file__).parent / "img"
SIZES = {390: 1150, 1280: 1660}
"""Width to the height that is shown, in CSS pixels."""
COLOURS = 128
LARGEST = 300_000


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


async def take(browser: Browser, report: str, language: str, width: int, height: int, scheme: str = "light") -> bytes:
    """A PNG of the upper ``height`` pixels of the report at a URL."""
    await browser.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
    )
    await browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    await browser.call("Page.navigate", url="about:blank")
    await browser.call("Page.navigate", url=f"{report}#{language}")
    await asyncio.sleep(1.5)
    overflow = await browser.call(
        "Runtime.evaluate", expression="document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    if overflow["result"]["value"] > 0:
        print(f"{width} px, {language}: {overflow['result']['value']} px too wide", file=sys.stderr)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = await browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    return base64.b64decode(shot["data"])


def smaller(png: bytes) -> bytes:
    """The picture in a few colours, which flat charts and text bear well."""
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


async def screenshots(report: str, folder: Path, sizes: dict[int, int]) -> None:
    """All four pictures."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("chromium is needed: apt-get install chromium fonts-noto-cjk")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
            f"--user-data-dir={profile}", "about:blank", stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with aiohttp.ClientSession() as session:
                await photograph(session, Path(profile), report, folder, sizes)
        finally:
            process.terminate()
            await process.wait()


async def photograph(
    session: aiohttp.ClientSession, profile: Path, report: str, folder: Path, sizes: dict[int, int]
) -> None:
    """Connect to the browser of ``profile``, and take every picture."""
    port_file = profile / "DevToolsActivePort"
    for _attempt in range(100):
        if port_file.exists() and port_file.read_text():
            break
        await asyncio.sleep(0.2)
    port = port_file.read_text().split()[0]
    async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
        pages = [target for target in await answer.json() if target["type"] == "page"]
    async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
        browser = Browser(socket)
        for width, height in sizes.items():
            for language in ("zh", "en"):
                png = smaller(await take(browser, report, language, width, height))
                path = folder / f"rehearsal-{language}-{width}.png"
                path.write_bytes(png)
                print(f"{path}: {len(png) // 1000} kB{', too large' if len(png) > LARGEST else ''}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    given = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else IMAGES
    target.mkdir(parents=True, exist_ok=True)
    page = (given / "report.html" if given.is_dir() else given).resolve().as_uri()
    asyncio.run(screenshots(page, target, SIZES))
