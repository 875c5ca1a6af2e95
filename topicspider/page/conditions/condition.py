"""Recognises answers of status 200 that are no pages: soft 404s, captchas, login walls, pages that only a script fills.

Precision comes first: an article about captchas has a body, and is an article. A page is none only when it says so itself, in its title or
in one of its few sentences, and says hardly anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.conditions.words import (
    ABOUT,
    BLOCKED,
    BROKEN,
    CAPTCHA,
    LOGIN_NAME,
    LOGIN_WALL,
    MOUNT_TAGS,
    MOUNTS,
    NEEDS_SCRIPT,
    PARKED,
    REMARK,
    SOFT_NOT_FOUND,
)
from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading

CONDITIONS = (
    "soft_not_found", "captcha", "blocked", "login_wall", "needs_script", "soft_error", "parked", "empty"
)  # fmt: skip
_A_TEXT = 900
"""Bytes of running text (300 Chinese characters) that no page which is none has, whatever its title says."""
_FEW_WORDS = 600
"""Bytes outside links within which one sentence speaks for the page."""
_HARDLY_ANY = 200
_LONGEST_NAME = 60
_LONGEST_LINE = 160
_LINES = 12
_MANY_LINKS = 40
"""Links from which a page without a title that says otherwise is a list."""
_FEW_LINKS = 8
_QUOTED = re.compile(r"[\"“「『][^\"“”「」『』]{1,60}[\"”」』]")
"""What a sentence quotes, it does not say of its own page."""
_SEPARATORS = re.compile(r"\s[-|–—:·»«/]{1,2}\s|[|_—–:·»«\n!]")
_SPEAKING = (
    ("captcha", CAPTCHA),
    ("blocked", BLOCKED),
    ("soft_not_found", SOFT_NOT_FOUND),
    ("soft_error", BROKEN),
    ("parked", PARKED),
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Why a page is none: ``name`` (one of CONDITIONS, "" for a page that is one), and ``why``, the evidence."""

    name: str = ""
    why: str = ""


A_PAGE = Condition()


def condition_of(reading: Reading, title: str, body: str) -> Condition:
    """What is wrong with the page of ``reading``, whose title and running text are known; A_PAGE when it is one."""
    if len(body) > _A_TEXT or len(body.encode("utf-8", "ignore")) > _A_TEXT:
        return A_PAGE
    lines, said = _lines_of(reading)
    if said > 2 * _A_TEXT:
        return A_PAGE
    names, sentences = _names_of(reading, title), [normalise(line) for line in lines]
    return (
        _by_itself(title, names, sentences, said, len(reading.anchors))
        or _needs_script(reading, title, said)
        or _login(reading, names, sentences, said)
        or A_PAGE
    )


def _lines_of(reading: Reading) -> tuple[list[str], int]:
    """The first short lines outside links, and how many bytes stand outside links in all (counted as far as it matters)."""
    lines: list[str] = []
    said = 0
    for block in reading.blocks:
        text = reading.block_text(block)
        if block.linked * 2 > len(text):
            continue
        said += len(text.encode("utf-8", "ignore"))
        if said > 2 * _A_TEXT:
            break
        if len(lines) < _LINES and len(text) <= _LONGEST_LINE:
            lines.append(text)
    return lines, said


def _names_of(reading: Reading, title: str) -> list[str]:
    """What the page calls itself: the parts of its titles and of its first headings, folded."""
    texts = [reading.title[:300], title]
    texts += [reading.block_text(reading.blocks[at])[:_LONGEST_LINE] for at in reading.headings[:3]]
    parts = (part.strip(" .。…,，") for text in texts for part in _SEPARATORS.split(text))
    return [normalise(part) for part in dict.fromkeys(parts) if 0 < len(part) <= _LONGEST_NAME]


def _by_itself(title: str, names: list[str], sentences: list[str], said: int, links: int) -> Condition | None:
    """The page calls itself so, or says so, and its title does not make that its subject."""
    if ABOUT.search(normalise(title)):
        return None
    return _by_name(names, said, links) or _by_sentence(sentences, said, links)


def _by_name(names: list[str], said: int, links: int) -> Condition | None:
    """The words are most of a part of its title.

    Of the site's own pages only the one for dead links stands amid its menus; the others come bare.
    """
    is_bare = said <= _FEW_WORDS and links <= _MANY_LINKS
    for name in names:
        for kind, pattern in _SPEAKING:
            if (kind == "soft_not_found" or is_bare) and _covers(pattern, name):
                return Condition(kind, f"title: {name}")
    return None


def _covers(pattern: re.Pattern[str], name: str) -> bool:
    found = pattern.search(name)
    return found is not None and 5 * len(found[0]) >= 3 * len(name)


def _by_sentence(sentences: list[str], said: int, links: int) -> Condition | None:
    """One of few sentences says so."""
    if said > _FEW_WORDS or links > _MANY_LINKS:
        return None
    for sentence in sentences:
        for kind, pattern in _SPEAKING:
            if pattern.search(_QUOTED.sub("", sentence)) and 6 * len(sentence.encode("utf-8", "ignore")) >= said:
                return Condition(kind, f"text: {sentence}")
    return None


def _login(reading: Reading, names: list[str], sentences: list[str], said: int) -> Condition | None:
    """A form for a password, or a sentence that asks to log in, and nothing else to read."""
    links = len(reading.anchors)
    name = next((name for name in names if LOGIN_NAME.fullmatch(name)), "")
    sentence = next((text for text in sentences if LOGIN_WALL.search(text) and not REMARK.search(text)), "")
    if reading.passwords and said <= _FEW_WORDS and links <= _MANY_LINKS and (name or sentence):
        return Condition("login_wall", f"a password form, and: {name or sentence}")
    if reading.passwords and said <= _HARDLY_ANY and links <= _FEW_LINKS:
        return Condition("login_wall", "a password form, and hardly any text")
    if sentence and said <= _FEW_WORDS / 2 and links <= _MANY_LINKS:
        return Condition("login_wall", f"text: {sentence}")
    if name and said <= _HARDLY_ANY and links <= _FEW_LINKS:
        return Condition("login_wall", f"title: {name}")
    return None


def _needs_script(reading: Reading, title: str, said: int) -> Condition | None:
    """Hardly any text or links, and a script, a place for it to fill, or a word that asks for one."""
    links = len(reading.anchors)
    if said > _HARDLY_ANY or links > _FEW_LINKS or len(reading.text) > 2 * _HARDLY_ANY:
        return None
    asked = NEEDS_SCRIPT.search(normalise(f"{reading.text[:1000]}\n{reading.noscript}"))
    if asked and (reading.scripts or not links):
        return Condition("needs_script", f"text: {asked[0]}")
    if reading.scripts and (mount := _empty_mount(reading)):
        return Condition("needs_script", f"nothing in: {mount}")
    if reading.text.strip() or links:
        return None
    if reading.scripts:
        return Condition("needs_script", "scripts, and nothing else")
    return None if title or reading.meta else Condition("empty", "neither text, links nor scripts")


def _empty_mount(reading: Reading) -> str:
    """The name of an element that scripts fill, and that holds no text; "" when there is none."""
    filled = _containers_with_text(reading)
    for at, container in enumerate(reading.containers):
        names = container.names.lower().split()
        if at not in filled and (container.tag in MOUNT_TAGS or not MOUNTS.isdisjoint(names)):
            return next((name for name in names if name in MOUNTS), container.tag)
    return ""


def _containers_with_text(reading: Reading) -> set[int]:
    filled: set[int] = set()
    for block in reading.blocks:
        at = block.container
        while at >= 0 and at not in filled:
            filled.add(at)
            at = reading.containers[at].parent
    return filled
