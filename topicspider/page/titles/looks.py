"""How text looks, by style attributes, simple style sheets and the tags themselves: size, weight, place and colour."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Block, Container, Reading

MAX_RULES = 500
_MAX_SELECTORS = 8
_MAX_DECLARATIONS = 20
_MAX_ANCESTORS = 40
_MAX_STEPS = 50_000
_STYLE_STEPS = 10
_LARGEST = 200.0
_PLAIN_SIZE = 16.0
_KEYWORDS = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
}
_FONT_SIZES = (10.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_HEADING_EMS = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67}
_PIXELS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "rem": _PLAIN_SIZE, "mm": 3.78, "cm": 37.8, "in": 96.0}
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d{0,4})?|\.\d{1,4})(px|pt|pc|rem|em|ex|%|mm|cm|in|vw)")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)")
_SAID = ("font", "text-align", "color")


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a text: ``size`` in pixels, ``color`` as the page writes it ("" for the plain one)."""

    size: float = _PLAIN_SIZE
    is_bold: bool = False
    is_centred: bool = False
    color: str = ""


_Compound = tuple[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Rule:
    """Declarations for what matches ``own`` below what matches ``above``, nearest last; ``rank`` is CSS's specificity, then order."""

    own: _Compound
    above: tuple[_Compound, ...]
    rank: tuple[int, int, int]
    declarations: str


class Looks:
    """The looks of one page's blocks, each container's computed once and only when a block in it is asked for.

    Style sheets are read as far as selectors are made of tags, classes, ids and descent; class and id are told apart no further than
    the walk does. At most MAX_RULES rules are read, of which a container asks those with its own names; after _MAX_STEPS comparisons
    (a hundred times those of ordinary pages) what is left looks like what is around it.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._known: dict[int, Look] = {}
        self._left = _MAX_STEPS

    def of(self, block: Block) -> Look:
        """The look that the text of ``block`` begins with."""
        look = self._of_container(block.container)
        return _styled(look, block.style) if block.style else look

    def _of_container(self, index: int) -> Look:
        chain: list[int] = []
        while index >= 0 and index not in self._known:
            chain.append(index)
            index = self._reading.containers[index].parent
        look = self._known[index] if index >= 0 else Look()
        for own in reversed(chain):
            look = self._known[own] = self._below(look, own)
        return look

    def _below(self, look: Look, index: int) -> Look:
        self._left -= 1
        if self._left <= 0:
            return look
        container = self._reading.containers[index]
        look = _tagged(look, container.tag)
        for rule in sorted(self._matching(container), key=lambda rule: rule.rank):
            look = _styled(look, rule.declarations)
            self._left -= _STYLE_STEPS
        self._left -= _STYLE_STEPS * bool(container.style)
        return _styled(look, container.style) if container.style else look

    def _matching(self, container: Container) -> list[_Rule]:
        names = container.names.split()[:10]
        found = [rule for key in (container.tag, *names) for rule in self._rules.get(key, ())]
        self._left -= len(found) // 8
        own = frozenset(names)
        return [rule for rule in found if rule.own[1] <= own and self._is_below(container, rule)]

    def _is_below(self, container: Container, rule: _Rule) -> bool:
        if rule.own[0] not in ("", "*", container.tag):
            return False
        self._left -= 1
        wanted = list(rule.above)
        index, left = container.parent, min(_MAX_ANCESTORS, self._left)
        while wanted and index >= 0 and left > 0:
            above = self._reading.containers[index]
            tag, names = wanted[-1]
            if tag in ("", "*", above.tag) and names <= frozenset(above.names.split()):
                wanted.pop()
            index, left = above.parent, left - 1
            self._left -= 1
        return not wanted

    @cached_property
    def _rules(self) -> dict[str, list[_Rule]]:
        """Rules by a class or id, else the tag, of what they are for."""
        rules: dict[str, list[_Rule]] = {}
        count = 0
        for sheet in self._reading.sheets:
            for chunk in _uncommented(sheet).split("}"):
                head, brace, declarations = chunk.rpartition("{")
                if not brace or count >= MAX_RULES or not any(word in declarations for word in _SAID):
                    continue
                for selector in head.rpartition("{")[2].split(",")[:_MAX_SELECTORS]:
                    count += 1
                    if rule := _rule(selector, declarations.lower(), count):
                        rules.setdefault(next(iter(sorted(rule.own[1])), rule.own[0]), []).append(rule)
        return rules


def _uncommented(sheet: str) -> str:
    first, *others = sheet.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)


def _rule(selector: str, declarations: str, order: int) -> _Rule | None:
    compounds = [_COMPOUND.fullmatch(word) for word in selector.replace(">", " ").split()[:_MAX_SELECTORS]]
    if not compounds or not all(compounds):
        return None
    read = [((found[1] or "").lower(), frozenset(re.findall(r"[\w-]+", found[2]))) for found in compounds if found]
    names = sum(len(names) for _tag, names in read)
    ids = selector.count("#")
    rank = (ids, names - ids, order)
    return _Rule(read[-1], tuple(read[:-1]), rank, declarations[:300])


def _tagged(look: Look, tag: str) -> Look:
    if tag in _HEADING_EMS:
        return replace(look, size=min(_LARGEST, look.size * _HEADING_EMS[tag]), is_bold=True)
    if tag == "center":
        return replace(look, is_centred=True)
    if tag == "th":
        return replace(look, is_bold=True, is_centred=True)
    if tag == "table":  # alignment is not handed on into tables
        return replace(look, is_centred=False)
    return look


def _styled(look: Look, style: str) -> Look:
    """``look`` changed by declarations, later ones last."""
    size, bold, centred, color = look.size, look.is_bold, look.is_centred, look.color
    for declaration in style.lower().split(";")[:_MAX_DECLARATIONS]:
        name, _colon, value = declaration.partition(":")
        name, value = name.strip(), value.replace("!important", "").strip()[:60]
        if name == "font-size":
            size = _sized(size, value)
        elif name == "font-weight":
            bold = value in ("bold", "bolder", "600", "700", "800", "900")
        elif name == "font":
            size, bold = _sized(size, value), "bold" in value
        elif name == "text-align":
            centred = value == "center"
        elif name == "color":
            color = value
    return Look(size, bold, centred, color)


def _sized(size: float, value: str) -> float:
    """``value`` in pixels, where ``size`` is that of the text around; ``size`` itself when it is none."""
    if value.startswith("size"):
        return _font_sized(size, value[4:].strip())
    if value in _KEYWORDS:
        return _KEYWORDS[value]
    if value in ("larger", "smaller"):
        return min(_LARGEST, size * 1.2) if value == "larger" else size / 1.2
    found = _LENGTH.search(value)
    if found is None:
        return size
    number, unit = float(found[1]), found[2]
    if unit == "vw":
        return size
    ratio = {"em": size, "ex": size / 2, "%": size / 100}.get(unit) or _PIXELS.get(unit, 1.0)
    return min(_LARGEST, max(1.0, number * ratio))


def _font_sized(size: float, value: str) -> float:
    """``<font size>``: 1 to 7, or that many steps more or less than 3."""
    digits = value.lstrip("+-")[:2]
    if not digits.isascii() or not digits.isdigit():
        return size
    steps = int(digits)
    if value[:1] in ("+", "-"):
        steps = 3 + (steps if value[0] == "+" else -steps)
    return _FONT_SIZES[min(7, max(1, steps))]
