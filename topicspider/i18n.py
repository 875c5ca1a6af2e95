"""Messages in the reader's language: gettext over the catalogues in topicspider/locale.

The English text is the message itself, with the fields of str.format: ``_("{count:,} pages", count=9)``. `python .ci/catalogue.py`
brings the catalogues up to date with the code.
"""

from __future__ import annotations

import gettext as library
import os
import re
import shlex
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path

DOMAIN = "topicspider"
LOCALE = Path(__file__).with_name("locale")
ENGLISH, CHINESE = "en", "zh"
_catalogues: dict[str, library.NullTranslations] = {ENGLISH: library.NullTranslations()}
_chosen = ""
_ADVICE = re.compile(
    r"(?<![\w/.-])scrapy (?=(classify|crawls?|demo|doctor|explain|export|frontier|hits|nodes|read|recrawl|rehearse|replay|serve|sites|store|topics)\b)"
)
_is_foreign = False
_of_reader: ContextVar[str] = ContextVar("language", default="")


def language_of(choice: str = "auto", environ: Mapping[str, str] = os.environ) -> str:
    """``zh`` or ``en`` if that is the choice; for any other choice the language of the locale (LC_ALL, LC_MESSAGES, LANG)."""
    if choice in (CHINESE, ENGLISH):
        return choice
    return CHINESE if locale_language(environ) == CHINESE else ENGLISH


def locale_language(environ: Mapping[str, str] = os.environ) -> str:
    """The first two letters of the locale: de for de_DE.UTF-8."""
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")
    return locale.lower()[:2]


def use_language(choice: str = "auto") -> None:
    """Set the language of all messages of this process, as TOPICSPIDER_LANGUAGE names it; argparse's messages follow the locale."""
    global _chosen
    _chosen = language_of(choice)
    library.bindtextdomain(DOMAIN, LOCALE)
    library.textdomain(DOMAIN)


def speak(language: str) -> None:
    """Set the language of messages in this context: a request to a server, and the threads that work for it."""
    _of_reader.set(language)


def language() -> str:
    """The language of messages: ``zh`` or ``en``."""
    return _of_reader.get() or _chosen or language_of()


def is_chinese() -> bool:
    return language() == CHINESE


def use_commands(*, are_scrapys: bool) -> None:
    """Say whether Scrapy has our commands; in a foreign project it does not."""
    global _is_foreign
    _is_foreign = not are_scrapys


def program(command: str) -> str:
    """The program to type before ``command``: TOPICSPIDER_COMMAND if set, else ``scrapy`` if it has the command, else ``topicspider``."""
    typed = os.environ.get("TOPICSPIDER_COMMAND")
    return typed or ("topicspider" if _is_foreign and command != "crawl" else "scrapy")


def as_typed(text: str) -> str:
    """``text`` with its commands as the user types them: ``./run hits`` for ``scrapy hits``."""
    return _ADVICE.sub(lambda match: f"{program(match[1])} ", text)


def gettext(message: str, **values: object) -> str:
    """``message`` in the reader's language, filled with ``values``."""
    text = _catalogue().gettext(message) if message else ""  # for "" gettext returns the catalogue's header
    return text.format(**values) if values else text


def ngettext(one: str, many: str, count: int, **values: object) -> str:
    """As gettext, in the form that fits ``count``; ``{count}`` in the message is filled with it."""
    return _catalogue().ngettext(one, many, count).format(count=count, **values)


def pages_and_hits(pages: int, hits: int) -> str:
    """Both counts in words, like 1 page, 0 hits."""
    words = (
        ngettext("{count:,} page", "{count:,} pages", pages),
        ngettext("{hits} hit", "{hits} hits", hits, hits=f"{hits:,}"),
    )
    return gettext(", ").join(words)


def labelled(name: str, text: object) -> str:
    """``name`` and ``text``, joined as in the reader's language: pages: 3."""
    return gettext("{what}: {why}", what=name, why=text)


def N_(message: str) -> str:  # noqa: N802 - gettext's name
    """Returns ``message`` unchanged; it marks for the catalogue a message that is translated when it is shown."""
    return message


def clock(seconds: float) -> str:
    """90 is 1:30; h:mm:ss from an hour on, days from 100 hours on."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 100:
        return f"{hours // 24} d"
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def outage_words(server: str, outages: int, seconds: float, restarts: int = 0) -> list[str]:
    """How often and how long in all a server was away, and how often it restarted; [] if neither happened."""
    words = []
    if outages:
        words.append(
            ngettext(
                "{server} away once, {seconds:.1f} s",
                "{server} away {count} times, {seconds:.1f} s",
                outages,
                server=server,
                seconds=seconds,
            )
        )
    if restarts:
        words.append(ngettext("{server} restarted once", "{server} restarted {count} times", restarts, server=server))
    return words


def shell_word(text: str) -> str:
    """``text`` as one word of a command line, with quotes only if it needs them (shlex.quote would quote 茶叶)."""
    return text if re.fullmatch(r"[\w./:+=,@%-]+", text) and not text.startswith("-") else shlex.quote(text)


def _catalogue() -> library.NullTranslations:
    name = language()
    if name not in _catalogues:
        with (LOCALE / name / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as stream:
            _catalogues[name] = library.GNUTranslations(stream)
    return _catalogues[name]
