"""Adds seeds to a topic file: the text around them stays as it was, comments and all."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.topic.loading import STORED
from topicspider.topic.schema import read_topic
from topicspider.topic.search_path import topic_dirs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import Topic

# what needs no quotes, in a list over several lines and in one within [ ]
_PLAIN = re.compile(r"https?://[A-Za-z0-9._~/%?=&+@$();:-]*[A-Za-z0-9._~/%?=&+@$();-]")
_INDENT = "  "


def add_seeds(topic: Topic, urls: Sequence[str], topics_dir: str) -> Path:
    """Write ``urls`` behind the seeds in the topic's file; the file. A topic of the installed package is copied to ``topics_dir`` first.

    ConfigError, and nothing is written, when there is no file that may be changed, or it would no longer say the same but for the seeds.
    """
    path = _own_file(topic, topics_dir)
    source = Path(topic.source) if Path(topic.source).is_file() else path
    content = source.read_bytes()
    changed = with_seeds(content, urls)
    before, _ = read_topic(content, str(path), topic.name)
    after, errors = read_topic(changed, str(path), topic.name)
    wanted = tuple(dict.fromkeys((*before.seeds, *urls)))
    if errors or after != replace(before, seeds=wanted):
        raise ConfigError(
            "--write", str(path), "a file whose `seeds:` is a list, in UTF-8", "Add them by hand: --save FILE"
        )
    _write(path, changed, source)
    return path


def with_seeds(content: bytes, urls: Sequence[str]) -> bytes:
    """The file's ``content`` with ``urls`` behind its seeds."""
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    text = content[len(mark) :].decode("utf-8", "replace")
    end = "\r\n" if "\r\n" in text else "\n"
    return mark + _added(text, list(urls), end).encode()


def _added(text: str, urls: list[str], end: str) -> str:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    key, value = next(((key, value) for key, value in pairs if key.value == "seeds"), (None, None))
    if key is None or value is None:
        separated = text if text.endswith("\n") or not text else text + end
        return f"{separated}{end}seeds:{end}{_lines(urls, _INDENT, end)}"
    if isinstance(value, yaml.SequenceNode) and value.value:
        last = value.value[-1].end_mark.index
        if value.flow_style:
            return text[:last] + "".join(f", {_written(url)}" for url in urls) + text[last:]
        return _below(text, last, _lines(urls, " " * value.start_mark.column, end), end)
    if isinstance(value, yaml.ScalarNode) and value.tag.endswith(":str"):
        urls = [value.value, *urls]
    bare = text[: value.start_mark.index] + text[value.end_mark.index :]
    return _below(bare, key.end_mark.index, _lines(urls, _INDENT, end), end)


def _below(text: str, place: int, lines: str, end: str) -> str:
    """``text`` with ``lines`` behind the line of ``place``."""
    line_end = text.find("\n", place)
    if line_end < 0:
        return f"{text}{end}{lines}"
    return text[: line_end + 1] + lines + text[line_end + 1 :]


def _lines(urls: Sequence[str], indent: str, end: str) -> str:
    return "".join(f"{indent}- {_written(url)}{end}" for url in urls)


def _written(url: str) -> str:
    return url if _PLAIN.fullmatch(url) else json.dumps(url, ensure_ascii=False)


def _own_file(topic: Topic, topics_dir: str) -> Path:
    """Where the topic may be written."""
    if topic.source.startswith(STORED):
        hint = "Use --save FILE, add them to the file, and `topics store` it again"
        raise ConfigError("--write", topic.source, "a topic of a file; this one is in the store", hint)
    path = Path(topic.source)
    if path.is_file() and not _is_packaged(path):
        return path.resolve()
    asked = topics_dir or os.environ.get("TOPICS_DIR", "")
    if not asked:
        raise ConfigError(
            "--write",
            topic.name,
            "a topic file of your own; this one comes with topicspider",
            "Set TOPICSPIDER_TOPICS_DIR to a folder of yours, and it is copied there; or use --save FILE",
        )
    return Path(str(topic_dirs(topics_dir)[0])) / path.name


def _is_packaged(path: Path) -> bool:
    """Whether it lies in the installed package, which an update replaces."""
    import topicspider

    return Path(topicspider.__file__).resolve().parent in path.resolve().parents


def _write(path: Path, content: bytes, like: Path) -> None:
    """At once or not at all, with the rights that the file had."""
    try:
        atomic_write(path, content, stat.S_IMODE(like.stat().st_mode))
    except OSError as error:
        raise ConfigError("--write", str(path), "a file that can be written", error.strerror or "") from None
