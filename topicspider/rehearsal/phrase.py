"""A text in both languages of a report, English and Chinese."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import NamedTuple

from topicspider.i18n import CHINESE, ENGLISH, gettext, is_chinese, speak


class Phrase(NamedTuple):
    """The same sentence or name in English and Chinese; str() gives the one in the reader's language."""

    en: str
    zh: str

    def __str__(self) -> str:
        return self.zh if is_chinese() else self.en

    @classmethod
    def of(cls, say: Callable[[], str]) -> Phrase:
        """What ``say`` returns while the language is English, and while it is Chinese."""

        def said(language: str) -> str:
            speak(language)
            return say()

        return cls(*(copy_context().run(said, language) for language in (ENGLISH, CHINESE)))


def in_both(message: str, **values: object) -> Phrase:
    """As gettext, but in both languages; a Phrase among ``values`` takes the language of the sentence."""
    return Phrase.of(lambda: gettext(message, **values))
