"""Who may see the page: tokens, sessions, and a limit on guessing. Uses nothing of HTTP but the names of its headers."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from topicspider.errors import TopicSpiderError
from topicspider.i18n import N_
from topicspider.i18n import gettext as _

MOST_SESSIONS = 100
MOST_FAILURES = 5
FAILURE_SECONDS = 60.0
"""At most five wrong tokens a minute. Tokens have 192 bits: the limit is there to stop the noise, a lucky guess is hardly possible."""
ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - only compared with
SAME_ORIGIN = "same-origin"


class WrongToken(TopicSpiderError):
    """A wrong token, or one that is no longer valid."""


class TooManyFailures(TopicSpiderError):
    """Too many wrong tokens came from an address; after ``seconds`` a token is checked again."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(_("too many wrong tokens; try again in {seconds:.0f} s", seconds=seconds))


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that has logged in; each form of its pages contains ``csrf``."""

    key: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))
    csrf: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))


class Access:
    """The tokens and sessions of one server, in memory.

    1. The token in the printed link opens one session, once; ``token`` opens any number of sessions, and is what programs send.
    2. After MOST_FAILURES wrong tokens within a minute, no token from that address is checked until the minute is over, not even a
    right one. Open sessions go on.
    3. Nothing grows without bound: when there are too many sessions, the oldest one is closed.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(24)
        self.link_token = secrets.token_urlsafe(24)
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def log_in(self, token: str, address: str) -> Session:
        """A new session; raises WrongToken, TooManyFailures."""
        is_link = _equal(token, self.link_token)
        self._check(is_link or _equal(token, self.token), address)
        if is_link:
            self.link_token = ""
        session = Session()
        self._sessions[session.key] = session
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def session(self, key: str) -> Session | None:
        """The open session whose key a cookie has."""
        return self._sessions.get(key)

    def log_out(self, session: Session) -> None:
        self._sessions.pop(session.key, None)

    def check_bearer(self, authorization: str, address: str) -> None:
        """Returns if the Authorization header has the token; raises WrongToken, TooManyFailures."""
        scheme, _space, token = authorization.partition(" ")
        self._check(scheme.lower() == "bearer" and _equal(token.strip(), self.token), address)

    def _check(self, is_right: bool, address: str) -> None:
        now = self._clock()
        failures = self._failures.setdefault(address, deque(maxlen=MOST_FAILURES))
        self._failures.move_to_end(address)
        while failures and now - failures[0] >= FAILURE_SECONDS:
            failures.popleft()
        if len(failures) == MOST_FAILURES:
            raise TooManyFailures(FAILURE_SECONDS - (now - failures[0]))
        if not is_right:
            failures.append(now)
            if len(self._failures) > MOST_SESSIONS:
                self._failures.popitem(last=False)
            words = N_("a token is needed: open the link that `scrapy serve` printed; each link opens one browser")
            raise WrongToken(_(words))


def _equal(given: str, token: str) -> bool:
    """Compares in constant time, so that timing tells nothing; "" is no token."""
    return bool(token) and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def is_own_host(header: str, host: str, port: int) -> bool:
    """Whether the Host header names this server; pages of another site whose name leads here (DNS rebinding) send another name.

    On one address: that address, or localhost. On any address (0.0.0.0, ::): any IP address, which cannot be another site's name;
    localhost; or the name of this machine. Always with the port.
    """
    name, _colon, its_port = header.lower().rpartition(":")
    if its_port != str(port):
        return False
    name = name.removeprefix("[").removesuffix("]")
    if host in ANY_ADDRESS:
        with suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return name in ("localhost", socket.gethostname().lower())
    return name in (host.lower(), "localhost")


def is_own_origin(headers: Mapping[str, str], host: str) -> bool:
    """Whether a change comes from a page of ours, or from no page at all.

    Our pages send no referrer, so browsers send "null" as their origin. Then Sec-Fetch-Site, which no script can set, must say same-origin.
    """
    origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", SAME_ORIGIN)
    if origin == "null":
        return headers.get("Sec-Fetch-Site") == SAME_ORIGIN
    return origin in (None, f"http://{host}") and site in (SAME_ORIGIN, "none")
