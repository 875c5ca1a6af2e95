"""What an archived web answers to a URL, read and cut into words already, and its coding as few bytes."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from topicspider.errors import RecordingError
from topicspider.page.links import Link

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from topicspider.rehearsal.phrase import Phrase

_Value = TypeVar("_Value")
CODEC = 3
"""The first byte of a page's features; the rest is zlib (level 1) of a JSON array."""

_SEPARATOR = "\x1f"  # joins words: hardly any has it, and where one does they stand in a list
_TEXTS = [field.name for field in fields(Link) if field.type == "str"]
_NUMBERS = [field.name for field in fields(Link) if field.type in ("int", "bool")]
LARGEST = 32 << 20
"""Bytes of a page's features, unpacked. No page of a crawl has so many: with the usual 2,000 links, URLs are at most 4 MB, and words,
anchors and headings, all cut from at most 1.5 million characters, some 12 MB."""


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """All that judging asks of a page (see evaluation.ReadPage), and what a report shows of it.

    ``condition``: why it is no page at all ("" for a page). ``simhash``: 64 bits, signed, alike for near-duplicates; 0 when the
    body is too short to tell.
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

    @property
    def targets(self) -> list[str]:
        """Where it leads: the links of a page, or a redirect's target."""
        if self.features is None:
            return [self.target] if self.target else []
        return [link.url for link in self.features.links]


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """One answer of a finished or running crawl, with what the crawl made of it; ``scores``: JSON of topic to score."""

    answer: Answer
    score: float = 0.0
    on_topic: bool = False
    depth: int = 0
    referrer: str = ""
    outcome: str = ""
    scores: str = "{}"


class ArchivedWeb(Protocol):
    """A web whose pages are read at most once, whoever asks, in whatever process; then they come from a cache."""

    name: str
    """What the user called it, for reports."""

    digest: str
    """Changes when any answer of the web may have changed (its file, its synthetic spec, the version of our reading)."""

    is_whole: bool
    """True when every page was read before the first crawl, so that ``graph`` is there; large synthetic webs are not."""

    notes: Sequence[Phrase]
    """What who reads the results must know of the pages that are missing; mostly none."""

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


def encode_features(features: PageFeatures) -> bytes:
    """``features`` as bytes; ``decode_features`` gives the same again. Texts that links share stand once, in a table."""
    table: dict[str, int] = {}
    texts = [[table.setdefault(getattr(link, name), len(table)) for link in features.links] for name in _TEXTS]
    numbers = [[int(getattr(link, name)) for link in features.links] for name in _NUMBERS]
    data = [
        features.title,
        _joined(features.title_words),
        _joined(features.body_words),
        features.published,
        sorted(features.robots),
        features.simhash,
        features.condition,
        _joined(table),
        texts,
        numbers,
    ]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return bytes([CODEC]) + zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def decode_features(data: bytes) -> PageFeatures:
    """What ``encode_features`` was given; raises RecordingError for bytes it never made."""
    try:
        title, title_words, body_words, published, robots, simhash, condition, table, texts, numbers = _unpack(data)
        _only(str, [title, published, condition, *robots])
        _only(int, [simhash])
        words = tuple(_texts(title_words)), tuple(_texts(body_words))
        links = _links(_texts(table), texts, numbers)
        return PageFeatures(title, *words, links, published, frozenset(robots), simhash, condition)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
        raise RecordingError(f"a page's features are damaged: {error}") from None


def _links(table: list[str], texts: Any, numbers: Any) -> tuple[Link, ...]:
    if len(texts) != len(_TEXTS) or len(numbers) != len(_NUMBERS):
        raise ValueError("their links are of another version")
    columns = [[table[at] for at in _only(int, column)] for column in texts]
    columns += [_only(int, column) for column in numbers]
    names = [*_TEXTS, *_NUMBERS]
    is_flag = [field.type == "bool" for field in fields(Link)]
    in_order = [columns[names.index(field.name)] for field in fields(Link)]
    in_order = [list(map(bool, column)) if flag else column for column, flag in zip(in_order, is_flag, strict=True)]
    return tuple(Link(*values) for values in zip(*in_order, strict=True))


def _unpack(data: bytes) -> list[Any]:
    if not data or data[0] != CODEC:
        raise ValueError(f"they begin with {data[:1]!r}, not with {CODEC}")
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(data[1:], LARGEST)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not inflate.eof:
        raise ValueError(
            "they end too early" if len(text) < LARGEST else f"unpacked they have more than {LARGEST:,} bytes"
        )
    return list(json.loads(text.decode("utf-8", "surrogatepass")))


def _joined(words: Iterable[str]) -> str | list[str]:
    words = list(words)
    text = _SEPARATOR.join(words)
    return text if words and text.count(_SEPARATOR) == len(words) - 1 else words


def _texts(words: str | list[str]) -> list[str]:
    return words.split(_SEPARATOR) if isinstance(words, str) else _only(str, words)


def _only(kind: type[_Value], values: list[_Value]) -> list[_Value]:
    """``values``, when all are of this kind; a file of somebody else may hold any JSON."""
    if not isinstance(values, list) or not set(map(type, values)) <= {kind}:
        raise ValueError(f"{kind.__name__} was expected")
    return values
