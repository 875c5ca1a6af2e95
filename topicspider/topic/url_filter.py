"""What keeps a link out before it is judged: its topic's limits of depth and hosts ((a) Li 2002, filter by limits), and traps."""

from __future__ import annotations

from datetime import UTC, datetime

from topicspider.defaults import Options, setting_name
from topicspider.errors import ConfigError
from topicspider.topic.profile import Limits
from topicspider.url.host import host_of
from topicspider.url.traps import RULES, Traps


class UrlFilter:
    """Whether a crawl may follow a link at all."""

    def __init__(self, limits: Limits | None = None, traps: Traps | None = None) -> None:
        self._limits = Limits() if limits is None else limits
        self._traps = traps

    def reject_reason(self, url: str, depth: int) -> str:
        """The short reason why the link to the canonical ``url``, ``depth`` links from a seed, is not followed; "" when it may be."""
        limits = self._limits
        if limits.depth is not None and depth > limits.depth:
            return "depth"
        if limits.deny_hosts or limits.allow_hosts:
            host = host_of(url)
            if limits.deny_hosts and _covers(limits.deny_hosts, host):
                return "host_denied"
            if limits.allow_hosts and not _covers(limits.allow_hosts, host):
                return "host_not_allowed"
        return "" if self._traps is None else self._traps.reason(url)


def traps_from_options(options: Options) -> Traps:
    """The traps that the setting names; raises ConfigError for a name that is none."""
    named = [name.strip() for name in options.traps.split(",") if name.strip()]
    rules = {"all": RULES, "none": ()}.get(options.traps.strip(), named)
    if not named or not set(rules) <= set(RULES):
        raise ConfigError(setting_name("traps"), options.traps, f"all, none, or some of {', '.join(RULES)}")
    return Traps(datetime.now(UTC).year, frozenset(rules))


def _covers(entries: tuple[str, ...], host: str) -> bool:
    """An entry covers the host itself with all its subdomains."""
    return any(host == entry or host.endswith("." + entry) for entry in entries)
