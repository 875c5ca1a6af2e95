"""Says how sure the body of a page is, from signs of its own extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:

    from topicspider.page.body import Choice
    from topicspider.page.reading import Reading

_ENOUGH = 1500
_A_PARAGRAPH = 200


def signs_of(reading: Reading, choice: Choice, body: str) -> dict[str, float]:
    """The signs, each in [0, 1]:

    ``share``: of the page's running text, how much the body has; ``main``: of the page's unlinked text, how much lies in no menu, sidebar or comment;
    ``unlinked``: of the body's text, how much is outside links; ``sentences``: of the body's text, how much stands in paragraphs, not in
    short lines; ``length``: of the body, up to 1,500 characters (Chinese ones are three); ``paragraph``: mean length of paragraphs, up to 200 bytes; ``kept``: of what was chosen, how much was not cut off as
    an ending; ``titled``: the heading that says the title stands above the body.
    """
    blocks = reading.blocks
    sizes = [block.end - block.start for block in blocks]
    chosen = choice.chosen
    worth = sum(choice.values)
    size = sum(sizes[index] for index in chosen)
    good = [choice.values[index] for index in chosen if choice.values[index] > 0]
    unlinked = [size - min(size, block.linked) for size, block in zip(sizes, blocks, strict=True)]
    main = sum(s for s, place in zip(unlinked, choice.places, strict=True) if place in ("main", "header"))
    return {
        "share": sum(good) / worth if worth else 0.0,
        "main": main / max(1, sum(unlinked)),
        "unlinked": sum(unlinked[index] for index in chosen) / max(1, size),
        "sentences": sum(sizes[index] for index in chosen if choice.values[index] > 0) / max(1, size),
        "length": min(1.0, len(body.encode("utf-8", "ignore")) / _ENOUGH),
        "paragraph": min(1.0, sum(good) / max(1, len(good)) / _A_PARAGRAPH),
        "kept": min(1.0, len(body) / max(1, size)),
        "titled": float(0 <= choice.titled <= (chosen[0] if chosen else -1)),
        "thread": float(choice.is_thread),
    }
