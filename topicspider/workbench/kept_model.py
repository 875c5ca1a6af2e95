"""What a crawl has learned and kept, for judging outside of it: found, taken over, and named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicspider.errors import UnavailableError, one_line
from topicspider.steering.boards.open import open_board
from topicspider.steering.model_state import learners_of, unpack
from topicspider.store import location

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from topicspider.defaults import Options
    from topicspider.judging import TopicView


@dataclass(frozen=True, slots=True)
class KeptModel:
    """What is judged by. ``number``: of the crawl's newest model, 0 when there is none to take over; ``why``: a reason for that.

    ``versions``: "tourism.pages" to "3-f00ba4": how often the crawl fitted it, and a digest.
    """

    number: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    why: str = ""

    def words(self, *, chinese: bool) -> str:
        """One line for a reader; empty when nothing here learns."""
        if not self.versions:
            return ""
        if not self.number:
            why = f" ({self.why})" if self.why else ""
            return (
                f"没有爬行学到的模型可用，按抓第一页之前的标准判断{why}"
                if chinese
                else f"no crawl has learned anything for it: judged as before a first page{why}"
            )
        fits = {name: version.partition("-")[0] for name, version in self.versions.items()}
        in_chinese = {name.replace(".links", " 的链接").replace(".pages", " 的网页"): n for name, n in fits.items()}
        return (
            f"按爬行学到的第 {self.number} 版模型判断（{'，'.join(f'{name}学习 {n} 次' for name, n in in_chinese.items())}）"
            if chinese
            else f"judged by what its crawl has learned: model {self.number} ({', '.join(f'{name} fitted {n} times' for name, n in fits.items())})"
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"number": self.number, "versions": dict(self.versions), "why": self.why}


def take_over(views: Sequence[TopicView], options: Options, folder: Path, crawl: str) -> KeptModel:
    """Have ``views`` judge by the newest model of the crawl called ``crawl``, whose results are in ``folder``; nothing is written.

    A board that does not answer is no error: then they judge as before a first page, and the result says why.
    """
    if not any(learners_of(views)):
        return KeptModel()
    number, why = 0, ""
    try:
        state = _newest(options, folder, crawl)
        if state is not None:
            _mark, notes = unpack(views, state[1])
            number, why = (0, one_line(notes[0])) if notes else (state[0], "")
    except UnavailableError as error:
        why = one_line(str(error))
    return KeptModel(number, {f"{place.topic}.{place.part}": one.version for place, one in learners_of(views)}, why)


def _newest(options: Options, folder: Path, crawl: str) -> tuple[int, bytes] | None:
    path = folder / location.FILE
    if not (options.model or options.store) and not path.exists():
        return None
    board = open_board(options.model, options.store, path, crawl)
    try:
        published = board.latest()
    finally:
        board.close()
    return (published.number, published.state) if published else None
