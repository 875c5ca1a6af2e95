"""Turns the content of a topic file into a Topic: which keys there are, and what each may hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from topicspider.defaults import LINK_POLICIES, PAGE_SCORERS
from topicspider.errors import TopicError
from topicspider.text.normalise import has_cjk
from topicspider.topic import catalogue, checks
from topicspider.topic.checks import At
from topicspider.topic.marked import Mapping, Marked, Scalar, read_marked
from topicspider.topic.profile import Limits, SiteAccess, Topic

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TERMS = 5000
MAX_URLS = 5000
_NAME = re.compile(r"[^\W_][\w-]{0,63}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def read_topic(content: bytes, source: str, name: str) -> tuple[Topic, list[TopicError]]:
    """The topic in a file's ``content``, with every error found in it (in the order of lines).

    ``source`` names the file in errors; ``name`` is the topic's when the file gives none. With errors,
    the topic is what could be read. Never raises TopicError: broken YAML is an error in the list too.
    """
    try:
        found = read_marked(content, source)
    except TopicError as error:
        return Topic(name=name, source=source), [error]
    at = At(source, "")
    values, errors = _values(found, at)
    values.setdefault("name", name)
    topic = Topic(source=source, **values)
    if not errors:
        errors = _whole_errors(topic, found, at)
    return topic, errors


def is_name(text: str) -> bool:
    """Whether ``text`` may name a topic: letters, digits, - and _; it also names the folder of results."""
    return _NAME.fullmatch(text) is not None


def _values(found: Mapping, at: At) -> tuple[dict[str, Any], list[TopicError]]:
    values: dict[str, Any] = {}
    errors: list[TopicError] = []
    for key, value in found.items.items():
        if key not in _KEYS:
            errors.append(checks.unknown_key(key, found.key_lines[key], at, list(_KEYS)))
            continue
        if isinstance(value, Scalar) and value.is_null:
            continue
        try:
            values |= _KEYS[key](value, at.of(key))
        except TopicError as error:
            errors.append(error)
    return values, errors


def _whole_errors(topic: Topic, found: Mapping, at: At) -> list[TopicError]:
    """What is wrong between the keys of a file whose values are all right."""
    errors = []
    if not is_name(topic.name):
        hint = "" if "name" in found.items else "The file has no `name`, and its own name cannot be one."
        line = found.key_lines.get("name", 1)
        errors.append(at.of("name").error_in(line, topic.name, "up to 64 letters, digits, - and _", hint))
    if not (topic.terms or topic.texts or topic.urls or topic.title):
        errors.append(
            at.of("empty topic").error_in(found.line, sorted(found.items), "at least one of terms, texts, urls, title")
        )
    for word in topic.negative:
        if word in topic.terms:
            line = _line_of(found, "negative", word)
            errors.append(at.of("negative").error_in(line, word, "words that are not among the terms"))
    for word, weight in topic.near.items():
        if weight and (word in topic.terms or word in topic.negative):
            line = _line_of(found, "near", word)
            errors.append(at.of("near").error_in(line, word, "words that are neither among the terms nor negative"))
    return errors + _synonym_errors(topic, found, at)


def _synonym_errors(topic: Topic, found: Mapping, at: At) -> list[TopicError]:
    errors = []
    owner: dict[str, str] = {}
    for term, words in topic.synonyms.items():
        for word in words:
            if owner.setdefault(word, term) != term:
                line = _line_of(found, "synonyms", term)
                allowed = f"each synonym once; it stands for {owner[word]} already"
                errors.append(at.of(f"synonyms.{term}").error_in(line, word, allowed))
    return errors


def _line_of(found: Mapping, key: str, inner: str) -> int:
    value = found.items[key]
    lines = value.key_lines if isinstance(value, Mapping) else {}
    return lines.get(inner, value.line)


def _title(value: Marked, at: At) -> dict[str, Any]:
    if isinstance(value, Scalar):
        written = checks.text(value, at)
        return {"title": {"zh" if has_cjk(written) else "en": written}}
    found = checks.known_keys(value, at, ("zh", "en"))
    return {"title": {key: checks.text(item, at.of(key)) for key, item in found.items.items()}}


def _class(value: Marked, at: At) -> dict[str, Any]:
    number = checks.text(value, at, 30).upper()
    if catalogue.nearest_class(number) is None:
        raise at.error(value, "a class number of the 中图分类法, as F59")
    return {"clc": number}


def _language(value: Marked, at: At) -> str:
    code = checks.text(value, at, 20).lower()
    if not _LANGUAGE.fullmatch(code):
        raise at.error(value, "a language code as zh or en")
    return code


def _thresholds(value: Marked, at: At) -> dict[str, Any]:
    """A number for any scorer, or one for each of those named."""
    found = _fields(value, at, {"page": _threshold(PAGE_SCORERS), "link": _threshold(LINK_POLICIES)})
    return {f"{key}_threshold{'s' if isinstance(given, dict) else ''}": given for key, given in found.items()}


def _threshold(names: tuple[str, ...]) -> checks.Check[Any]:
    def check(value: Marked, at: At) -> Any:
        if isinstance(value, Mapping):
            return _fields(value, at, dict.fromkeys(names, checks.share))
        return checks.share(value, at)

    return check


def _limits(value: Marked, at: At) -> dict[str, Any]:
    return {"limits": Limits(**_fields(value, at, _LIMITS))}


def _sites(value: Marked, at: At) -> dict[str, Any]:
    found = checks.mapping(value, at, 1000)
    return {
        "sites": {
            checks.as_host(key, found.key_lines[key], at): _site(item, at.of(key)) for key, item in found.items.items()
        }
    }


def _site(value: Marked, at: At) -> SiteAccess:
    access = SiteAccess(**_fields(value, at, _SITE))
    if access.password_env and not access.user:
        raise at.error_in(value.line, "password_env without user", "both, or neither")
    return access


def _fields(value: Marked, at: At, table: dict[str, checks.Check[Any]], name: str = "{}") -> dict[str, Any]:
    found = checks.known_keys(value, at, table)
    return {
        name.format(key): table[key](item, at.of(key))
        for key, item in found.items.items()
        if not (isinstance(item, Scalar) and item.is_null)
    }


def _plain(field: str, check: checks.Check[Any]) -> Callable[[Marked, At], dict[str, Any]]:
    return lambda value, at: {field: check(value, at)}


_LIMITS: dict[str, checks.Check[Any]] = {
    "depth": checks.whole(1, 10_000),
    "pages": checks.whole(1),
    "pages_per_host": checks.whole(1),
    "allow_hosts": checks.many(checks.host, 10_000),
    "deny_hosts": checks.many(checks.host, 10_000),
    "content_types": checks.many(checks.content_type, 100),
    "max_bytes": checks.whole(1024),
    "newer_than": checks.day,
}
_SITE: dict[str, checks.Check[Any]] = {
    "proxy": checks.proxy_url,
    "user": checks.text,
    "password_env": checks.environment_name,
}
# each key of a topic file, in the order in which errors list them, with what turns its value into fields of Topic
_KEYS: dict[str, Callable[[Marked, At], dict[str, Any]]] = {
    "name": _plain("name", checks.text),
    "title": _title,
    "class": _class,
    "scope": _plain("scope", checks.one_of("broad", "specific")),
    "language": _plain("languages", checks.many(_language, 20)),
    "terms": _plain("terms", checks.weighted_words(MAX_TERMS)),
    "synonyms": _plain("synonyms", checks.word_lists(MAX_TERMS)),
    "negative": _plain("negative", checks.weighted_single_words(MAX_TERMS)),
    "near": _plain("near", checks.near_words(MAX_TERMS)),
    "texts": _plain("texts", checks.many(checks.long_text, 500)),
    "urls": _plain("urls", checks.many(checks.web_url, MAX_URLS)),
    "seeds": _plain("seeds", checks.many(checks.web_url, MAX_URLS)),
    "thresholds": _thresholds,
    "limits": _limits,
    "sites": _sites,
}
KEYS = tuple(_KEYS)
