"""Turns the content of a topic file into a Topic: which keys there are, and the check that each value must pass."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import partial
from typing import Any, TypeVar

from topicspider.errors import TopicError
from topicspider.options import LINK_POLICIES, PAGE_SCORERS
from topicspider.text.normalise import has_cjk
from topicspider.text.segment import MAX_WORD
from topicspider.topic import catalogue
from topicspider.topic.profile import Limits, SiteAccess, Topic
from topicspider.topic.yaml_node import YamlNode, read_yaml
from topicspider.url import canonical_host, canonicalize

MAX_TERMS = 5000
_NAME = re.compile(r"[^\W_][\w-]{0,63}")
_HAS_LETTER = re.compile(r"[^\W_]")
_CHINESE = "[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]"
_BROKEN_LINE = re.compile(rf"(?<={_CHINESE})[ \t]*\n[ \t]*(?={_CHINESE})")
T = TypeVar("T")
Check = Callable[[YamlNode], T]
"""Returns the value of a node, or raises TopicError with its line."""


def read_topic(content: bytes, source: str, name: str) -> tuple[Topic, list[TopicError]]:
    """The topic in a file's ``content``, with every error found in it (in the order of lines).

    ``source`` names the file in errors; ``name`` is the topic's when the file gives none. With errors,
    the topic is what could be read. Never raises TopicError: broken YAML is an error in the list too.
    """
    try:
        root = read_yaml(content, source)
    except TopicError as error:
        return Topic(name=name, source=source), [error]
    values: dict[str, Any] = {"name": name}
    errors: list[TopicError] = []
    for key, node in _entries(root).items():
        try:
            if key not in _KEYS:
                raise _unknown_key(root.keys[key], list(_KEYS))
            if not node.is_null:
                field, check = _KEYS[key]
                values |= {field: check(node)} if field else check(node)
        except TopicError as error:
            errors.append(error)
    topic = Topic(source=source, **values)
    return topic, errors or _faults(topic, root)


def is_name(text: str) -> bool:
    """Whether ``text`` may name a topic: letters, digits, - and _; it also names the folder of results."""
    return _NAME.fullmatch(text) is not None


def _faults(topic: Topic, root: YamlNode) -> list[TopicError]:
    """What is wrong with a file whose values are all right."""
    where, errors = f"{root.source}:{root.keys.get('name', root).line}", []
    if not is_name(topic.name):
        hint = "" if "name" in root.keys else "The file has no `name`, and its own name cannot be one."
        errors.append(TopicError(where, "name", topic.name, "up to 64 letters, digits, - and _", hint))
    if not (topic.terms or topic.texts or topic.title):
        keys = sorted(root.keys)
        errors.append(TopicError(where, "empty topic", keys, "at least one of terms, texts, title"))
    return errors


# Checks of single values


def _text(node: YamlNode, limit: int = 200) -> str:
    """A text of 1 to ``limit`` characters, without white space at its ends."""
    written = node.text or ""
    allowed = f"text of 1 to {limit:,} characters"
    if node.is_null or not written.strip():
        raise node.error(allowed)
    if len(written) > limit:
        raise node.error(allowed, value=f"{written[:40]}… ({len(written):,} characters)")
    return written.strip()


def _sample_text(node: YamlNode) -> str:
    """A line break between two Chinese characters only fills the line, and would part a word."""
    return _BROKEN_LINE.sub("", _text(node, 100_000))


def _phrase(node: YamlNode) -> str:
    """A word or short phrase on one line, with a letter or digit in it."""
    clean = _text(node)
    if len(clean) > MAX_WORD or not clean.isprintable() or not _HAS_LETTER.search(clean):
        raise node.error(f"a word or phrase of 1 to {MAX_WORD} characters")
    return clean


def _word(node: YamlNode) -> str:
    """A word without spaces: of a phrase each word would count alone, and say something else."""
    clean = _phrase(node)
    if " " in clean:
        raise node.error("one word, without spaces")
    return clean


def _matching(node: YamlNode, pattern: str, allowed: str, *, is_lower: bool = True) -> str:
    """A text that ``pattern`` matches whole, in lower case unless case counts."""
    text = (node.text or "").strip()
    text = text.lower() if is_lower else text
    if not re.fullmatch(pattern, text):
        raise node.error(allowed)
    return text


def _number(node: YamlNode, low: float = 0.0, high: float = 1.0, *, is_low_open: bool = False) -> float:
    """A number from ``low`` (or above it) to ``high``."""
    allowed = f"a number above {low:g} and up to {high:g}" if is_low_open else f"a number from {low:g} to {high:g}"
    try:
        number = float(node.text or "") if node.is_plain else float("nan")
    except ValueError:
        number = float("nan")
    if not (low < number <= high or (number == low and not is_low_open)):
        raise node.error(allowed)
    return number


def _whole(node: YamlNode, low: int = 1, high: int = 10**12) -> int:
    """A whole number from ``low`` to ``high``."""
    digits = (node.text or "").replace("_", "")
    if not (node.is_plain and digits.isascii() and digits.isdigit() and low <= int(digits[:20]) <= high):
        raise node.error(f"a whole number from {low:,} to {high:,}", "Leave the key out for no limit.")
    return int(digits)


def _date(node: YamlNode) -> date:
    try:
        return date.fromisoformat(node.text or "")
    except ValueError:
        raise node.error("a date as 2026-01-31") from None


def _class_number(node: YamlNode) -> str:
    number = _text(node, 30).upper()
    if catalogue.nearest_class(number) is None:
        raise node.error("a class number of the 中图分类法, as F59")
    return number


def _url(node: YamlNode) -> tuple[str, str]:
    """An absolute http or https URL, as it was written and canonical."""
    written = _text(node, 2000)
    has_scheme = written.lower().startswith(("http://", "https://"))
    url = canonicalize(written) if has_scheme and not re.search(r"\s", written) else None
    if not url:
        raise node.error("an http or https URL", "" if has_scheme else "It begins with http:// or https://.")
    return written, url


def _web_url(node: YamlNode) -> str:
    """The canonical form of a URL without a login in it."""
    written, url = _url(node)
    if "@" in written.split("://", 1)[1].partition("/")[0]:
        raise node.error("a URL without a login", "Put the login under `sites`.", value="a URL with a login")
    return url


def _host(node: YamlNode, *, may_have_port: bool = False) -> str:
    """A canonical host name; limits hold for all of a host's ports."""
    written = _text(node, 253)
    name, colon, port = written.partition(":") if may_have_port and not written.startswith("[") else (written, "", "")
    canonical = canonical_host(name)
    if not canonical or (colon and not (port.isdigit() and 0 < int(port) < 65536)):
        hint = "Only the host, without http:// and path." if "/" in written else ""
        raise node.error("a host name as www.example.com", hint)
    return canonical + colon + port


# Checks of lists and mappings


def _entries(node: YamlNode, limit: int = MAX_TERMS) -> dict[str, YamlNode]:
    if node.entries is None:
        kind = "text" if node.items is None else "a list"  # not the text itself: it may be a login
        raise node.error("keys with values, as `key: value`", value=kind)
    if len(node.entries) > limit:
        raise node.error(f"at most {limit:,} keys", value=f"{len(node.entries):,} keys")
    return node.entries


def _unknown_key(key: YamlNode, allowed: Collection[str]) -> TopicError:
    """The error about a key that no topic file has; values are not shown, one may be a password."""
    near = difflib.get_close_matches(str(key.text), allowed, 1, 0.5)
    hint = f"Did you mean {near[0]}?" if near else ""
    path = f"{key.path}: key" if key.path else "key"
    return TopicError(f"{key.source}:{key.line}", path, key.text, ", ".join(allowed), hint)


def _fields(node: YamlNode, checks: Mapping[str, Check[Any]]) -> dict[str, Any]:
    """A mapping with none but the keys of ``checks``; keys without a value are left out."""
    entries = _entries(node)
    for key in entries:
        if key not in checks:
            raise _unknown_key(node.keys[key], checks)
    return {key: checks[key](value) for key, value in entries.items() if not value.is_null}


def _many(node: YamlNode, check: Check[T], limit: int) -> tuple[T, ...]:
    """A list of up to ``limit`` values, each once; a single value is a list of one."""
    items = (node,) if node.items is None else node.items
    if node.entries is not None or len(items) > limit:
        shown = "keys with values" if node.entries is not None else f"{len(items):,} values"
        raise node.error(f"a list of at most {limit:,}", value=shown)
    return tuple(dict.fromkeys(map(check, items)))


def _weights(
    node: YamlNode, check: Check[str], high: float, listed: float = 1.0, *, is_low_open: bool = True
) -> dict[str, float]:
    """Words with weights up to ``high``; in a plain list each has the weight ``listed``."""
    if node.entries is None:
        return dict.fromkeys(_many(node, check, MAX_TERMS), listed)
    return {
        check(node.keys[key]): _number(value, high=high, is_low_open=is_low_open)
        for key, value in _entries(node).items()
    }


def _synonyms(node: YamlNode) -> dict[str, tuple[str, ...]]:
    return {_word(node.keys[key]): _many(value, _word, 100) for key, value in _entries(node).items()}


def _title(node: YamlNode) -> dict[str, str]:
    if node.text is not None:
        title = _text(node)
        return {"zh" if has_cjk(title) else "en": title}
    return _fields(node, {"zh": _text, "en": _text})


def _thresholds(node: YamlNode) -> dict[str, Any]:
    """A number for any scorer, or one for each of those named."""
    checks = {"page": partial(_threshold, names=PAGE_SCORERS), "link": partial(_threshold, names=LINK_POLICIES)}
    thresholds = _fields(node, checks)
    return {f"{key}_threshold{'s' if isinstance(value, dict) else ''}": value for key, value in thresholds.items()}


def _threshold(node: YamlNode, names: tuple[str, ...]) -> Any:
    return _number(node) if node.entries is None else _fields(node, dict.fromkeys(names, _number))


def _sites(node: YamlNode) -> dict[str, SiteAccess]:
    return {_host(node.keys[key], may_have_port=True): _site(value) for key, value in _entries(node, 1000).items()}


def _site(node: YamlNode) -> SiteAccess:
    access = SiteAccess(**_fields(node, _SITE))
    if access.password_env and not access.user:
        raise node.error("both, or neither", value="password_env without user")
    return access


def _limits(node: YamlNode) -> Limits:
    return Limits(**_fields(node, _LIMITS))


_SITE: dict[str, Check[Any]] = {
    "proxy": lambda node: _url(node)[0],
    "user": _text,
    "password_env": partial(
        _matching,
        pattern="[A-Za-z_][A-Za-z0-9_]{0,127}",
        allowed="the name of an environment variable that holds the password",
        is_lower=False,
    ),
}
_TYPE = partial(_matching, pattern="[a-z0-9.+-]+/[a-z0-9.+-]+", allowed="a content type as text/html")
_LIMITS: dict[str, Check[Any]] = {
    "depth": partial(_whole, high=10_000),
    "pages": _whole,
    "pages_per_host": _whole,
    "allow_hosts": partial(_many, check=_host, limit=10_000),
    "deny_hosts": partial(_many, check=_host, limit=10_000),
    "content_types": partial(_many, check=_TYPE, limit=100),
    "max_bytes": partial(_whole, low=1024),
    "newer_than": _date,
}
_LANGUAGE = partial(_matching, pattern="[a-z]{2,3}", allowed="a language code as zh or en")
# each key of a topic file, in the order in which errors list them: the field of Topic, and the check that makes its value;
# a check without a field makes several fields
_KEYS: dict[str, tuple[str, Check[Any]]] = {
    "name": ("name", _text),
    "title": ("title", _title),
    "class": ("clc", _class_number),
    "scope": ("scope", partial(_matching, pattern="broad|specific", allowed="broad, specific")),
    "language": ("languages", partial(_many, check=_LANGUAGE, limit=20)),
    "terms": ("terms", partial(_weights, check=_phrase, high=1000.0)),
    "synonyms": ("synonyms", _synonyms),
    "negative": ("negative", partial(_weights, check=_word, high=1.0)),
    "near": ("near", partial(_weights, check=_word, high=1.0, listed=0.5, is_low_open=False)),
    "texts": ("texts", partial(_many, check=_sample_text, limit=500)),
    "seeds": ("seeds", partial(_many, check=_web_url, limit=MAX_TERMS)),
    "thresholds": ("", _thresholds),
    "limits": ("limits", _limits),
    "sites": ("sites", _sites),
}
KEYS = tuple(_KEYS)
