"""Whether hosts can be reached: name resolution and connection, without a request ((b) thesis 2011, "ping")."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from topicspider.download.guard import refusal


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one URL's host was reached. ``failed`` is empty, or the step: refused, proxy, resolve, connect."""

    url: str
    failed: str = ""
    why: str = ""
    resolve_seconds: float = 0.0
    connect_seconds: float = 0.0
    proxy: str = ""


def reach_all(urls: Sequence[str], timeout: float, *, allow_private: bool) -> list[Reach]:
    """Try all at once; back after ``timeout`` seconds at the latest, in the order of ``urls``."""
    answers: queue.SimpleQueue[tuple[int, Reach]] = queue.SimpleQueue()
    for index, url in enumerate(urls):
        # daemon threads: a resolver that hangs must not keep the process from ending
        threading.Thread(target=_answer, args=(answers, index, url, timeout, allow_private), daemon=True).start()
    reached = {index: Reach(url, "resolve", f"no answer in {timeout:g} s") for index, url in enumerate(urls)}
    deadline = time.monotonic() + timeout
    for _ in urls:
        try:
            index, answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        reached[index] = answer
    return [reached[index] for index in range(len(urls))]


def reach(url: str, timeout: float, *, allow_private: bool) -> Reach:
    """Resolve the host of ``url`` and connect to it; through a proxy, connect to the proxy only."""
    proxy = proxy_of(url)
    reason = refusal(url, allow_private)
    if reason:
        return Reach(url, "refused", reason, proxy=proxy)
    parts = urlsplit(proxy or url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    started = time.monotonic()
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        return Reach(url, "proxy" if proxy else "resolve", _why(error), time.monotonic() - started, proxy=proxy)
    resolved = time.monotonic()
    try:
        with socket.socket(*address[:3]) as connection:
            connection.settimeout(timeout)
            connection.connect(address[4])
    except OSError as error:
        return Reach(url, "proxy" if proxy else "connect", _why(error), resolved - started, time.monotonic() - resolved, proxy)
    return Reach(url, "", "", resolved - started, time.monotonic() - resolved, proxy)


def proxy_of(url: str) -> str:
    """The proxy that http_proxy, https_proxy and no_proxy name for ``url``, or empty."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme, "")
    if not proxy or proxy_bypass(parts.netloc):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _answer(answers: queue.SimpleQueue[tuple[int, Reach]], index: int, url: str, timeout: float, allow_private: bool) -> None:
    answers.put((index, reach(url, timeout, allow_private=allow_private)))


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return getattr(error, "strerror", None) or str(error)
