"""Finds the title by looking at the page, the rule of (a) Li 2002: the text above the first long paragraph that looks most like one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.titles.looks import Look, Looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.markup.reading import Block, Reading

MIN_PARAGRAPH = 150
"""Bytes, outside links, of a paragraph of the body at least: 50 Chinese characters or 25 English words."""
_MIN_LINE = 75
_MAX_PARAGRAPHS = 4
_MAX_ABOVE = 80
_MAX_LINE = 160
_OTHER_PARTS = frozenset({"nav", "aside", "footer", "comment"})
_NEAR = 0.004


@dataclass(frozen=True, slots=True)
class VisualTitle:
    """What looks most like a title: its text and look, and the look of the paragraph below it.

    ``text`` is ``line`` with the neighbour that belongs to it. ``is_repeated``: other lines look the same, as those of a list do.
    """

    text: str
    line: str
    look: Look
    paragraph: Look
    is_repeated: bool = False

    @property
    def stands_out(self) -> bool:
        """Whether its look alone makes it a title: clearly larger, or both bold and centred where the text is not."""
        look, plain = self.look, self.paragraph
        marked = look.is_bold > plain.is_bold and look.is_centred > plain.is_centred
        return look.size >= 1.15 * plain.size or marked


NOTHING = VisualTitle("", "", Look(), Look())


def visual_title_of(reading: Reading, zones: Sequence[str]) -> VisualTitle:
    """The paper's rule, in its three steps; NOTHING when there is no paragraph, or no text above it.

    1. The first paragraph at least as long as a minimum paragraph of the body. 2. Upwards from it, the text that looks most like a
    title by size, centring and colour; of equals the nearest. 3. The text before or after it that looks the same belongs to it, too.
    Where nothing above it stands out, the next few paragraphs are tried: a notice may stand above the title. Text in menus,
    sidebars and footers, links, and lines longer than a title are passed over.
    """
    looks = Looks(reading)
    best = NOTHING
    for first in paragraphs(reading, zones):
        found = _above(reading, zones, looks, first)
        if found.stands_out:
            return found
        best = best if best.text else found
    return best


def _above(reading: Reading, zones: Sequence[str], looks: Looks, first: int) -> VisualTitle:
    """Steps 2 and 3 for the paragraph that is block ``first``."""
    plain = looks.of(reading.blocks[first])
    best, best_score = -1, 0.0
    for distance, index in enumerate(range(first - 1, max(-1, first - 1 - _MAX_ABOVE), -1)):
        if _may_be_title(reading, zones, reading.blocks[index]):
            score = _likeness(looks.of(reading.blocks[index]), plain) - _NEAR * distance
            if best < 0 or score > best_score:
                best, best_score = index, score
    if best < 0:
        return NOTHING
    look = looks.of(reading.blocks[best])
    text = _with_neighbour(reading, zones, looks, best, first)
    line = reading.block_text(reading.blocks[best])
    return VisualTitle(text, line, look, plain, _is_repeated(reading, zones, looks, best))


def paragraphs(reading: Reading, zones: Sequence[str]) -> list[int]:
    """The first blocks of MIN_PARAGRAPH bytes, else the first of half as many."""
    long: list[int] = []
    shorter: list[int] = []
    for index, block in enumerate(reading.blocks):
        length = block.end - block.start - block.linked
        if length * 3 < _MIN_LINE or block.tag[:1] == "h" or _zone(zones, block) in _OTHER_PARTS:
            continue
        size = length * _bytes_a_character(reading.text[block.start : block.start + 50])
        if size >= MIN_PARAGRAPH:
            long.append(index)
            if len(long) == _MAX_PARAGRAPHS:
                break
        elif size >= _MIN_LINE and not shorter:
            shorter.append(index)
    return long or shorter


def _bytes_a_character(text: str) -> float:
    return len(text.encode("utf-8", "ignore")) / max(1, len(text))


def _may_be_title(reading: Reading, zones: Sequence[str], block: Block) -> bool:
    length = block.end - block.start
    if not 2 <= length <= _MAX_LINE or 2 * block.linked > length or _zone(zones, block) in _OTHER_PARTS:
        return False
    return any(letter.isalpha() for letter in reading.text[block.start : block.end])


def _likeness(look: Look, plain: Look) -> float:
    """Size counts most; centring, weight and colour count where the paragraph below does not have them."""
    marks = 0.3 * (look.is_centred > plain.is_centred) + 0.2 * (look.is_bold > plain.is_bold)
    return look.size / plain.size + marks + 0.2 * (look.color != plain.color)


def _with_neighbour(reading: Reading, zones: Sequence[str], looks: Looks, best: int, first: int) -> str:
    """The text at ``best`` with the one before or after it that looks the same and stands in the same element (a broken title)."""
    block = reading.blocks[best]
    for other, pair in ((best + 1, (best, best + 1)), (best - 1, (best - 1, best))):
        if not 0 <= other < first:
            continue
        near = reading.blocks[other]
        if (
            near.container == block.container
            and _may_be_title(reading, zones, near)
            and looks.of(near) == looks.of(block)
        ):
            return joined([reading.block_text(reading.blocks[index]) for index in pair])
    return reading.block_text(block)


def _is_repeated(reading: Reading, zones: Sequence[str], looks: Looks, best: int) -> bool:
    """Whether two other elements near it look the same, links included."""
    look, own = looks.of(reading.blocks[best]), reading.blocks[best].container
    near = reading.blocks[max(0, best - _MAX_ABOVE) : best + _MAX_ABOVE]
    others = [one for one in near if one.container != own and _zone(zones, one) not in _OTHER_PARTS]
    return sum(looks.of(one) == look for one in others) >= 2


def joined(lines: Sequence[str]) -> str:
    """Lines of one text as one line: with a space between words, without one between Chinese characters."""
    text = ""
    for line in (" ".join(line.split()) for line in lines):
        is_spaced = text and line and (text[-1].isascii() or line[0].isascii())
        text = f"{text} {line}" if is_spaced else text + line
    return text


def _zone(zones: Sequence[str], block: Block) -> str:
    return zones[block.container] if 0 <= block.container < len(zones) else "main"
