"""Every error that topicspider raises on purpose; ``exit_code`` is that of a command that the error ends.

The arguments of an error may be messages of the catalogue: the text is translated for the reader, the attributes keep the original.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from topicspider.i18n import N_, as_typed
from topicspider.i18n import gettext as _

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

LABELS = {N_("command"), N_("topic"), N_("page"), N_("class"), N_("spider"), N_("setting")}
"""What an error can be about, in words to translate; anything else is a name that somebody has typed."""


class TopicSpiderError(Exception):
    """Base class. The text is one line for the user, and needs no traceback."""

    exit_code = 1

    def __str__(self) -> str:
        return as_typed(super().__str__())


class ConfigError(TopicSpiderError):
    """A wrong setting, argument or file: ``what``, its ``value`` (None: missing), what is ``allowed``, and a ``hint`` at what to do."""

    exit_code = 2

    def __init__(self, what: str, value: object, allowed: str, hint: str = "") -> None:
        self.what = what
        self.value = value
        self.allowed = allowed
        self.hint = hint
        values = {"what": _(what) if what in LABELS else what, "value": _short(value), "allowed": _words(allowed)}
        if value is None:
            text = _("{what} is missing; needed: {allowed}", **values)
        else:
            text = _("{what}: {value} is not valid; allowed: {allowed}", **values)
        super().__init__(one_line(with_hints(text, hint)))


class TopicError(ConfigError):
    """A topic file that cannot be used; ``where`` is ``file:line``."""

    def __init__(self, where: str, key: str, value: object, allowed: str, hint: str = "") -> None:
        self.where = where
        self.key = key
        super().__init__(f"{where}: {key}", value, allowed, hint)


class UnknownTopic(ConfigError):
    """A name, path or class number that is no topic. ``title``: of the topic to make of it ("": a typo); ``near``: a similar name."""

    title = near = ""


class NotCrawled(TopicSpiderError):
    """Nothing was crawled yet for a topic that exists ("": for any). ``spider``: a foreign one that crawled for it and stored nothing."""

    exit_code = 2

    def __init__(self, topic: str, place: object, hint: str = "", *, spider: str = "") -> None:
        self.topic = topic
        begin = _("To begin: `scrapy crawl topic -a topic={topic}`", topic=topic.replace("+", ",") or "tourism")
        words = (
            N_("{topic}: nothing was crawled for it in {place} yet")
            if topic
            else N_("nothing was crawled in {place} yet")
        )
        if spider:
            words = N_(
                "{topic}: the spider {spider} crawled for it and stored no page: what it yields goes to its feed (-O FILE)"
            )
            begin = _("To store pages: `scrapy crawl topic -a topic={topic}`", topic=topic)
        super().__init__(one_line(with_hints(_(words, topic=topic, place=place, spider=spider), begin, hint)))


class UnavailableError(TopicSpiderError):
    """Something outside the process did not answer; ``what`` never contains a password."""

    exit_code = 3

    def __init__(self, what: str, why: str, hint: str = "") -> None:
        self.what = what
        self.why = why
        self.hint = hint
        text = _("{what}: {why}", what=_words(what), why=_words(why))
        super().__init__(one_line(with_hints(text, hint)))


class StoreUnavailable(UnavailableError):
    """The store of pages cannot be reached or written."""


class StoreRefused(StoreUnavailable):
    """The store's database refuses (password, rights, name, settings): waiting will not help."""


class FrontierUnavailable(UnavailableError):
    """The frontier cannot be reached or written."""


class FrontierRefused(FrontierUnavailable):
    """The frontier can be reached, but not be used: waiting will not help."""


def patiently(call: Callable[[], _T], wait_seconds: float) -> _T:
    """The result of ``call``, repeated for up to ``wait_seconds`` while it raises UnavailableError, unless waiting will not help."""
    deadline, pause = time.monotonic() + wait_seconds, 0.0
    while True:
        began = time.monotonic()
        try:
            return call()
        except UnavailableError as error:
            left = deadline - 2 * time.monotonic() + began  # the next attempt may take as long as this one
            if left <= 0 or isinstance(error, StoreRefused | FrontierRefused):
                raise
            if not pause:
                logger.warning("waiting up to %.0f s: %s", wait_seconds, error)
            pause = min(2 * pause, 2.0) or 0.1
            time.sleep(min(pause, left))


class NoSeedReachable(UnavailableError):
    """Not one of the seeds of a crawl answered."""


class FeedUnavailable(UnavailableError):
    """A feed could not be written; the store has the hits that it lacks."""

    def __init__(self, uri: str, why: str) -> None:
        super().__init__(
            f"feed {uri}", why, "It is not whole: make room, and the same command with -O writes it anew from the store"
        )


class CrawlRunning(TopicSpiderError):
    """Another process holds the frontier of this crawl."""

    exit_code = 4


class BadRow(TopicSpiderError):
    """A value that the store cannot hold: ``field``, ``value``, and what is ``allowed``. Other rows are not affected."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field = field
        values = {"field": field, "value": _short(value), "allowed": _words(allowed)}
        super().__init__(one_line(_("{field}: {value} cannot be stored; allowed: {allowed}", **values)))


class RecordingError(TopicSpiderError):
    """A recorded web that cannot be replayed."""

    exit_code = 2


def one_line(text: str, limit: int = 600) -> str:
    """``text`` without line breaks and control characters (terminals obey them), cut at ``limit``."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """A hint with the word of ``known`` that is most like ``word``, or one of the same letters; "" if none is similar."""
    near = sorted(get_close_matches(word, list(known), 3, cutoff), key=lambda one: sorted(one) != sorted(word))
    return _("Did you mean {near}?", near=near[0]) if near else ""


def with_hints(text: str, *hints: str) -> str:
    """``text``, and each of ``hints`` that is not empty as a sentence after it."""
    for hint in filter(None, hints):
        if text.endswith((".", "?", "。", "？")):
            text += _(hint) if text[-1] > "~" else f" {_(hint)}"
        else:
            text = _("{text}. {hint}", text=text, hint=_(hint))
    return text


def _words(text: str) -> str:
    """Translates ``text``, unless it is a single word, which is a name."""
    return _(text) if " " in text else text


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:118]}…{text[-1]}"
