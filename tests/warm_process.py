"""Becomes one ``python -m scrapy ARGUMENTS`` after another: a process that has loaded the libraries, and forks.

Only libraries are loaded here, nothing of topicspider: what a command imports of ours, and in which order, is its own business
in every process. Started by tests/warm.py with the number of a socket; ends when the other end of it is closed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import time

# what every crawl imports; a library that is not here is only loaded later, in each process
LIBRARIES = (
    "scrapy.cmdline", "scrapy.commands.crawl", "scrapy.commands.parse", "scrapy.commands.shell", "scrapy.crawler",
    "scrapy.core.downloader.handlers.http11", "scrapy.core.engine", "scrapy.extensions.feedexport", "scrapy.utils.asyncio",
    "aiohttp", "ahocorasick_rs", "cssselect", "lxml.html", "numpy", "protego", "rjieba", "scipy.optimize", "selectolax.lexbor",
    "service_identity", "tldextract", "twisted.internet.asyncioreactor", "twisted.web.http", "warcio", "yaml",
)  # fmt: skip
FILES = 3  # descriptors that come with an order: output, errors, and where the exit status is told


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # a process chooses its own
    gc.collect()
    gc.freeze()
    order, files = _next_order(control)
    become(order, files)
    control.close()


def _next_order(control: socket.socket) -> tuple[dict, list[int]]:
    """Fork for each order; returns in the children only, each with its own."""
    ended, wake = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, int] = {}
    control.send(b"ready")
    while True:
        ready, _, _ = select.select([control, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _tell_ends(children)
        if control not in ready:
            continue
        message, files, _, _ = socket.recv_fds(control, 1 << 20, FILES)
        if not message:
            _end(children)
        if child := os.fork():
            children[child] = files.pop()
            for file in files:
                os.close(file)
            control.send(str(child).encode())
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file in (ended, wake, *children.values()):
            os.close(file)
        return json.loads(message), files


def _tell_ends(children: dict[int, int]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        file = children.pop(child)
        with contextlib.suppress(OSError):  # nobody waits for it any more
            os.write(file, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(file)


def _end(children: dict[int, int]) -> None:
    """The tests are over: so is what they left."""
    for child in children:
        os.kill(child, signal.SIGKILL)
    os._exit(0)


def become(order: dict, files: list[int]) -> None:
    """Take over folder, environment, arguments and streams of an order."""
    os.dup2(files[0], 1)
    os.dup2(files[1], 2)
    for file in files:
        os.close(file)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    sys.path[0] = order["folder"]
    sys.argv[:] = ["-m", *order["arguments"]]
    importlib.invalidate_caches()


if __name__ == "__main__":
    main()
    runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
