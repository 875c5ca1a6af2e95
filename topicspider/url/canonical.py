"""The canonical form of a URL: the one spelling under which frontier, store and policies know a page.

Rules, in their order: white space and control characters go; the URL is made absolute; scheme and host
are lower-cased, IDN becomes punycode, credentials and the default port go; percent-encoding is brought to
one form (RFC 3986, 6.2.2); session ids go; dot segments are resolved; tracking parameters and the
fragment go. ``//`` in paths and the order of parameters stay: real sites depend on both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from topicspider.url.host import canonical_host

MAX_LENGTH = 2083
"""The longest canonical URL, in characters; longer ones are traps (and were refused by old browsers)."""


# A URL that needs nothing: most links of a page, once resolved, are of this kind. Labels may hold neither
# upper case nor anything that would be mapped; the path no "%", no dot after a slash, no ";" (session ids).
_CLEAN = re.compile(
    r"https?://(?=[^/]{4,200}/)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}"
    r"(?::(?!0|80/|443/)[0-9]{2,4})?/(?!\.)(?:[A-Za-z0-9_~!$&()*+,=:@-]|[./](?![./?]|\Z)|/(?=[?]|\Z))*"
)
_CLEAN_QUERY = re.compile(r"\?[A-Za-z0-9_~!$&()*+,;=:@./?-]+")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_REMOVED = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0xFEFF, 0x200B, 0x2060, *range(0xD800, 0xE000)])
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ufeff\u200b\u2060\ud800-\udfff]")

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?|[^!$&'()*+,;=:@/?A-Za-z0-9\-._~%]+|'")
_ESCAPES = {f"%{byte:02X}": chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in range(256)}

_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_DROPPED_PARAMETER = re.compile(
    r"(?:utm_[^=]*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|_openstat|mc_[ce]id"
    r"|_hsenc|_hsmi|mkt_tok|_ga|_gl|spm|bd_vid|hm(?:sr|pl|cu|kw|ci)"
    r"|jsessionid|phpsessid|aspsessionid[a-z]*|asp\.net_sessionid|cfid|cftoken)(?:=.*)?\Z"
    r"|(?:sid|s|session|session_?id|sess)=[0-9a-f]{16,}\Z",
    re.IGNORECASE | re.DOTALL,
)


class _Parts(NamedTuple):
    scheme: str
    authority: str
    path: str
    query: str


def canonicalize(url: str, base: str = "") -> str | None:
    """The canonical absolute http(s) URL of ``url``, relative to ``base``; None if there is none.

    Never raises and is idempotent (P3). None: another scheme, no host, a bad port, or longer than
    MAX_LENGTH. Cost: under 2 µs for a clean absolute URL, about 10 µs otherwise.
    """
    if _is_clean(url):
        return url
    if len(url) > 4 * MAX_LENGTH:
        return None
    parts = _resolve(_strip(url), base)
    if parts is None:
        return None
    authority = _authority(parts.scheme, parts.authority)
    if not authority:
        return None
    path = _path(parts.path)
    query = _query(parts.query)
    result = f"{parts.scheme}://{authority}{path}?{query}" if query else f"{parts.scheme}://{authority}{path}"
    return result if len(result) <= MAX_LENGTH else None


def _is_clean(url: str) -> bool:
    match = _CLEAN.match(url)
    if match is None or len(url) > MAX_LENGTH:
        return False
    if match.end() == len(url):
        return True
    query = _CLEAN_QUERY.fullmatch(url, match.end())
    return query is not None and _kept(url[match.end() + 1 :])


def _kept(query: str) -> bool:
    """Whether no parameter of ``query`` would be dropped."""
    return not any(map(_DROPPED_PARAMETER.match, query.split("&")))


def _strip(url: str) -> str:
    # HTML attributes are broken over lines, and copied text brings zero-width and control characters
    if _CONTROLS.search(url):
        url = url.translate(_REMOVED)
    return url.strip()


def _resolve(url: str, base: str) -> _Parts | None:
    """The raw parts of ``url``, made absolute (RFC 3986, 5.2, with the leniency of browsers)."""
    scheme_match = _SCHEME.match(url)
    if scheme_match is not None:
        scheme = scheme_match.group(1).lower()
        if scheme not in ("http", "https"):
            return None
        rest = _with_slashes(url[scheme_match.end() :])
        if rest.startswith("//"):
            return _split(scheme, rest)
        if base[: len(scheme) + 1].lower() != scheme + ":":
            return None
        url = rest
    parent = _base_parts(base)
    return None if parent is None else _join(parent, _with_slashes(url))


def _join(parent: _Parts, url: str) -> _Parts:
    if url.startswith("//"):
        return _split(parent.scheme, url)
    path, query = _path_and_query(url)
    if not path:
        return parent._replace(query=query if "?" in url.partition("#")[0] else parent.query)
    if not path.startswith("/"):
        path = parent.path[: parent.path.rfind("/") + 1] + path
    return parent._replace(path=path, query=query)


@lru_cache(maxsize=64)
def _base_parts(base: str) -> _Parts | None:
    """The parts of a page's base URL: the same one for all links of a page."""
    absolute = canonicalize(base) if base else None
    if absolute is None:
        return None
    scheme, _, rest = absolute.partition(":")
    return _split(scheme, rest)


def _split(scheme: str, rest: str) -> _Parts:
    """Parts of ``//authority/path?query#fragment``; more slashes in front are ignored, as browsers do."""
    rest = rest.lstrip("/")
    end = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
    path, query = _path_and_query(rest[end:])
    return _Parts(scheme, rest[:end], path, query)


def _path_and_query(text: str) -> tuple[str, str]:
    path, _, query = text.partition("#")[0].partition("?")
    return path, query


def _with_slashes(url: str) -> str:
    """Backslashes before the query are slashes, as in every browser."""
    if "\\" not in url:
        return url
    end = min((i for i in map(url.find, "?#") if i >= 0), default=len(url))
    return url[:end].replace("\\", "/") + url[end:]


@lru_cache(maxsize=4096)
def _authority(scheme: str, raw: str) -> str:
    """``host`` or ``host:port``; credentials are dropped (they belong to no shared record); "" if bad."""
    raw = raw.rpartition("@")[2]
    if "%" in raw:
        raw = unquote_to_bytes(raw).decode("utf-8", "replace")
    host, port = _host_and_port(raw)
    host = canonical_host(host)
    if not host or (port and not (port.isascii() and port.isdigit() and len(port) <= 9)):
        return ""
    number = int(port) if port else 0
    if number > 65535 or (port and number == 0):
        return ""
    return host if number in (0, {"http": 80, "https": 443}[scheme]) else f"{host}:{number}"


def _host_and_port(raw: str) -> tuple[str, str]:
    if raw.startswith("["):
        host, bracket, rest = raw.partition("]")
        return host + bracket, rest[1:] if rest.startswith(":") else ("x" if rest else "")
    host, _, port = raw.partition(":")
    return host, port


def _path(raw: str) -> str:
    path = _escaped(raw)
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    if "/." in path:
        path = _without_dots(path)
    return path or "/"


def _without_dots(path: str) -> str:
    """RFC 3986, 5.2.4; empty segments (``//``) count as segments."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _query(raw: str) -> str:
    query = _escaped(raw)
    if not query or _kept(query):
        return query
    return "&".join(part for part in query.split("&") if not _DROPPED_PARAMETER.match(part))


def _escaped(text: str) -> str:
    """``text`` with one spelling of every character: unreserved ones plain, escapes in upper case.

    Escaped bytes that are no UTF-8 (GBK of older Chinese sites) stay the bytes they are.
    """
    return _ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] != "%":
        return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))
    return _ESCAPES[text.upper()] if len(text) == 3 else "%25"
