"""Which part of a crawl that is spread over several Redis a host belongs to, and what of a Work each part is told."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b

from topicspider.frontier.ordering import clean_text
from topicspider.frontier.protocol import Completion, Entry, HostTiming, Work

_REMEMBERED = 100_000  # links whose part is known without their host; others are told to every part


@lru_cache(20_000)
def part_of(host: str, count: int) -> int:
    """The part that has all of ``host``: by its name alone, so every node says the same, whatever its seed."""
    digest = blake2b(clean_text(host).encode(), digest_size=8, person=b"part")
    return int.from_bytes(digest.digest(), "big") % count


def outer_token(token: int, part: int, count: int) -> int:
    """A lease's token among all parts: each part counts for itself."""
    return token * count + part


def inner_token(token: int, part: int, count: int) -> int | None:
    """The token as the part gave it; None when it is of another one."""
    inner, of = divmod(token, count)
    return inner if of == part else None


@dataclass(slots=True)
class Share:
    """What one part is told. ``ends`` only once all links of the same flush are durable, each in its own part (F1)."""

    entries: list[Entry] = field(default_factory=list)
    promotions: list[tuple[int, float]] = field(default_factory=list)
    revisions: list[tuple[int, float]] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)
    timings: dict[str, HostTiming] = field(default_factory=dict)

    @property
    def has_links(self) -> bool:
        """Whether it says anything of links."""
        return bool(self.entries or self.promotions or self.revisions)

    @property
    def has_ends(self) -> bool:
        """Whether it says what became of fetches."""
        return bool(self.completions or self.timings)

    def links(self) -> Work:
        """What it says of links."""
        return Work((), self.entries, self.promotions, self.revisions)

    def ends(self) -> Work:
        """What it says of fetches."""
        return Work(self.completions, timings=self.timings)

    def whole(self) -> Work:
        """Both."""
        return Work(self.completions, self.entries, self.promotions, self.revisions, self.timings)


class Divider:
    """Divides Work among ``count`` parts; remembers where the links are that it has seen of late."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._homes: OrderedDict[int, int] = OrderedDict()

    def shares(self, work: Work) -> list[Share]:
        """What each part is told; a completion with the token of another part is nobody's."""
        shares = [Share() for _ in range(self._count)]
        for entry in work.entries:
            part = part_of(entry.host, self._count)
            self._remember(entry.fingerprint, part)
            shares[part].entries.append(entry)
        for one in work.completions:
            part = part_of(one.host, self._count)
            token = inner_token(one.token, part, self._count)
            if token is not None:
                shares[part].completions.append(replace(one, token=token))
        for host, timing in (work.timings or {}).items():
            shares[part_of(host, self._count)].timings[host] = timing
        for rise in work.promotions:
            for share in self._of_link(rise[0], shares):
                share.promotions.append(rise)
        for revision in work.revisions:
            for share in self._of_link(revision[0], shares):
                share.revisions.append(revision)
        return shares

    def _of_link(self, fingerprint: int, shares: Sequence[Share]) -> Iterable[Share]:
        """A part that does not have the link takes no harm from news of it."""
        home = self._homes.get(fingerprint)
        return shares if home is None else (shares[home],)

    def _remember(self, fingerprint: int, part: int) -> None:
        self._homes[fingerprint] = part
        if len(self._homes) > _REMEMBERED:
            self._homes.popitem(last=False)
