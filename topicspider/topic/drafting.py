"""Drafts a topic file, as YAML for people to edit, from a name and, if there are any, from sample texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from topicspider.errors import ConfigError, one_line
from topicspider.i18n import N_, as_typed, locale_language
from topicspider.i18n import gettext as _
from topicspider.text.language import LANGUAGES, language_of_name
from topicspider.text.normalise import has_cjk, normalise
from topicspider.text.segment import MAX_WORD
from topicspider.topic.profile import NearWord, Topic
from topicspider.topic.schema import is_name

LONGEST_TITLE = 200
_SIGNS = re.compile(r"(?<=\w)[+#]+")  # C, C++ and C# are different names
_NO_NAME = re.compile(r"[^\w-]+")
# text that every version of YAML reads as a string without quotes
_BARE = re.compile(r"[^\W\d_][\w]*")
_SAME_KEYS = ("name", "scope", "terms", "synonyms", "negative", "near", "texts", "seeds", "hubs")
_NOT_BARE = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def file_name(name: str) -> str:
    """A topic's name as a file name: 茶叶, ai_芯片 for "AI 芯片", c_plus_plus for C++; ConfigError when nothing is left or it is too long."""
    named = _SIGNS.sub(lambda signs: signs[0].replace("+", " plus ").replace("#", " sharp "), normalise(name))
    slug = _NO_NAME.sub("_", named).strip("_-")[:64].strip("_-")
    if not is_name(slug) or len(name) > LONGEST_TITLE:
        words = N_("a name of 1 to {longest_title} characters with a letter or digit in it")
        raise ConfigError("topic", name, _(words, longest_title=LONGEST_TITLE))
    return slug


def draft(
    name: str, title: str, learned: Mapping[str, float], seeds: tuple[str, ...] = (), language: str = "en"
) -> Topic:
    """The topic of a title and its learned words: as terms, the title weighs 10 and the words at most 8.

    ``language``: that of the texts, where their script does not tell it. A name alone in Latin letters may be in the user's language or in
    English: the topic then has both languages, and so the word forms and starting points of both.
    """
    title = one_line(title, len(title))
    strongest = max(learned.values(), default=1.0)
    # the title outweighs the heaviest word of the texts, as texts are also about other things
    words = {word: max(0.1, round(8.0 * weight / strongest, 1)) for word, weight in learned.items()}
    terms = {title: 10.0} if words and len(title) <= MAX_WORD else {}
    terms |= {word: weight for word, weight in words.items() if normalise(word) != normalise(title)}
    own, languages = language_of_name(title), _languages_of([title, *terms])
    spoken = locale_language()
    latin = [spoken, language] if not learned and spoken in {*LANGUAGES} - {"zh", language} else [language]
    spread = tuple(dict.fromkeys(one for code in languages for one in (latin if code == "en" else [code])))
    titles = dict.fromkeys(latin if own == "en" else [own], title)
    return Topic(name, titles, languages=spread, terms=terms, seeds=seeds)


def _languages_of(words: Iterable[str]) -> tuple[str, ...]:
    """The languages that the words are written in: zh, en or both, or that of another script."""
    text = " ".join(words)
    own = language_of_name(text)
    found = {own: own != "en", "zh": own != "ja" and has_cjk(text), "en": re.search("[A-Za-z]{2}", text) is not None}
    return tuple(code for code, is_there in found.items() if is_there) or ("zh",)


def topic_text(topic: Topic) -> str:
    """The content of a topic file for an equal topic (JSON is also YAML); without terms, texts and title, the name becomes the title."""
    thresholds = {
        "page": topic.page_thresholds or topic.page_threshold,
        "link": topic.link_thresholds or topic.link_threshold,
    }
    limits = asdict(topic.limits) | {"newer_than": topic.limits.newer_than and str(topic.limits.newer_than)}
    keys: dict[str, Any] = {
        **{name: getattr(topic, name) for name in _SAME_KEYS},
        "class": topic.clc,
        "language": topic.languages,
        "title": topic.title or (not (topic.terms or topic.texts) and topic.name.replace("_", " ")),
        "thresholds": {kind: given for kind, given in thresholds.items() if given not in (None, {})},
        "limits": {name: limit for name, limit in limits.items() if limit},
    }
    return json.dumps({key: value for key, value in keys.items() if value}, ensure_ascii=False)


def topic_yaml(topic: Topic, near: Mapping[str, NearWord], learned_from: int = 0) -> str:
    """The text of a topic file, with comments on how to edit it; topic.schema reads it without errors."""
    title = next(iter(topic.title.values()))
    titles = ", ".join(f"{code}: {_text(title)}" for code in topic.title)
    terms = [f"{_text(word)}: {weight:g}" for word, weight in topic.terms.items()]
    words = [f"{_text(word)}: {one.weight:g}  # {one.of}" for word, one in list(near.items())[:60]]
    whence = _("Learned from {texts} texts: delete what does not belong here.", texts=learned_from)
    lines = [
        as_typed(_("# What each key means: docs/topics.md. After a change: scrapy topics check, scrapy topics show.")),
        f"name: {_text(topic.name)}",
        f"title: {{{titles}}}",
        *([f"class: {_text(topic.clc)}"] if topic.clc else []),
        "scope: broad  # " + _("or specific: fewer pages, surer ones"),
        f"language: [{', '.join(topic.languages)}]",
        "",
        _(
            "# Words that say that a page is on the topic, with weights; only their proportions count. Ten to forty are better than the title\n"
            "# alone, which takes their place while there are none."
        )
        + (f" {whence}" if learned_from else ""),
        *_block("terms", terms, f"{_text(title)}: 10"),
        "",
        _(
            "# Words near the topic (found among the word vectors), with weights from 0 to 1: how sure they are. Change a weight, or set it to 0:\n"
            "# the word is left out then. Without the key `near` they are found anew."
        ),
        *_block("near", words, "WORD: 0.5"),
        "",
        _("# Where a crawl begins (or give it -a seeds=URL,URL):"),
        *_block("seeds", [f"- {_text(seed)}" for seed in topic.seeds], "- https://example.com/"),
    ]
    return "\n".join(lines) + "\n"


def _block(key: str, lines: list[str], example: str) -> list[str]:
    """The key with its lines; without lines, a comment that shows an example."""
    return [f"{key}:", *(f"  {line}" for line in lines)] if lines else [f"# {key}:", f"#   {example}"]


def _text(text: str) -> str:
    """``text`` as a YAML scalar, in quotes if it might be read as something else."""
    if _BARE.fullmatch(text) and text.casefold() not in _NOT_BARE:
        return text
    return "'" + text.replace("'", "''") + "'"
