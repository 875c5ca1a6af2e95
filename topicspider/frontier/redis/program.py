"""The Lua programs of the RedisFrontier, put together from their files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_FRONTIER = (
    "state", "ranks", "mix", "records", "hosts", "leases", "clock", "apply", "acquire", "main",
)  # fmt: skip
_OPENING = ("state", "opening")


@cache
def frontier_program() -> str:
    """The program of every call but the first."""
    return lua(*_FRONTIER)


@cache
def opening_program() -> str:
    """The program of the first call, and of the first one after the server was started again."""
    return lua(*_OPENING)


def lua(*names: str) -> str:
    """These files one after the other: a program has no modules in Redis."""
    folder = files("topicspider.frontier") / "lua"
    return "\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names)
