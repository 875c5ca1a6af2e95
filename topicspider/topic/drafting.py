"""Drafts a topic file: from a name, and from texts when there are some, as YAML that people edit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.segment import MAX_WORD
from topicspider.topic.schema import is_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from topicspider.topic.profile import NearWord

LONGEST_TITLE = 200
_NO_NAME = re.compile(r"[^\w-]+")
# what YAML reads as text without quotes, in every version of it
_BARE = re.compile(r"[^\W\d_][\w]*")
_NOT_BARE = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a new topic file holds. ``terms``: weights up to 10; none for a name alone."""

    name: str
    title: str
    languages: tuple[str, ...] = ("zh",)
    terms: Mapping[str, float] = field(default_factory=dict)
    near: Mapping[str, NearWord] = field(default_factory=dict)
    seeds: Sequence[str] = ()
    learned_from: int = 0


def file_name(name: str) -> str:
    """The topic's name in the words of a file's name: 茶叶, "AI 芯片" as ai_芯片; ConfigError when nothing is left."""
    slug = _NO_NAME.sub("_", normalise(name)).strip("_-")[:64].strip("_-")
    if not is_name(slug) or len(name) > LONGEST_TITLE:
        raise ConfigError("topic", name, f"a name of 1 to {LONGEST_TITLE} characters with a letter or digit in it")
    return slug


def clean_title(title: str) -> str:
    """``title`` on one line, without characters that cannot be printed."""
    return " ".join("".join(char if char.isprintable() else " " for char in title).split())


def languages_of(texts: Iterable[str]) -> tuple[str, ...]:
    """zh, en or both: those that the name and the words are written in."""
    words = list(texts)
    has_chinese = any(map(has_cjk, words))
    has_latin = any(re.search("[A-Za-z]{2}", word) for word in words)
    return tuple(code for code, is_there in (("zh", has_chinese), ("en", has_latin)) if is_there) or ("zh",)


def terms_of(title: str, learned: Mapping[str, float]) -> dict[str, float]:
    """The name first, then the words that were learned, with weights up to 10; none without learned words."""
    if not learned:
        return {}
    strongest = max(learned.values())
    # the name outweighs the heaviest word of the texts, for texts are about other things too
    words = {word: max(0.1, round(8.0 * weight / strongest, 1)) for word, weight in learned.items()}
    named = {title: 10.0} if len(title) <= MAX_WORD else {}
    return named | {word: weight for word, weight in words.items() if normalise(word) != normalise(title)}


def topic_yaml(draft: Draft) -> str:
    """The file's text, with comments on how to change it; topic.schema reads it without an error."""
    language = draft.languages[0] if len(draft.languages) == 1 else f"[{', '.join(draft.languages)}]"
    lines = [
        "# What each key means: docs/topics.md. After a change: scrapy topics check, scrapy topics show.",
        f"name: {_text(draft.name)}",
        f"title: {{{'zh' if has_cjk(draft.title) else 'en'}: {_text(draft.title)}}}",
        "scope: broad  # or specific: fewer pages, surer ones",
        f"language: {language}",
        "",
        *_terms_lines(draft),
        "",
        *_near_lines(draft),
    ]
    if draft.seeds:
        lines += ["", "seeds:", *(f"  - {_text(seed)}" for seed in draft.seeds)]
    else:
        lines += ["", "# Where a crawl begins (or give it -a seeds=URL,URL):", "# seeds:", "#   - https://example.com/"]
    return "\n".join(lines) + "\n"


def _terms_lines(draft: Draft) -> list[str]:
    if not draft.terms:
        return [
            "# Words that say that a page is on the topic, with weights; only their proportions count. Ten to forty are better than the",
            "# title alone, which takes their place while there are none:",
            "# terms:",
            f"#   {_text(draft.title)}: 10",
        ]
    about = f"# Learned from {draft.learned_from} texts. Delete what does not belong here; only the proportions of the weights count."
    return [about, "terms:", *(f"  {_text(word)}: {weight:g}" for word, weight in draft.terms.items())]


def _near_lines(draft: Draft) -> list[str]:
    about = [
        "# Words near the topic (found among the word vectors), with weights from 0 to 1: how sure they are. Change a weight, or set it to 0:",
        "# the word is left out then. Without the key `near` they are found anew.",
    ]
    shown = list(draft.near.items())[:60]
    if not shown:
        return [*about, "# near: {}"]
    return [*about, "near:", *(f"  {_text(word)}: {near.weight:g}  # {near.of}" for word, near in shown)]


def _text(text: str) -> str:
    """``text`` as YAML; in quotes wherever it might be read as something else."""
    if _BARE.fullmatch(text) and text.casefold() not in _NOT_BARE:
        return text
    return "'" + text.replace("'", "''") + "'"
