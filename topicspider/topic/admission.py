"""Whether a topic's limits let a URL in: depth and hosts ((a) Li 2002, filter by limits)."""

from __future__ import annotations

from topicspider.topic.profile import Limits


def refusal(limits: Limits, host: str, depth: int) -> str:
    """The short reason why a link to ``host`` at ``depth`` is not followed; empty when it may be.

    A host entry covers the host itself with all its subdomains.
    """
    if limits.depth is not None and depth > limits.depth:
        return "depth"
    if limits.deny_hosts and _covers(limits.deny_hosts, host):
        return "host_denied"
    if limits.allow_hosts and not _covers(limits.allow_hosts, host):
        return "host_not_allowed"
    return ""


def _covers(entries: tuple[str, ...], host: str) -> bool:
    return any(host == entry or host.endswith("." + entry) for entry in entries)
