"""What one action of ``scrapy frontier`` is, and what it gets to work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicspider.politeness.planning import Delays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topicspider.frontier.inspection import Inspection
    from topicspider.steering.rejudging import Judging


@dataclass(frozen=True, slots=True)
class QueueDesk:
    """``crawl`` names the queue; ``revives`` and ``merges``: whether --revive and --merge were given.

    ``look_at`` opens a queue by its name ("" is this one), also beside its crawl; ``own`` does so for those who must be alone, and
    makes one that is not there; ``judging`` is how the crawl's topics judge now, with one line about the model; ``delays`` are the rests that
    hosts get at least.
    """

    crawl: str
    chinese: bool
    columns: int
    revives: bool
    merges: bool
    look_at: Callable[[str], Inspection]
    own: Callable[[str], Inspection]
    judging: Callable[[], tuple[Judging, str]]
    delays: Delays = Delays(10.0, 1.0, 60.0)  # noqa: RUF009 - frozen

    def look(self) -> Inspection:
        """This queue, also beside its crawl."""
        return self.look_at("")

    def words(self, chinese: str, english: str) -> str:
        """The one that the reader understands."""
        return chinese if self.chinese else english


@dataclass(frozen=True, slots=True)
class Told:
    """What an action has to say: as plain data, and as lines for a reader; ``lines`` are written when they are asked for."""

    data: Any = None
    text: str = ""
    lines: Iterator[str] | None = None


@dataclass(frozen=True, slots=True)
class QueueAction:
    """``scrapy frontier NAME …``. ``wanted``: what is wrong with the arguments ("" when nothing is); ``run`` may raise TopicSpiderError."""

    name: str
    syntax: str
    about: str
    wanted: Callable[[Sequence[str]], str]
    run: Callable[[Sequence[str], QueueDesk], Told]


def at_most_a_number(name: str) -> Callable[[Sequence[str]], str]:
    """The arguments are none, or one number above 0."""

    def wanted(args: Sequence[str]) -> str:
        good = not args or (len(args) == 1 and args[0].isascii() and args[0].isdigit() and int(args[0]) > 0)
        return "" if good else f"{name} takes a number of lines: {' '.join(args)}"

    return wanted
