"""The login to one host, from the setting TOPICSPIDER_LOGIN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit

from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.url import host_key


@dataclass(frozen=True, slots=True)
class Login:
    """``url``: the page with the login form, without user and password in it."""

    url: str
    host: str
    user: str
    password: str

    @classmethod
    def read(cls, setting: str, value: str) -> Self | None:
        """Parse the setting; None for an empty value. The ConfigError for a wrong one does not quote it, because it may hold a password."""
        if not value:
            return None
        try:
            parts = urlsplit(value)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or not parts.username:
            raise ConfigError(setting, "…", _("https://USER:PASSWORD@HOST/PAGE, the page that has the form"))
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        return cls(url, host_key(url), unquote(parts.username), unquote(parts.password or ""))
