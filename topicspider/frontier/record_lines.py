"""Converts the records of a frontier to lines of JSON and back: the format of `scrapy frontier export`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

from topicspider.errors import ConfigError
from topicspider.frontier.host_ranking import SIGN64
from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, Record
from topicspider.frontier.protocol import Entry
from topicspider.url import canonicalize, fingerprint, host_key

VERSION = 1
# fields of a host that are not exported: they follow from its URLs, or only an earlier version wrote them
_COUNTS = {"queued", "leased", "dead", "best", "connect_seconds", "response_seconds", "requests_per_connection"}
_KINDS: dict[str, type] = {"host": HostState, "fact": Fact, "queued": Entry, "dead": DeadUrl, "done": DoneUrls}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def lines_of(records: Iterable[Record], crawl: str) -> Iterator[str]:
    """One line per record, between a first line that names the format and a last line that shows that the file is complete."""
    count = 0
    yield _ENCODE({"kind": "frontier", "version": VERSION, "crawl": crawl})
    for record in records:
        count += 1
        yield _ENCODE({"kind": _NAMES[type(record)], **_values(record)})
    yield _ENCODE({"kind": "end", "records": count})


def read_lines(lines: Iterable[str], name: str) -> Iterator[Record]:
    """The records in ``lines``. Raises ConfigError, naming ``name`` and the line number, at the first line that is not a record.

    A line with nothing but a url is a URL that somebody wants: it is queued with score 1, the best that a link can have. Lines that begin
    like an export must also end like one.
    """
    is_export = is_over = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            if not isinstance(told, dict):
                raise ValueError("not an object")
            kind = told.pop("kind", "queued")
            if kind == "frontier":
                is_export = True
                if told["version"] != VERSION:
                    raise ValueError(f"version {told['version']!r}; this topicspider reads version {VERSION}")
            elif kind == "end":
                is_over = True
            else:
                yield _record(kind, told)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{name}:{number}", line.strip(), "a line of `scrapy frontier export`", _why(error)
            ) from None
    if is_export and not is_over:
        hint = "It was cut off; what it has was taken in, and the whole file may be again"
        raise ConfigError(name, "no last line", "a whole export", hint)


def _values(record: Record) -> dict[str, Any]:
    """The fields that differ from their defaults. Fingerprints are text: many readers of JSON have no 64-bit integers."""
    if isinstance(record, DeadUrl):
        return {**_values(record.entry), "reason": record.reason}
    if isinstance(record, DoneUrls):
        return {"fingerprints": list(map(str, record.fingerprints))}
    told = {one.name: value for one in fields(record) if (value := getattr(record, one.name)) != one.default}
    if isinstance(record, Entry):
        told["fingerprint"] = str(record.fingerprint)
    return {name: value for name, value in told.items() if name not in _COUNTS}


def _record(kind: str, told: dict[str, Any]) -> Record:
    if kind == "done":
        if told.keys() != {"fingerprints"} or not isinstance(told["fingerprints"], list):
            raise ValueError("fingerprints: a list")
        return DoneUrls(tuple(map(_fingerprint, told["fingerprints"])))
    if kind == "dead":
        reason = told.pop("reason", "")
        if not isinstance(reason, str):
            raise ValueError("reason: text")
        return DeadUrl(_entry(told), reason)
    if kind == "host":
        return HostState(**_checked(HostState, {name: told[name] for name in told.keys() - _COUNTS}))
    return _entry(told) if _KINDS[kind] is Entry else Fact(**_checked(Fact, told))


def _entry(told: dict[str, Any]) -> Entry:
    url = canonicalize(str(told["url"]))
    if url is None:
        raise ValueError("url: an http:// or https:// URL")
    number = told.pop("fingerprint", None)
    score = {"score": 1.0} if number is None else {}  # an export omits a score of 0
    given = {**score, **told, "url": url, "host": told.get("host") or host_key(url)}
    return Entry(fingerprint=fingerprint(url) if number is None else _fingerprint(number), **_checked(Entry, given))


def _fingerprint(text: Any) -> int:
    number = int(text)
    if not -SIGN64 <= number < SIGN64:
        raise ValueError("fingerprint: 64 bits")
    return number


def _checked(kind: type[Entry | HostState | Fact], told: dict[str, Any]) -> dict[str, Any]:
    types = {one.name: one.type for one in fields(kind)}
    for name, value in told.items():
        if name not in types:
            raise ValueError(f"{name}: not known")
        is_negative = name != "score" and isinstance(value, int | float) and value < 0
        if is_negative or not _IS_RIGHT[str(types[name])](value):
            raise ValueError(f"{name}: {value!r}")
    return told


_IS_RIGHT: dict[str, Callable[[Any], bool]] = {  # checks of a value, by the annotation of its field
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: type(value) is int and value < SIGN64,
    "float": lambda value: type(value) in (int, float) and math.isfinite(value),
}


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]} is not known, or missing"
    return str(error)
