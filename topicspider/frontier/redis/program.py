"""The Lua programs of the RedisFrontier, put together from their files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_FRONTIER = (
    "state", "steered", "ranks", "mix", "records", "hosts", "watched", "leases", "clock", "graves", "apply", "acquire", "main",
)  # fmt: skip
_INSPECTION = ("looking", "steering", "carrying")
_CALL = "call"
_OPENING = ("state", "opening")


@cache
def frontier_program() -> str:
    """The program of every call but the first."""
    return lua(*_FRONTIER, _CALL)


@cache
def inspection_program() -> str:
    """The program of whoever looks at a crawl and steers it from outside: all of the frontier's, and more."""
    return lua(*_FRONTIER, *_INSPECTION, _CALL)


@cache
def opening_program() -> str:
    """The program of the first call, and of the first one after the server was started again."""
    return lua(*_OPENING)


def lua(*names: str) -> str:
    """These files one after the other: a program has no modules in Redis."""
    folder = files("topicspider.frontier") / "lua"
    return "\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names)
