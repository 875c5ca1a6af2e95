"""Short names for every way a fetch can end, and which of them are worth another try."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How one fetch ended; a plain string wherever it is stored or shown."""

    PAGE = "page"
    LISTING = "listing"  # a sitemap or feed, read for its links
    EMPTY = "empty"  # 204, 205: an answer without a page
    REDIRECT = "redirect"
    NOT_MODIFIED = "not_modified"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CLIENT_ERROR = "client_error"  # any other 4xx
    TOO_MANY_REQUESTS = "too_many_requests"
    SERVER_ERROR = "server_error"
    TOO_LARGE = "too_large"
    WRONG_TYPE = "wrong_type"
    BAD_RESPONSE = "bad_response"  # not HTTP, or broken HTTP
    SOFT_NOT_FOUND = "soft_not_found"  # from here to PARKED: an answer, often 200, that is no page (page.condition)
    CAPTCHA = "captcha"
    BLOCKED = "blocked"
    LOGIN_WALL = "login_wall"
    NEEDS_SCRIPT = "needs_script"
    SOFT_ERROR = "soft_error"
    PARKED = "parked"
    DOCUMENT_DAMAGED = "document_damaged"  # page.documents.document explains each
    DOCUMENT_LOCKED = "document_locked"
    DOCUMENT_EMPTY = "document_empty"  # scanned
    DOCUMENT_LIMIT = "document_limit"
    DOCUMENT_UNREAD = "document_unread"
    UNREADABLE = "unreadable"  # each process that tried to read it died or hung
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    PAGE_TIMEOUT = "page_timeout"
    DNS = "dns"
    REFUSED = "refused"
    RESET = "reset"  # closed before the answer was complete
    TLS = "tls"
    # from here to TRAP: never requested
    BAD_URL = "bad_url"
    SCHEME = "scheme"
    PRIVATE_ADDRESS = "private_address"
    DO_NOT_CRAWL = "do_not_crawl"
    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    HOST_DOWN = "host_down"
    TRAP = "trap"  # similar pages have given nothing new for long
    POSTPONED = "postponed"  # its host must rest first; not counted as a try
    FILTERED = "filtered"  # another Scrapy component raised IgnoreRequest
    CALLBACK_ERROR = "callback_error"  # the page came, but a spider's callback raised
    ITEM_ERROR = "item_error"  # … or a pipeline raised
    FAILED = "failed"  # anything else


_UNREACHABLE = frozenset({Outcome.CONNECT_TIMEOUT, Outcome.DNS, Outcome.REFUSED, Outcome.TLS})
_REFUSALS = frozenset({Outcome.TOO_MANY_REQUESTS, Outcome.CAPTCHA, Outcome.BLOCKED, Outcome.SOFT_ERROR})
_MAY_RETRY = _REFUSALS | (_UNREACHABLE - {Outcome.TLS}) | {
    Outcome.SERVER_ERROR, Outcome.READ_TIMEOUT, Outcome.PAGE_TIMEOUT, Outcome.RESET, Outcome.ROBOTS_UNREACHABLE,
    Outcome.POSTPONED, Outcome.CALLBACK_ERROR, Outcome.ITEM_ERROR, Outcome.FAILED,
}  # fmt: skip

_STATUSES = {
    **dict.fromkeys((204, 205), Outcome.EMPTY),
    304: Outcome.NOT_MODIFIED,
    **dict.fromkeys((401, 403, 451), Outcome.FORBIDDEN),
    **dict.fromkeys((404, 410), Outcome.NOT_FOUND),
    408: Outcome.READ_TIMEOUT,
    429: Outcome.TOO_MANY_REQUESTS,
}
_STATUS_CLASSES = {2: Outcome.PAGE, 3: Outcome.REDIRECT, 4: Outcome.CLIENT_ERROR, 5: Outcome.SERVER_ERROR}

# By class name, so that this module imports none of the libraries: exceptions of Scrapy, Twisted (its default handler), aiohttp and Python.
_EXCEPTIONS = {
    name: outcome
    for outcome, names in {
        Outcome.TOO_LARGE: "_DecompressionMaxSizeExceeded DownloadCancelledError LineTooLong",
        Outcome.WRONG_TYPE: "StopDownload",
        Outcome.CONNECT_TIMEOUT: "ConnectionTimeoutError",
        Outcome.READ_TIMEOUT: "SocketTimeoutError",
        Outcome.PAGE_TIMEOUT: "DownloadTimeoutError TimeoutError",
        Outcome.DNS: "CannotResolveHostError ClientConnectorDNSError DNSLookupError gaierror",
        Outcome.TLS: "ClientSSLError ClientConnectorCertificateError SSLError",
        Outcome.REFUSED: "DownloadConnectionRefusedError ConnectionRefusedError ClientConnectorError",
        Outcome.RESET: "ResponseDataLossError ConnectionResetError ServerDisconnectedError ClientPayloadError ClientOSError"
        " ConnectionLost ConnectionDone ResponseFailed",
        Outcome.BAD_RESPONSE: "ClientResponseError DownloadFailedError",
        Outcome.BAD_URL: "InvalidURL",
        Outcome.SCHEME: "UnsupportedURLSchemeError NotSupported",
        Outcome.FILTERED: "IgnoreRequest",
    }.items()
    for name in names.split()
}
_VAGUE = frozenset({Outcome.BAD_RESPONSE, Outcome.FILTERED, Outcome.REFUSED, Outcome.FAILED})


def may_retry(outcome: str) -> bool:
    """Whether the same request may succeed later."""
    return outcome in _MAY_RETRY


def is_unreachable(outcome: str) -> bool:
    """Whether no server answered at all: the host may be down."""
    return outcome in _UNREACHABLE


def asks_for_rest(outcome: str) -> bool:
    """Whether the host wants fewer requests, or cannot answer now: its rest doubles each time."""
    return outcome in _REFUSALS


def outcome_of_status(status: int) -> Outcome:
    return _STATUSES.get(status) or _STATUS_CLASSES.get(status // 100, Outcome.BAD_RESPONSE)


def outcome_of_exception(error: BaseException) -> Outcome:
    """The outcome of a fetch that raised ``error``.

    An attribute ``outcome`` comes first. An error with a response is judged by its status. Else the error's class decides or, when the
    class says little, the error that caused it.
    """
    named = getattr(error, "outcome", "")
    if named in Outcome.__members__.values():
        return Outcome(named)
    status = getattr(getattr(error, "response", None), "status", None)
    if isinstance(status, int) and not isinstance(error, OSError):
        return outcome_of_status(status)
    known = (_EXCEPTIONS[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _EXCEPTIONS)
    found = next(known, Outcome.FAILED)
    if found in _VAGUE and error.__cause__ is not None:
        deeper = outcome_of_exception(error.__cause__)
        return found if deeper is Outcome.FAILED else deeper
    return found
