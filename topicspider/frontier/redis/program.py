"""The Lua programs of the RedisFrontier, put together from their files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_STATE = ("state", "steered", "ranks", "mix", "records", "hosts", "watched", "leases", "clock", "graves", "eviction")
_WORK = ("entries", "apply", "acquire", "nodes", "main")
_INSPECTION = ("looking", "steering", "carrying", "register")
_CALL = "call"
_OPENING = ("state", "opening")


@cache
def frontier_program() -> str:
    """The program of every call but the first.

    Its second half is a function of its own: what a function takes from functions around it Lua finds at once, what from its own
    only by going through all that others have taken.
    """
    return f"{lua(*_STATE)}\nreturn (function()\n{lua(*_WORK, _CALL)}\nend)()"


@cache
def inspection_program() -> str:
    """The program of whoever looks at a crawl and steers it from outside: all of the frontier's, and more."""
    return lua(*_STATE, *_WORK, *_INSPECTION, _CALL)


@cache
def opening_program() -> str:
    """The program of the first call, and of the first one after the server was started again."""
    return lua(*_OPENING)


def lua(*names: str) -> str:
    """These files one after the other: a program has no modules in Redis."""
    folder = files("topicspider.frontier") / "lua"
    return "\n".join((folder / f"{name}.lua").read_text("utf-8") for name in names)
