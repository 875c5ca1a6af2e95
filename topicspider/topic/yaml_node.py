"""Reads YAML as nodes that know their line, so that every error can name it.

Smaller than YAML on purpose: text, lists and mappings only. No tags, anchors or aliases (an alias can
make a small file unfold to gigabytes), no second document, no key twice, no deep nesting. A scalar stays
the text that was written: ``on`` or ``1.10`` are words here until a reader asks for a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from topicspider.errors import TopicError

MAX_BYTES = 1_000_000
MAX_DEPTH = 8
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class YamlNode:
    """One value of a file, or one key: a text, a list (``items``) or a mapping (``entries``); the others are None.

    ``path``: the keys that lead to it, as ``limits.depth``; an item of a list has that of its list. ``is_plain``: a text without
    quotes. ``keys``: the keys of a mapping as nodes, whose ``path`` is the mapping's.
    """

    source: str
    line: int
    path: str = ""
    text: str | None = None
    is_plain: bool = False
    items: tuple[YamlNode, ...] | None = None
    entries: dict[str, YamlNode] | None = None
    keys: dict[str, YamlNode] = field(default_factory=dict)

    @property
    def is_null(self) -> bool:
        """Nothing was written, or null."""
        return self.is_plain and self.text in ("", "~", "null", "Null", "NULL")

    @property
    def plain(self) -> object:
        """The value without lines, as errors show it."""
        if self.entries is not None:
            return {key: node.plain for key, node in self.entries.items()}
        return self.text if self.items is None else [node.plain for node in self.items]

    def error(self, allowed: str, hint: str = "", **shown: object) -> TopicError:
        """The error about this value; ``value=`` shows something else in its place. What is below ``sites`` may be a password."""
        value = shown.get("value", "(not shown)" if self.path.startswith("sites.") else self.plain)
        return TopicError(f"{self.source}:{self.line}", self.path, value, allowed, hint)


def read_yaml(content: bytes, source: str) -> YamlNode:
    """The mapping that a YAML file holds, empty for an empty file; TopicError names ``source:line``."""
    if len(content) > MAX_BYTES:
        raise TopicError(source, "size", len(content), f"at most {MAX_BYTES:,} bytes")
    text = decoded(content, source)
    try:
        _refuse_unsupported(text, source)
        composed = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise _broken(error, text, source) from None
    root = _node(composed, source, "") if composed is not None else YamlNode(source, 1, is_plain=True, text="")
    if root.is_null:
        return YamlNode(source, root.line, entries={})
    if root.entries is None:
        raise TopicError(f"{source}:{root.line}", "file", root.plain, "keys with values, as `title: 旅游`")
    return root


def decoded(content: bytes, source: str) -> str:
    """The text of a file: UTF-8, or UTF-16 with its mark; else TopicError with the line of the first bad byte."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = content[error.start : error.start + 4]
        hint = "Save the file as UTF-8 (as GBK it cannot be read)."
        raise TopicError(f"{source}:{line}", "encoding", wrong, "text in UTF-8", hint) from None


def _broken(error: yaml.YAMLError, text: str, source: str) -> TopicError:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    # a reader error, about a character that YAML forbids, has a position instead of a mark
    number = mark.line if mark is not None else text.count("\n", 0, getattr(error, "position", 0))
    shown = next(iter(text.splitlines()[number:]), "the end of the file").strip()
    says = f"The parser says: {problem}."
    return TopicError(f"{source}:{number + 1}", "broken YAML", shown, "well-formed YAML", says)


def _refuse_unsupported(text: str, source: str) -> None:
    """Raise TopicError for anchors, tags and deep nesting, before anything is built of them."""
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        where = f"{source}:{event.start_mark.line + 1}"
        if getattr(event, "anchor", None):
            raise TopicError(where, "alias", event.anchor, "no anchors (&) and aliases (*)", "Put such text in quotes.")
        if getattr(event, "tag", None) not in (None, "!"):
            raise TopicError(where, "tag", event.tag, "no tags (!)", "Put text that begins with ! in quotes.")
        if depth > MAX_DEPTH:
            raise TopicError(where, "nesting", f"{depth} levels", f"at most {MAX_DEPTH} levels")


def _node(node: Any, source: str, path: str) -> YamlNode:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return YamlNode(source, line, path, text=node.value, is_plain=not node.style)
    if isinstance(node, yaml.SequenceNode):
        return YamlNode(source, line, path, items=tuple(_node(item, source, path) for item in node.value))
    entries: dict[str, YamlNode] = {}
    keys: dict[str, YamlNode] = {}
    for key_node, value_node in node.value:
        key = _node(key_node, source, path)
        if key.text is None:
            raise TopicError(f"{source}:{key.line}", "key", key.plain, "a word as key")
        if key.text in keys:
            hint = f"The first is in line {keys[key.text].line}."
            raise TopicError(f"{source}:{key.line}", key.text, "written twice", "each key once", hint)
        # a key is a word even where a value would be null
        keys[key.text] = YamlNode(source, key.line, path, text=key.text)
        entries[key.text] = _node(value_node, source, f"{path}.{key.text}" if path else key.text)
    return YamlNode(source, line, path, entries=entries, keys=keys)
