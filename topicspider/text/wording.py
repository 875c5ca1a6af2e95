"""Whether to speak Chinese, for what is not yet said through topicspider.i18n."""

from __future__ import annotations

from topicspider.i18n import CHINESE, clock, language_of, shell_word

__all__ = ["clock", "shell_word", "speaks_chinese"]


def speaks_chinese(language: str = "auto") -> bool:
    """True for ``zh``, or for ``auto`` when the locale is Chinese."""
    return language_of(language) == CHINESE
