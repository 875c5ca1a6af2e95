"""Checks single values of a topic file: each function returns the value, or raises TopicError with its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from topicspider.errors import TopicError
from topicspider.topic.marked import Mapping, Marked, Scalar, Sequence, plain
from topicspider.url.canonical import canonicalize
from topicspider.url.hostname import canonical_host

MAX_WORD = 64
MAX_WEIGHT = 1000.0
LISTED_NEAR = 0.5
_HAS_LETTER = re.compile(r"[^\W_]")
_CONTENT_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_CHINESE = "[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]"
_BROKEN_LINE = re.compile(rf"(?<={_CHINESE})[ \t]*\n[ \t]*(?={_CHINESE})")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class At:
    """Where a value stands: the file, and the key that leads to it, as ``limits.depth``."""

    source: str
    key: str

    def of(self, key: str) -> At:
        """The place of a key inside this one."""
        return At(self.source, f"{self.key}.{key}" if self.key else key)

    def error(self, value: Marked, allowed: str, hint: str = "") -> TopicError:
        """The error to raise about ``value``."""
        return self.error_in(value.line, plain(value), allowed, hint)

    def error_in(self, line: int, value: object, allowed: str, hint: str = "") -> TopicError:
        """The same for a value that has no place of its own, such as a key."""
        return TopicError(f"{self.source}:{line}", self.key, value, allowed, hint)


Check = Callable[[Marked, At], T]


def text(value: Marked, at: At, limit: int = 200) -> str:
    """A text of 1 to ``limit`` characters, without white space at its ends."""
    if not isinstance(value, Scalar) or value.is_null or not value.text.strip():
        raise at.error(value, f"text of 1 to {limit:,} characters")
    if len(value.text) > limit:
        raise at.error_in(
            value.line, f"{value.text[:40]}… ({len(value.text):,} characters)", f"text of 1 to {limit:,} characters"
        )
    return value.text.strip()


def long_text(value: Marked, at: At) -> str:
    """A sample text; a line break between two Chinese characters only fills the line, and would part a word."""
    return _BROKEN_LINE.sub("", text(value, at, 100_000))


def word(value: Marked, at: At) -> str:
    """A word or short phrase: at most MAX_WORD characters, on one line, with a letter or digit in it."""
    return _as_word(text(value, at), value.line, at)


def _as_word(written: str, line: int, at: At) -> str:
    clean = written.strip()
    if len(clean) > MAX_WORD or not clean.isprintable() or not _HAS_LETTER.search(clean):
        raise at.error_in(line, written, f"a word or phrase of 1 to {MAX_WORD} characters")
    return clean


def single_word(value: Marked, at: At) -> str:
    """A word without spaces: of a phrase each word would count alone, and say something else."""
    return _as_single_word(text(value, at), value.line, at)


def _as_single_word(written: str, line: int, at: At) -> str:
    clean = _as_word(written, line, at)
    if " " in clean:
        raise at.error_in(line, written, "one word, without spaces")
    return clean


def number(value: Marked, at: At, low: float, high: float, *, is_low_open: bool = False) -> float:
    """A number from ``low`` (or above it) to ``high``."""
    allowed = f"a number above {low:g} and up to {high:g}" if is_low_open else f"a number from {low:g} to {high:g}"
    if not isinstance(value, Scalar) or not value.is_plain:
        raise at.error(value, allowed)
    try:
        found = float(value.text)
    except ValueError:
        raise at.error(value, allowed) from None
    if not (low < found <= high or (found == low and not is_low_open)):
        raise at.error(value, allowed)
    return found


def whole(low: int, high: int = 10**12) -> Check[int]:
    """A check for whole numbers from ``low`` to ``high``."""

    def check(value: Marked, at: At) -> int:
        written = value.text if isinstance(value, Scalar) and value.is_plain else ""
        try:
            found = int(written) if len(written) <= 20 else high + 1
        except ValueError:
            found = low - 1
        if not low <= found <= high:
            raise at.error(value, f"a whole number from {low:,} to {high:,}", "Leave the key out for no limit.")
        return found

    return check


def share(value: Marked, at: At) -> float:
    """A threshold, from 0 to 1."""
    return number(value, at, 0, 1)


def one_of(*choices: str) -> Check[str]:
    """A check for one of a few words."""

    def check(value: Marked, at: At) -> str:
        if plain(value) not in choices:
            raise at.error(value, ", ".join(choices))
        return str(plain(value))

    return check


def day(value: Marked, at: At) -> date:
    """A date."""
    try:
        return date.fromisoformat(str(plain(value)))
    except ValueError:
        raise at.error(value, "a date as 2026-01-31") from None


def web_url(value: Marked, at: At) -> str:
    """The canonical form of an absolute http or https URL without a login in it."""
    return as_web_url(text(value, at, 2000), value.line, at)


def as_web_url(written: str, line: int, at: At) -> str:
    """The same for a text."""
    has_scheme = written.lower().startswith(("http://", "https://"))
    url = canonicalize(written) if has_scheme and not re.search(r"\s", written) else None
    if not url:
        hint = "" if has_scheme else "It begins with http:// or https://."
        raise at.error_in(line, written, "an http or https URL", hint)
    if "@" in written.split("://", 1)[1].partition("/")[0]:
        raise at.error_in(line, "a URL with a login", "a URL without a login", "Put the login under `sites`.")
    return url


def proxy_url(value: Marked, at: At) -> str:
    """The URL of a proxy: http(s), a host, a port; a login may stand in it, so errors do not show it."""
    written = text(value, at, 2000)
    has_scheme = written.lower().startswith(("http://", "https://"))
    if not has_scheme or re.search(r"\s", written) or not canonicalize(written):
        raise at.error_in(value.line, "(not shown)", "the URL of a proxy, as http://127.0.0.1:3128")
    return written


def host(value: Marked, at: At) -> str:
    """A host name, canonical, without a port: limits hold for all of a host's ports."""
    found = as_host(text(value, at, 253), value.line, at)
    if re.search(r":[0-9]+$", found):
        raise at.error(value, "a host name without a port")
    return found


def as_host(written: str, line: int, at: At) -> str:
    """``written`` as a canonical host name; a port may follow it."""
    name, colon, port = written.partition(":") if not written.startswith("[") else (written, "", "")
    canonical = canonical_host(name)
    if not canonical or (colon and not (port.isdigit() and 0 < int(port) < 65536)):
        hint = "Only the host, without http:// and path." if "/" in written else ""
        raise at.error_in(line, written, "a host name as www.example.com", hint)
    return canonical + colon + port


def content_type(value: Marked, at: At) -> str:
    """A content type, lower case."""
    found = str(plain(value)).strip().lower()
    if not _CONTENT_TYPE.fullmatch(found):
        raise at.error(value, "a content type as text/html or application/pdf")
    return found


def environment_name(value: Marked, at: At) -> str:
    """The name of an environment variable; a value that is none may be a password and is not shown."""
    if not _ENVIRONMENT_NAME.fullmatch(str(plain(value))):
        raise at.error_in(value.line, "(not shown)", "the name of an environment variable that holds the password")
    return str(plain(value))


def many(check: Check[T], limit: int) -> Check[tuple[T, ...]]:
    """A check for a list of up to ``limit`` values, each once; a single value is a list of one."""

    def check_all(value: Marked, at: At) -> tuple[T, ...]:
        items = value.items if isinstance(value, Sequence) else (value,)
        if isinstance(value, Mapping) or len(items) > limit:
            shown = "keys with values" if isinstance(value, Mapping) else f"{len(items):,} values"
            raise at.error_in(value.line, shown, f"a list of at most {limit:,}")
        return tuple(dict.fromkeys(check(item, at) for item in items))

    return check_all


def mapping(value: Marked, at: At, limit: int = 5000) -> Mapping:
    """Keys with their values, at most ``limit``."""
    if not isinstance(value, Mapping):
        kind = "a list" if isinstance(value, Sequence) else "text"  # not the text itself: it may be a login
        raise at.error_in(value.line, kind, "keys with values, as `key: value`")
    if len(value.items) > limit:
        raise at.error_in(value.line, f"{len(value.items):,} keys", f"at most {limit:,} keys")
    return value


def known_keys(value: Marked, at: At, allowed: Collection[str]) -> Mapping:
    """A mapping whose keys are all in ``allowed``; the error names the nearest."""
    found = mapping(value, at)
    for key in found.items:
        if key not in allowed:
            raise unknown_key(key, found.key_lines[key], at, allowed)
    return found


def unknown_key(key: str, line: int, at: At, allowed: Collection[str]) -> TopicError:
    """The error about a key that no topic file has; values are not shown, one may be a password."""
    near = difflib.get_close_matches(key, allowed, 1, 0.5)
    hint = f"Did you mean {near[0]}?" if near else ""
    return TopicError(f"{at.source}:{line}", f"{at.key}: key" if at.key else "key", key, ", ".join(allowed), hint)


def weighted_words(limit: int) -> Check[dict[str, float]]:
    """A check for words or phrases with weights above 0; a plain list gives each the weight 1."""
    return _weighted(_as_word, limit, MAX_WEIGHT)


def weighted_single_words(limit: int) -> Check[dict[str, float]]:
    """A check for words with weights above 0 and up to 1; a plain list gives each the weight 1."""
    return _weighted(_as_single_word, limit, 1.0)


def near_words(limit: int) -> Check[dict[str, float]]:
    """A check for words with weights from 0 (not this one) to 1; a plain list gives each the weight LISTED_NEAR."""
    return _weighted(_as_single_word, limit, 1.0, listed=LISTED_NEAR, is_low_open=False)


def _weighted(
    as_word: Callable[[str, int, At], str],
    limit: int,
    high: float,
    *,
    listed: float = 1.0,
    is_low_open: bool = True,
) -> Check[dict[str, float]]:
    def check(value: Marked, at: At) -> dict[str, float]:
        if not isinstance(value, Mapping):
            words = many(text, limit)(value, at)
            return {as_word(word, value.line, at): listed for word in words}
        weights: dict[str, float] = {}
        for key, item in mapping(value, at, limit).items.items():
            clean = as_word(key, value.key_lines[key], at)
            weights[clean] = number(item, at.of(clean), 0, high, is_low_open=is_low_open)
        return weights

    return check


def word_lists(limit: int) -> Check[dict[str, tuple[str, ...]]]:
    """A check for words that each have a list of other words."""

    def check(value: Marked, at: At) -> dict[str, tuple[str, ...]]:
        found = mapping(value, at, limit).items
        lines = value.key_lines if isinstance(value, Mapping) else {}
        return {
            _as_single_word(key, lines[key], at): many(single_word, 100)(item, at.of(key))
            for key, item in found.items()
        }

    return check
