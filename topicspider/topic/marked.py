"""Reads YAML as plain values that know their line, so that every error can name it.

Smaller than YAML on purpose: text, lists and mappings only. No tags, anchors or aliases (an alias can
make a small file unfold to gigabytes), no second document, no key twice, no deep nesting. A scalar stays
the text that was written: ``on`` or ``1.10`` are words here until a reader asks for a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from topicspider.errors import TopicError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 1_000_000
MAX_DEPTH = 8
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as written; ``is_plain`` when it stands without quotes."""

    text: str
    line: int
    is_plain: bool = True

    @property
    def is_null(self) -> bool:
        """Nothing was written, or null."""
        return self.is_plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of values."""

    items: tuple[Marked, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with their values; ``key_lines``: the line of each key."""

    items: dict[str, Marked]
    key_lines: dict[str, int]
    line: int


Marked = Scalar | Sequence | Mapping


def plain(value: Marked) -> object:
    """``value`` without its lines, as errors show it."""
    if isinstance(value, Scalar):
        return value.text
    if isinstance(value, Sequence):
        return [plain(item) for item in value.items]
    return {key: plain(item) for key, item in value.items.items()}


def read_marked(content: bytes, source: str) -> Mapping:
    """The mapping that a YAML file holds, empty for an empty file; TopicError names ``source:line``."""
    if len(content) > MAX_BYTES:
        raise TopicError(source, "size", len(content), f"at most {MAX_BYTES:,} bytes")
    text = decoded(content, source)
    try:
        root = _Builder(source, yaml.parse(text, Loader=_LOADER)).document()
    except yaml.YAMLError as error:
        raise _broken(error, text, source) from None
    if isinstance(root, Scalar) and root.is_null:
        return Mapping({}, {}, root.line)
    if not isinstance(root, Mapping):
        raise TopicError(f"{source}:{root.line}", "file", plain(root), "keys with values, as `title: 旅游`")
    return root


def decoded(content: bytes, source: str) -> str:
    """The text of a file: UTF-8, or UTF-16 with its mark; else TopicError with the line of the first bad byte."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = content[error.start : error.start + 4]
        raise TopicError(f"{source}:{line}", "encoding", wrong, "text in UTF-8", _likely(content)) from None


def _likely(content: bytes) -> str:
    try:
        content.decode("gb18030")
    except UnicodeDecodeError:
        return "Save the file as UTF-8."
    return "It can be read as GBK (GB18030): save the file as UTF-8."


def _broken(error: yaml.YAMLError, text: str, source: str) -> TopicError:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    mark = getattr(error, "problem_mark", None)
    if "end of stream" in problem and getattr(error, "context_mark", None) is not None:
        mark = error.context_mark  # type: ignore[attr-defined]  # a quote that is never closed: where it opens
    # a reader error, about a character that YAML forbids, has a position instead of a mark
    number = mark.line + 1 if mark is not None else text.count("\n", 0, getattr(error, "position", 0)) + 1
    lines = text.splitlines()
    shown = lines[number - 1].strip() if number <= len(lines) else "the end of the file"
    says = f"The parser says: {problem}{f' ({context})' if context else ''}."
    return TopicError(f"{source}:{number}", "broken YAML", shown, "well-formed YAML", says)


class _Builder:
    """Turns the events of one document into values."""

    def __init__(self, source: str, events: Iterator[Any]) -> None:
        self._source = source
        self._events = events

    def document(self) -> Marked:
        next(self._events)  # stream start
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            return Scalar("", 1)
        root = self._value(next(self._events), 1)
        next(self._events)  # document end
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._error(event, "document", "---", "one document a file")
        return root

    def _value(self, event: Any, depth: int) -> Marked:
        self._refuse(event, depth)
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, line, is_plain=event.implicit[0])
        if isinstance(event, yaml.SequenceStartEvent):
            return Sequence(tuple(self._items(depth)), line)
        return self._mapping(line, depth)

    def _refuse(self, event: Any, depth: int) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise self._error(
                event,
                "alias",
                event.anchor,
                "no anchors (&) and aliases (*)",
                "Write the value out, or put it in quotes.",
            )
        if event.tag not in (None, "!"):
            raise self._error(event, "tag", event.tag, "no tags (!)", "Put text that begins with ! in quotes.")
        if depth > MAX_DEPTH:
            raise self._error(event, "nesting", f"{depth} levels", f"at most {MAX_DEPTH} levels")

    def _items(self, depth: int) -> Iterator[Marked]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._value(event, depth + 1)

    def _mapping(self, line: int, depth: int) -> Mapping:
        items: dict[str, Marked] = {}
        lines: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, depth + 1)
            if not isinstance(key, Scalar):
                raise self._error(event, "key", plain(key), "a word as key")
            if key.text in items:
                raise self._error(
                    event, key.text, "written twice", "each key once", f"The first is in line {lines[key.text]}."
                )
            items[key.text] = self._value(next(self._events), depth + 1)
            lines[key.text] = key.line
        return Mapping(items, lines, line)

    def _error(self, event: Any, key: str, value: object, allowed: str, hint: str = "") -> TopicError:
        return TopicError(f"{self._source}:{event.start_mark.line + 1}", key, value, allowed, hint)
