"""What a web at rest answers to a URL, read and cut into words already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.page.links.link import Link
    from topicspider.rehearsal.phrase import Phrase


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """All that judging asks of a page (see judging.ReadPage), and what a report shows of it.

    ``condition``: why it is no page at all ("" for a page). ``simhash``: 64 bits, signed, alike for near-duplicates; 0 when the body is too short to tell.
    """

    title: str = ""
    title_words: tuple[str, ...] = ()
    body_words: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    published: str = ""
    robots: AbstractSet[str] = frozenset()
    simhash: int = 0
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of ``url`` (canonical).

    A page has ``features``; a redirect (by HTTP or by meta refresh) has ``target``, canonical. Neither: a dead link, a
    file that is no markup, an error; ``status`` 0 when nothing at all answered. ``seconds``: how long the
    download took when it was recorded, None when that is not known.
    """

    url: str
    status: int = 0
    features: PageFeatures | None = None
    target: str = ""
    seconds: float | None = None

    @property
    def is_page(self) -> bool:
        """Whether a crawl would take it for a page."""
        return self.features is not None and not self.features.condition


@dataclass(frozen=True, slots=True)
class LoggedLink:
    """What a crawl once thought of a link of a page: its value, and why it was pruned ("" when it was not)."""

    value: float
    pruned: str = ""


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """One answer of a finished or running crawl, with its verdicts: ``links`` in the order of the page's links."""

    answer: Answer
    score: float = 0.0
    on_topic: bool = False
    depth: int = 0
    referrer: str = ""
    outcome: str = ""
    links: Sequence[LoggedLink] = field(default=())


class ArchivedWeb(Protocol):
    """A web whose pages are read at most once, whoever asks, in whatever process; then they come from a cache."""

    name: str
    """What the user called it, for reports."""

    digest: str
    """Changes when any answer of the web may have changed (its file, its made spec, the version of our reading)."""

    is_whole: bool
    """True when every page was read before the first crawl, so that ``graph`` is there; large made webs are not."""

    notes: Sequence[Phrase]
    """What who reads the results must know of the pages that are missing: sentences, mostly none."""

    def answer(self, url: str) -> Answer:
        """The answer of a canonical URL; an Answer of status 0 when the web does not have it. Never raises for a bad page."""

    def robots(self, host: str) -> bytes | None:
        """The body of the robots.txt of ``host`` (as url.host.host_key gives it); None when it has none."""

    def graph(self) -> Mapping[int, array[int]]:
        """Fingerprint of every page to those of its link targets, in page order, with repeats; a redirect has its one target.

        Empty when the web is not whole.
        """

    def start_pages(self) -> Sequence[str]:
        """Where a crawl of this web starts when nobody says; canonical, never empty."""

    def urls(self) -> Iterator[str]:
        """Every URL that answers with something, canonical."""

    def __len__(self) -> int:
        """About how many pages there are."""

    def close(self) -> None:
        """Give files back."""
