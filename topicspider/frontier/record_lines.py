"""The records of a frontier as lines of JSON, and back: what `scrapy frontier export` writes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from typing import Any

from topicspider.errors import ConfigError
from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.host_ranking import SIGN64
from topicspider.frontier.inspection import DoneUrls, Fact, HostState, Record
from topicspider.frontier.protocol import Entry
from topicspider.url import canonicalize, fingerprint, host_key

VERSION = 1
_COUNTS = ("queued", "leased", "dead", "best")  # of a host; they follow from its URLs
_WHOLE = ("depth", "attempts", "model", "pages")
_TEXTS = ("url", "host", "referrer", "payload", "reason", "key", "value")
_USUAL = [
    (field.name, field.default) for field in fields(Entry) if field.name not in ("url", "fingerprint", "host", "score")
]
_KNOWN: dict[type, frozenset[str]] = {
    kind: frozenset(field.name for field in fields(kind)) for kind in (Entry, HostState, Fact)
}
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def lines_of(records: Iterable[Record], crawl: str) -> Iterator[str]:
    """A line a record, between one that says what it is and one by which a file that was cut off is told."""
    count = 0
    yield _line("frontier", {"version": VERSION, "crawl": crawl})
    for record in records:
        count += 1
        yield _line_of(record)
    yield _line("end", {"records": count})


def read_lines(lines: Iterable[str], name: str) -> Iterator[Record]:
    """The records in ``lines``; raises ConfigError that names ``name`` and the line for the first that is none.

    A line with nothing but a url is a URL to queue. Lines that begin as an export does must end as one, too.
    """
    is_export = is_over = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            told = _object(line)
            kind = told.pop("kind", "queued")
            if kind == "frontier":
                is_export = _of_this_version(told)
            elif kind == "end":
                is_over = True
            else:
                yield _READERS[kind](told)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{name}:{number}", line.strip(), "a line of `scrapy frontier export`", _why(error)
            ) from None
    if is_export and not is_over:
        raise ConfigError(
            name,
            "no last line",
            "a whole export",
            "It was cut off; what it has was taken in, and the whole file may be again",
        )


def _line_of(record: Record) -> str:
    if isinstance(record, Entry):
        return _line("queued", _entry_fields(record))
    if isinstance(record, DeadUrl):
        return _line("dead", {**_entry_fields(record.entry), "reason": record.reason})
    if isinstance(record, DoneUrls):
        return _line("done", {"fingerprints": [str(one) for one in record.fingerprints]})
    if isinstance(record, Fact):
        return _line("fact", asdict(record))
    usual = HostState(record.host)
    given = {name: value for name, value in asdict(record).items() if name not in _COUNTS}
    return _line(
        "host", {name: value for name, value in given.items() if name == "host" or value != getattr(usual, name)}
    )


def _line(kind: str, values: dict[str, Any]) -> str:
    return _ENCODE({"kind": kind, **values})


def _entry_fields(entry: Entry) -> dict[str, Any]:
    """Fingerprints are text: many readers of JSON have no 64-bit integers."""
    told = {"url": entry.url, "fingerprint": str(entry.fingerprint), "host": entry.host, "score": entry.score}
    for name, usual in _USUAL:
        value = getattr(entry, name)
        if value != usual:
            told[name] = value
    return told


def _object(line: str) -> dict[str, Any]:
    told = json.loads(line)
    if not isinstance(told, dict):
        raise ValueError("not an object")
    return told


def _of_this_version(told: dict[str, Any]) -> bool:
    if told["version"] != VERSION:
        raise ValueError(f"version {told['version']!r}; this topicspider reads version {VERSION}")
    return True


def _entry(told: dict[str, Any]) -> Entry:
    url = canonicalize(str(told["url"]))
    if url is None:
        raise ValueError("url: an http:// or https:// URL")
    mark = told.pop("fingerprint", None)
    given = {**told, "url": url, "host": told.get("host") or host_key(url)}
    return Entry(fingerprint=fingerprint(url) if mark is None else _mark(mark), **_checked(Entry, given))


def _dead(told: dict[str, Any]) -> DeadUrl:
    reason = told.pop("reason", "")
    if not isinstance(reason, str):
        raise ValueError("reason: text")
    return DeadUrl(_entry(told), reason)


def _done(told: dict[str, Any]) -> DoneUrls:
    if set(told) != {"fingerprints"} or not isinstance(told["fingerprints"], list):
        raise ValueError("fingerprints: a list")
    return DoneUrls(tuple(_mark(one) for one in told["fingerprints"]))


def _host(told: dict[str, Any]) -> HostState:
    return HostState(**_checked(HostState, {name: value for name, value in told.items() if name not in _COUNTS}))


def _fact(told: dict[str, Any]) -> Fact:
    return Fact(**_checked(Fact, told))


def _mark(text: Any) -> int:
    mark = int(text)
    if not -SIGN64 <= mark < SIGN64:
        raise ValueError("fingerprint: 64 bits")
    return mark


def _checked(kind: type, told: dict[str, Any]) -> dict[str, Any]:
    for name, value in told.items():
        if name not in _KNOWN[kind]:
            raise ValueError(f"{name}: not known")
        if not _is_right(name, value):
            raise ValueError(f"{name}: {value!r}")
    return told


def _is_right(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name == "is_blocked":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    if name in _WHOLE:
        return isinstance(value, int) and 0 <= value < SIGN64
    return name == "score" or value >= 0


_READERS: dict[str, Callable[[dict[str, Any]], Record]] = {
    "host": _host,
    "fact": _fact,
    "queued": _entry,
    "dead": _dead,
    "done": _done,
}


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]} is not known, or missing"
    return str(error)
