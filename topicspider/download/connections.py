"""How many requests servers give over one connection, as their answers tell: (c) Cao's RequestsPerConnection(s,i)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping

KEPT_HOSTS = 10_000
FIRST_ERROR = 400  # servers close after many an error what they would have kept open
_LEFT = re.compile(r"\bmax\s*=\s*(\d{1,6})", re.IGNORECASE)


class ConnectionCounts:
    """Counts the answers over each host's connection, of which there is one at a time."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[int, int | None]] = OrderedDict()  # served over the last connection; told

    def note(
        self, host: str, *, is_new: bool, status: int, version: tuple[int, int], headers: Mapping[str, str]
    ) -> int | None:
        """An answer came, over a new connection or the one before; how many requests it tells of, None when nothing.

        A server tells by closing (what it has served over this connection), by ``Keep-Alive: max=N`` (N are left), and by serving
        more than it told before.
        """
        before, told = self._known.get(host, (0, None))
        served = 1 if is_new else before + 1
        new = None if status >= FIRST_ERROR else _tells(served, version, headers)
        if new is None and told is not None and served > told:
            new = served
        self._known[host] = (served, told if new is None else new)
        self._known.move_to_end(host)
        if len(self._known) > KEPT_HOSTS:
            self._known.popitem(last=False)
        return new


def _tells(served: int, version: tuple[int, int], headers: Mapping[str, str]) -> int | None:
    if closes(version, headers.get("Connection", "")):
        return served
    left = _LEFT.search(headers.get("Keep-Alive", ""))
    return served + int(left[1]) if left else None


def closes(version: tuple[int, int], connection: str) -> bool:
    """Whether a server that answers in HTTP ``version`` with this header closes the connection after it (RFC 9112, 9.3)."""
    wishes = {wish.strip().lower() for wish in connection.split(",")}
    return "close" in wishes or (version < (1, 1) and "keep-alive" not in wishes)
