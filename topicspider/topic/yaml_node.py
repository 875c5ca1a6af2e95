"""Reads YAML as nodes that know their line, so that every error can name it.

Deliberately a subset of YAML: no tags, anchors or aliases (an alias can make a small file expand to gigabytes), no second document, no
duplicate keys, no deep nesting. A scalar stays the text that was written: ``on`` or ``1.10`` is text until a reader converts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from topicspider.errors import TopicError, with_hints
from topicspider.i18n import N_
from topicspider.i18n import gettext as _

MAX_BYTES = 1_000_000
MAX_DEPTH = 8
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class YamlNode:
    """One value of a file: a text, None for an empty value or null, a list of nodes, or a mapping.

    ``line``: that of its key, or its own in a list. ``path``: the keys that lead to it, as ``limits.depth``; an item has its list's path.
    """

    source: str
    line: int
    path: str
    value: str | list[YamlNode] | dict[str, YamlNode] | None

    @property
    def plain(self) -> Any:
        """The value as plain Python data, as errors show it."""
        if isinstance(self.value, dict):
            return {key: node.plain for key, node in self.value.items()}
        return [node.plain for node in self.value] if isinstance(self.value, list) else self.value or ""

    def error(self, allowed: str, hint: str = "", shown: object = None) -> TopicError:
        """The error about this value; it shows ``shown`` instead of the value, if given."""
        return TopicError(f"{self.source}:{self.line}", self.path, shown or self.plain, allowed, hint)


def read_yaml(content: bytes, source: str) -> YamlNode:
    """The mapping in a YAML file, {} for an empty file; raises TopicError, which names ``source:line``."""
    if len(content) > MAX_BYTES:
        raise TopicError(source, "size", len(content), _("at most {max_bytes:,} bytes", max_bytes=MAX_BYTES))
    try:
        root = _root(iter(yaml.parse(content, Loader=_LOADER)), source)
    except yaml.YAMLError as error:
        raise _broken(error, content, source) from None
    if not isinstance(root.value, dict):
        raise TopicError(f"{source}:{root.line}", "file", root.plain, "keys with values, as `title: 旅游`")
    return root


def _root(events: Iterator[Any], source: str) -> YamlNode:
    """The root of the only document; a second one raises TopicError."""
    root = empty = YamlNode(source, 1, "", {})
    for event in events:
        where = f"{source}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.DocumentStartEvent):
            if root is not empty:
                raise TopicError(where, "file", "---", "one document")
            found = _node(next(events), events, empty)
            root = found if found.value is not None else YamlNode(source, found.line, "", {})
    return root


def _node(
    event: Any, events: Iterator[Any], parent: YamlNode, key: str = "", line: int = 0, depth: int = 1
) -> YamlNode:
    """The value that begins with ``event``; if it has a ``key``, its line is the key's ``line``."""
    source, line = parent.source, line or event.start_mark.line + 1
    where = f"{source}:{line}"
    if event.anchor:
        raise TopicError(where, "alias", event.anchor, "no anchors (&) and aliases (*)", "Put such text in quotes.")
    if event.tag not in (None, "!"):
        raise TopicError(where, "tag", event.tag, "no tags (!)", "Put text that begins with ! in quotes.")
    path = f"{parent.path}.{key}".strip(".") if key else parent.path
    if isinstance(event, yaml.ScalarEvent):
        is_null = not event.style and event.value in ("", "~", "null", "Null", "NULL")
        return YamlNode(source, line, path, None if is_null else event.value)
    if depth > MAX_DEPTH:
        allowed = _("at most {max_depth} levels", max_depth=MAX_DEPTH)
        raise TopicError(where, "nesting", _("{depth} levels", depth=depth), allowed)
    node = YamlNode(source, line, path, [])
    if isinstance(event, yaml.SequenceStartEvent):
        items = [_node(item, events, node, depth=depth + 1) for item in _until_end(events)]
        return YamlNode(source, line, path, items)
    entries: dict[str, YamlNode] = {}
    for written in _until_end(events):
        at = written.start_mark.line + 1
        if not isinstance(written, yaml.ScalarEvent):
            raise TopicError(f"{source}:{at}", "key", "a list or mapping", "a word as key")
        if written.value in entries:
            hint = _("The first is in line {line}.", line=entries[written.value].line)
            raise TopicError(f"{source}:{at}", written.value, _("written twice"), "each key once", hint)
        entries[written.value] = _node(next(events), events, node, written.value, at, depth + 1)
    return YamlNode(source, line, path, entries)


def _until_end(events: Iterator[Any]) -> Iterator[Any]:
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield event


def _broken(error: yaml.YAMLError, content: bytes, source: str) -> TopicError:
    mark = getattr(error, "problem_mark", None)
    # a reader error, about bytes or a character that YAML forbids, has a position instead of a mark
    number = mark.line if mark is not None else content.count(b"\n", 0, getattr(error, "position", 0))
    line = next(iter(content.splitlines()[number:]), b"the end of the file")
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or error
    says = _("The parser says: {why}.", why=_("a tab; indent with blanks") if line[:1] == b"\t" else why)
    says = with_hints(says, "" if mark is not None else N_("Save the file as UTF-8 (as GBK it cannot be read)."))
    shown = line.strip().decode(errors="replace")
    return TopicError(f"{source}:{number + 1}", _("broken YAML"), shown, "well-formed YAML", says)
