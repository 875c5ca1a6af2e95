"""The leases that this process believes to hold, by node: what it renews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from topicspider.frontier.protocol import Completion, Entry, Lease, Work


class HeldLeases:
    """Hosts with the token and the URLs of their lease.

    Leases are renewed one by one, by token: one whose grant never arrived here must not live on.
    """

    def __init__(self) -> None:
        self._held: dict[str, dict[str, tuple[int, dict[int, Entry]]]] = {}

    def of(self, node: str) -> list[tuple[str, int]]:
        """Hosts with their tokens."""
        return [(host, token) for host, (token, _) in self._held.get(node, {}).items()]

    def has(self, host: str, token: int) -> bool:
        """Whether a node of this process holds that lease."""
        return any(mine.get(host, (None,))[0] == token for mine in self._held.values())

    def has_host(self, host: str) -> bool:
        """Whether a node of this process holds any lease of ``host``; other threads may ask."""
        return any(host in mine for mine in list(self._held.values()))

    def without(self, node: str, completions: Iterable[Completion]) -> list[tuple[str, int]]:
        """Hosts with their tokens, but for those whose last URL is among ``completions``."""
        ended: dict[str, set[int]] = {}
        for one in completions:
            ended.setdefault(one.host, set()).add(one.fingerprint)
        held = self._held.get(node, {})
        return [(host, token) for host, (token, urls) in held.items() if not urls.keys() <= ended.get(host, set())]

    def take(self, node: str, leases: Sequence[Lease]) -> None:
        """These were granted to ``node``."""
        mine = self._held.setdefault(node, {})
        for lease in leases:
            mine[lease.host] = (lease.token, {entry.fingerprint: entry for entry in lease.entries})

    def finish(self, completions: Iterable[Completion]) -> None:
        """These URLs have been completed."""
        for one in completions:
            for mine in self._held.values():
                token, urls = mine.get(one.host, (0, {}))
                if token == one.token:
                    urls.pop(one.fingerprint, None)
                    if not urls:
                        del mine[one.host]

    def lasting(self, work: Work) -> Work:
        """What of ``work`` has to be told again should the server forget it, with the URLs that were completed: it may
        have forgotten them, too. What others were granted meanwhile is not completed by us."""
        done = [(one, entry) for one in work.completions if (entry := self._entry(one)) is not None]
        return Work([one for one, _ in done], [*(entry for _, entry in done), *work.entries], timings=work.timings)

    def _entry(self, one: Completion) -> Entry | None:
        leases = (mine[one.host] for mine in self._held.values() if one.host in mine)
        return next((urls.get(one.fingerprint) for token, urls in leases if token == one.token), None)

    def lost(self, node: str, hosts: Iterable[str]) -> None:
        """Their leases are over."""
        for host in hosts:
            self._held.get(node, {}).pop(host, None)

    def clear(self) -> None:
        """Nothing is held."""
        self._held.clear()
