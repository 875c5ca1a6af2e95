"""The hosts that asked not to be crawled."""

from __future__ import annotations

import re

from topicspider.errors import ConfigError
from topicspider.setting_rules import lines_of
from topicspider.url import canonical_host

_ALLOWED = "host names joined by commas, or @FILE with one a line"
_DECORATION = re.compile(r"\A(?:https?://)?(?:\*?\.)?|(?::\d+)?(?:/.*)?\Z", re.IGNORECASE)


class DoNotCrawl:
    """A set of host names; each name covers its subdomains, too."""

    def __init__(self, hosts: frozenset[str] = frozenset()) -> None:
        self._hosts = hosts

    @classmethod
    def read(cls, setting: str, value: str) -> DoNotCrawl:
        """Parse ``value``; raises ConfigError for an invalid host name, or a file that cannot be read.

        An entry may be a whole URL, or have a port or a leading ``*.``; blank lines and # comments are skipped.
        """
        hosts = set()
        for entry in lines_of(setting, value, _ALLOWED):
            is_ipv6 = entry.startswith("[")
            host = canonical_host(entry.partition("]")[0] + "]" if is_ipv6 else _DECORATION.sub("", entry))
            if not host:
                raise ConfigError(setting, entry, _ALLOWED)
            hosts.add(host)
        return cls(frozenset(hosts))

    def covers(self, host: str) -> bool:
        """True when ``host`` (a name without a port) or a domain above it is in the list."""
        name = canonical_host(host) if self._hosts else ""
        while name:
            if name in self._hosts:
                return True
            name = "" if name.startswith("[") else name.partition(".")[2]
        return False
