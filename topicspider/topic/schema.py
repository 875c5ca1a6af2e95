"""Reads the content of a topic file into a Topic: defines its keys and the check of each value."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from functools import partial
from typing import Any, TypeVar

from topicspider.errors import TopicError, did_you_mean
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.options import LINK_POLICIES, PAGE_SCORERS
from topicspider.text.language import LANGUAGES, language_of_name
from topicspider.text.segment import MAX_WORD
from topicspider.topic import catalogue
from topicspider.topic.profile import Limits, Topic
from topicspider.topic.yaml_node import YamlNode, read_yaml
from topicspider.url import canonical_host, canonicalize

MAX_TERMS = 5000
_NAME = re.compile(r"[^\W_][\w-]{0,63}")
_CHINESE = "[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]"
_BROKEN_LINE = re.compile(rf"(?<={_CHINESE})[ \t]*\n[ \t]*(?={_CHINESE})")
T = TypeVar("T")
U = TypeVar("U")
Check = Callable[[str], T]
"""Converts a text to its value, or raises ValueError with: what is allowed, a hint, what to show of the text. Rejects an empty text."""
Read = Callable[[YamlNode], T]
"""Converts a node to its value, or raises TopicError with its line."""


def read_topic(content: bytes, source: str, name: str) -> tuple[Topic, list[TopicError]]:
    """(the topic in a file's ``content``, all errors found in it, in the order of lines).

    ``source`` names the file in errors; ``name`` is the topic's name if the file has none. With errors, the topic has what could be read.
    Never raises TopicError: broken YAML is also an error in the list.
    """
    try:
        root = read_yaml(content, source)
    except TopicError as error:
        return Topic(name=name, source=source), [error]
    return read_fields(root, name)


def read_fields(root: YamlNode, name: str) -> tuple[Topic, list[TopicError]]:
    """As ``read_topic``, for YAML that was already read: the mapping ``root``."""
    source, errors = root.source, list[TopicError]()
    values: dict[str, Any] = {"name": name}
    for key, node in _entries(root).items():
        try:
            values |= _fields(YamlNode(source, node.line, "", {key: node}), KEYS)
        except (TopicError, ExceptionGroup) as error:
            errors += _parts(error)
    values |= values.pop("thresholds", {})
    topic = Topic(source=source, **{_FIELDS.get(key, key): value for key, value in values.items()})
    return topic, errors or _faults(topic, root)


def sound(found: tuple[Topic, list[TopicError]]) -> Topic:
    """The topic of ``found``; raises the first of its errors."""
    topic, errors = found
    if errors:
        raise errors[0]
    return topic


def is_name(text: str) -> bool:
    """Whether ``text`` is a valid topic name: up to 64 letters, digits, - and _. The folder of results has the same name."""
    return _NAME.fullmatch(text) is not None


def _faults(topic: Topic, root: YamlNode) -> list[TopicError]:
    """The errors of a file whose single values are valid: a bad name, or an empty topic."""
    keys, errors = _entries(root), []
    where = f"{root.source}:{keys.get('name', root).line}"
    if not is_name(topic.name):
        hint = "" if "name" in keys else "The file has no `name`, and its own name cannot be one."
        errors.append(TopicError(where, "name", topic.name, "up to 64 letters, digits, - and _", hint))
    if not (topic.terms or topic.texts or topic.title):
        errors.append(TopicError(where, _("empty topic"), sorted(keys), "at least one of terms, texts, title"))
    return errors


# Checks of texts


def _like(pattern: str, allowed: str) -> Check[str]:
    """A check for a text that ``pattern`` fully matches."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(allowed)
        return text

    return check


_text = _like("(?s:.){1,200}", N_("text of 1 to 200 characters"))
_phrase = _like(
    rf"(?=.*[^\W_])[^\x00-\x1f\x7f-\x9f]{{1,{MAX_WORD}}}", f"a word or phrase of 1 to {MAX_WORD} characters"
)
# no phrases here: each of its words would count alone, and mean something else
_word = _like(rf"(?=.*[^\W_])[^\s\x00-\x1f\x7f-\x9f]{{1,{MAX_WORD}}}", N_("one word, without spaces"))


def _sample_text(text: str) -> str:
    """``text`` without line breaks between two Chinese characters, which only wrap lines and could split a word."""
    return _BROKEN_LINE.sub("", _like("(?s:.){1,100000}", N_("text of 1 to 100,000 characters"))(text))


def _number(low: float, high: float, allowed: str) -> Check[float]:
    def check(text: str) -> float:
        number = float(text) if re.fullmatch(r"[+-]?[0-9.]{1,20}", text) and text.count(".") < 2 else -1.0
        if not low <= number <= high:
            raise ValueError(allowed)
        return number

    return check


_SHARE = _number(0.0, 1.0, N_("a number from 0 to 1"))
_PENALTY = _number(1e-9, 1.0, N_("a number above 0 and up to 1"))
_WEIGHT = _number(1e-9, 1000.0, N_("a number above 0 and up to 1000"))


def _whole(text: str, low: int = 1, high: int = 10**12) -> int:
    digits = text.replace("_", "")[:20]
    if not (digits.isascii() and digits.isdigit() and low <= int(digits) <= high):
        allowed = _("a whole number from {least:,} to {most:,}", least=low, most=high)
        raise ValueError(allowed, N_("Leave the key out for no limit."))
    return int(digits)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(N_("a date as 2026-01-31")) from None


def _class_number(text: str) -> str:
    if catalogue.nearest_class(text) is None:
        raise ValueError(N_("a class number of the 中图分类法, as F59"))
    return text.upper()


def _web_url(text: str) -> str:
    """The canonical form of an http or https URL without user and password."""
    has_scheme = text.lower().startswith(("http://", "https://"))
    if not has_scheme or re.search(r"\s", text) or not canonicalize(text):
        raise ValueError(N_("an http or https URL"), "" if has_scheme else N_("It begins with http:// or https://."))
    if "@" in text.split("://", 1)[1].partition("/")[0]:
        raise ValueError(N_("a URL without a login"), "", "a URL with a login")
    return canonicalize(text) or ""


def _host(text: str) -> str:
    """A canonical host name, without port: limits hold for all ports of a host."""
    if not (canonical := canonical_host(text)):
        hint = N_("Only the host, without http:// and path.") if "/" in text else ""
        raise ValueError(N_("a host name as www.example.com"), hint)
    return canonical


# Readers of nodes


def _one(node: YamlNode, check: Check[T]) -> T:
    try:
        return check(node.value.strip() if isinstance(node.value, str) else "")
    except ValueError as error:
        raise node.error(*error.args) from None


def _many(node: YamlNode, check: Check[T], limit: int = MAX_TERMS) -> tuple[T, ...]:
    """A list of up to ``limit`` values without repetitions; a single value counts as a list of one."""
    items = node.value if isinstance(node.value, list) else [node]
    if isinstance(node.value, dict) or len(items) > limit:
        shown = "keys with values" if isinstance(node.value, dict) else f"{len(items):,} values"
        raise node.error(f"a list of at most {limit:,}", shown=shown)
    return tuple(dict.fromkeys(_each(partial(_one, check=check), items)))


def _each(read: Callable[[U], T], items: Iterable[U]) -> list[T]:
    """The result of ``read`` for each item; raises all their errors together, as an ExceptionGroup."""
    values, errors = list[T](), list[TopicError]()
    for item in items:
        try:
            values.append(read(item))
        except (TopicError, ExceptionGroup) as error:
            errors += _parts(error)
    if errors:
        raise ExceptionGroup("topic file", errors)
    return values


def _parts(error: TopicError | ExceptionGroup[Exception]) -> list[TopicError]:
    together = error.exceptions if isinstance(error, ExceptionGroup) else [error]
    return [one for one in together if isinstance(one, TopicError)]


def _entries(node: YamlNode) -> dict[str, YamlNode]:
    if not isinstance(node.value, dict):
        kind = "a list" if isinstance(node.value, list) else "text"  # not the text itself: it may be a password
        raise node.error(N_("keys with values, as `key: value`"), shown=kind)
    if len(node.value) > MAX_TERMS:
        raise node.error(f"at most {MAX_TERMS:,} keys", shown=f"{len(node.value):,} keys")
    return node.value


def _mapping(node: YamlNode, check: Check[str], read: Read[T]) -> dict[str, T]:
    """A mapping whose keys pass ``check``."""

    def entry(item: tuple[str, YamlNode]) -> tuple[str, T]:
        key, value = item
        return _one(YamlNode(value.source, value.line, node.path, key), check), read(value)

    return dict(_each(entry, _entries(node).items()))


def _fields(node: YamlNode, readers: Mapping[str, Read[Any]]) -> dict[str, Any]:
    """A mapping with only the keys of ``readers``, each value read by its reader; keys without a value are left out."""

    def field(item: tuple[str, YamlNode]) -> tuple[str, Any]:
        key, value = item
        if key not in readers:
            raise _unknown_key(node, key, value.line, readers)
        return key, None if value.value is None else readers[key](value)

    return {key: value for key, value in _each(field, _entries(node).items()) if value is not None}


def _unknown_key(node: YamlNode, key: str, line: int, allowed: Collection[str]) -> TopicError:
    """The error for an unknown key; its value is not shown, as it may be a password."""
    path = f"{node.path}: key" if node.path else "key"
    return TopicError(f"{node.source}:{line}", path, key, ", ".join(allowed), did_you_mean(key, allowed, 0.5))


def _weights(node: YamlNode, check: Check[str], weight: Check[float], listed: float = 1.0) -> dict[str, float]:
    """Word to weight; in a plain list each word has the weight ``listed``. An entry such as `茶叶：10` (full-width colon) is an error."""
    if not isinstance(node.value, dict):
        for one in node.value if isinstance(node.value, list) else [node]:
            if re.search(r"[^\W\d][:：]\s*[\d.]+\s*\Z", str(one.value)):
                raise one.error(N_("a word and its weight as `tea: 10`, with a half-width colon and a blank"))
        return dict.fromkeys(_many(node, check), listed)
    return _mapping(node, check, partial(_one, check=weight))


def _title(node: YamlNode) -> dict[str, str]:
    if isinstance(node.value, str):
        title = _one(node, _text)
        return {language_of_name(title): title}
    return _fields(node, dict.fromkeys(LANGUAGES, partial(_one, check=_text)))


def _thresholds(node: YamlNode) -> dict[str, Any]:
    """For pages and links: one threshold for all scorers or policies, or one for each that is named."""
    readers = {"page": partial(_threshold, names=PAGE_SCORERS), "link": partial(_threshold, names=LINK_POLICIES)}
    thresholds = _fields(node, readers)
    return {f"{key}_threshold{'s' if isinstance(value, dict) else ''}": value for key, value in thresholds.items()}


def _threshold(node: YamlNode, names: tuple[str, ...]) -> Any:
    share = partial(_one, check=_SHARE)
    return _fields(node, dict.fromkeys(names, share)) if isinstance(node.value, dict) else share(node)


_TYPE = _like("[a-z0-9.+-]+/[a-z0-9.+-]+", "a content type as text/html")
_LIMITS: dict[str, Read[Any]] = {
    "depth": partial(_one, check=partial(_whole, high=10_000)),
    "pages": partial(_one, check=_whole),
    "pages_per_host": partial(_one, check=_whole),
    "allow_hosts": partial(_many, check=_host),
    "deny_hosts": partial(_many, check=_host),
    "content_types": partial(_many, check=_TYPE),
    "max_bytes": partial(_one, check=partial(_whole, low=1024)),
    "newer_than": partial(_one, check=_date),
}
KEYS: dict[str, Read[Any]] = {
    "name": partial(_one, check=_text),
    "title": _title,
    "class": partial(_one, check=_class_number),
    "scope": partial(_one, check=_like("broad|specific", "broad, specific")),
    "language": partial(_many, check=_like("[a-z]{2,3}", "a language code as zh or en")),
    "terms": partial(_weights, check=_phrase, weight=_WEIGHT),
    "synonyms": partial(_mapping, check=_word, read=partial(_many, check=_word)),
    "negative": partial(_weights, check=_word, weight=_PENALTY),
    "near": partial(_weights, check=_word, weight=_SHARE, listed=0.5),
    "texts": partial(_many, check=_sample_text, limit=500),
    "seeds": partial(_many, check=_web_url),
    "thresholds": _thresholds,
    "hubs": partial(_one, check=_like("apart|hits", "apart, hits")),
    "limits": lambda node: Limits(**_fields(node, _LIMITS)),
}
_FIELDS = {"class": "clc", "language": "languages"}
