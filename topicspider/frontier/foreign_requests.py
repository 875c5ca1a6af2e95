"""Reads the requests in a queue of scrapy-redis, JSON or pickled, without ever running what a pickle may hold."""

from __future__ import annotations

import json
import math
import pickletools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from topicspider.frontier.protocol import Entry
from topicspider.url import canonicalize, fingerprint, host_key

MOST_BYTES = 1_000_000
_VALUES = frozenset(
    ("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "FLOAT", "BINFLOAT", "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE",
     "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8")
)  # fmt: skip
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_EMPTY: Mapping[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
_NOTHING = frozenset(("PROTO", "FRAME", "STOP"))
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _PlainPickle:
    """The machine of pickle with the operations that make plain data; every other one is refused, above all those that call or import."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def do(self, name: str, argument: Any) -> None:
        if name in _VALUES:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _EMPTY:
            self.stack.append(_EMPTY[name]())
        elif name in _TUPLES:
            self.stack.append(tuple(self._pop(len(self.stack) - _TUPLES[name])))
        elif name not in _NOTHING:
            self._other(name, argument)

    def _other(self, name: str, argument: Any) -> None:
        match name:
            case "MARK":
                self._marks.append(len(self.stack))
            case "MEMOIZE":
                self._memo[len(self._memo)] = self.stack[-1]
            case "PUT" | "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = self.stack[-1]
            case "GET" | "BINGET" | "LONG_BINGET":
                self.stack.append(self._memo[argument])
            case "DICT":
                self.stack.append(_pairs(self._marked()))
            case "LIST":
                self.stack.append(self._marked())
            case "TUPLE":
                self.stack.append(tuple(self._marked()))
            case "APPEND" | "APPENDS":
                values = self._marked() if name == "APPENDS" else [self.stack.pop()]
                self.stack[-1].extend(values)
            case "SETITEM" | "SETITEMS":
                values = self._marked() if name == "SETITEMS" else self._pop(len(self.stack) - 2)
                self.stack[-1].update(_pairs(values))
            case _:
                raise ValueError(f"a pickle with {name}, which is not plain data")

    def _marked(self) -> list[Any]:
        return self._pop(self._marks.pop())

    def _pop(self, start: int) -> list[Any]:
        values = self.stack[start:]
        del self.stack[start:]
        return values


def _pairs(values: list[Any]) -> dict[Any, Any]:
    # a few bytes make tuples, or numbers, that take years to hash
    if not all(isinstance(key, str | bytes) for key in values[::2]):
        raise ValueError("a pickle with keys that are no text")
    return dict(zip(values[::2], values[1::2], strict=True))


def read_plain(data: bytes) -> Any:
    """The plain data in JSON or in a pickle; ValueError for anything else, and nothing of it is run."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data):,} bytes; at most {MOST_BYTES:,} are read")
    if data[:1] in (b"{", b"["):
        return json.loads(data)
    machine = _PlainPickle()
    try:
        for operation, argument, _at in pickletools.genops(data):
            machine.do(operation.name, argument)
        (value,) = machine.stack
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"a damaged pickle: {error!r}") from None
    return value


def entries_of(members: Iterable[tuple[bytes, float]], refused: Callable[[str], None]) -> Iterator[Entry]:
    """The URLs in a queue's members, each with its priority, which becomes its score; ``refused`` is told why one is left out."""
    for data, priority in members:
        try:
            yield _entry(read_plain(data), priority)
        except (ValueError, RecursionError) as error:
            refused(str(error))


def _entry(fields: Any, priority: float) -> Entry:
    if not isinstance(fields, dict):
        raise ValueError("no request")
    told = fields.get("url")  # as text it may be endless: a few bytes make lists within lists within lists
    url = canonicalize(told) if isinstance(told, str) else None
    if url is None:
        raise ValueError("no http:// or https:// URL")
    if fields.get("method", "GET") != "GET" or fields.get("body"):
        raise ValueError(f"{url}: not a GET without a body")
    meta = fields.get("meta")
    depth = meta.get("depth", 0) if isinstance(meta, dict) else 0
    callback = fields.get("callback")
    payload = json.dumps({"callback": callback}) if isinstance(callback, str) and callback != "parse" else ""
    score = priority if math.isfinite(priority) else 0.0
    return Entry(
        url, fingerprint(url), host_key(url), score, depth if type(depth) is int and depth > 0 else 0, "", payload
    )
