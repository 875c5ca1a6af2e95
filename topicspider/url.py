"""URLs: canonical form, 64-bit fingerprint, host and registered domain, the words in a URL, and its form for display."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes, urlsplit

import idna

if TYPE_CHECKING:
    from tldextract import TLDExtract


_AUTHORITY = re.compile(
    r"(https?)://(?:[^/?#@\\]*@)*(\[[^\]/?#]*\]|[^:/?#@\[\\]+)(?::([0-9]*))?(?=[/?#\\]|\Z)", re.IGNORECASE
)
_PORTS = {"http": 80, "https": 443}


def host_key(url: str) -> str:
    """``host:port`` of an http(s) URL, in lower case: the unit that politeness and frontier call a host. "" for others."""
    match = _AUTHORITY.match(url)
    return "" if match is None else f"{match[2].lower()}:{_port(match)}"


def host_of(url: str) -> str:
    """The host name of an http(s) URL, lower case, IPv6 in brackets; "" for others."""
    match = _AUTHORITY.match(url)
    return "" if match is None else match[2].lower()


def port_of(url: str) -> int:
    """The port of an http(s) URL, the scheme's default included; 0 for others."""
    match = _AUTHORITY.match(url)
    return 0 if match is None else _port(match)


@lru_cache(maxsize=8192)
def site_of(host: str) -> str:
    """The registered domain of ``host`` (``news.example.com.cn`` is ``example.com.cn``).

    A port is ignored; IP addresses, bare names and public suffixes are their own site. Uses the public suffix
    list that tldextract ships, without network access and without writing files.
    """
    name = host.lower()
    if name.count(":") == 1 or "]:" in name:
        name = re.sub(r":\d*\Z", "", name)
    return name if name.startswith("[") else _suffixes()(name).top_domain_under_public_suffix or name


def _port(match: re.Match[str]) -> int:
    return int(match[3][:9]) if match[3] else _PORTS[match[1].lower()]


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract

    return TLDExtract(cache_dir=None, suffix_list_urls=())


# underscores, and hyphens at the ends, are forbidden by the RFCs but used all the same
_ASCII_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_MAX_LENGTH = 253


@lru_cache(maxsize=8192)
def canonical_host(host: str) -> str:
    """``host`` (a name, IPv4, or IPv6 in brackets) in its canonical form; "" if it is invalid. Never raises."""
    if len(host) > _MAX_LENGTH + 1:
        return ""
    if host.startswith("["):
        return _ipv6(host)
    name = host.lower() if host.isascii() else _punycode(host)
    name = name.removesuffix(".")
    return name if len(name) <= _MAX_LENGTH and _ASCII_HOST.fullmatch(name) else ""


def readable_host(host: str) -> str:
    """``host`` for display: 旅游.example for xn--zfvz1q.example; unchanged if that would not lead back to ``host``. Never raises."""
    try:
        shown = idna.decode(host) if "xn--" in host else host
    except (idna.IDNAError, UnicodeError):
        return host
    return shown if canonical_host(shown) == host else host


def _ipv6(host: str) -> str:
    try:
        return f"[{ipaddress.IPv6Address(host[1:-1])}]" if host.endswith("]") and "%" not in host else ""
    except ValueError:
        return ""


def _punycode(host: str) -> str:
    """The ASCII form by UTS 46, or for names it forbids (emoji, underscores) by the older IDNA 2003, as resolvers do; "" if invalid."""
    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        pass
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


MAX_LENGTH = 2083
"""Most characters of a canonical URL; longer ones are spider traps (and were rejected by old browsers)."""


# A URL that is already canonical, as are most links of a page, once resolved. Labels may contain neither upper
# case nor anything that would be mapped; the path no "%", no dot after a slash, no ";" (session ids).
_CLEAN = re.compile(
    r"https?://(?=[^/]{4,200}/)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}"
    r"(?::(?!0|80/|443/)[0-9]{2,4})?/(?!\.)(?:[A-Za-z0-9_~!$&()*+,=:@-]|[./](?![./?]|\Z)|/(?=[?]|\Z))*"
)
_CLEAN_QUERY = re.compile(r"\?[A-Za-z0-9_~!$&()*+,;=:@./?-]+")

_REFERENCE = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:/{2,}([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL)
"""Scheme, authority, path and query of any URL or relative reference; also of ``///a.cn/x``, as in browsers."""

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


def canonicalize(url: str, base: str = "") -> str | None:
    """The canonical absolute http(s) URL of ``url``, relative to ``base``; None if there is none.

    Never raises and is idempotent (promise P3). None: another scheme, no host, a bad port, or longer than
    MAX_LENGTH. Cost: under 2 µs for a clean absolute URL, about 10 µs otherwise.
    """
    if _is_clean(url):
        return url
    if len(url) > 4 * MAX_LENGTH:
        return None
    parts = _resolve(_strip(url), base)
    authority = _authority(parts[0], parts[1] or "") if parts else ""
    if parts is None or not authority:
        return None
    result = f"{parts[0]}://{authority}{_path(parts[2])}"
    if query := _query(parts[3] or ""):
        result = f"{result}?{query}"
    return result if len(result) <= MAX_LENGTH else None


_BEYOND_ASCII = re.compile("[^\x00-\x9f\ufeff\u200b\u2060\ud800-\udfff]+")


def encoded_query(url: str, encoding: str) -> str:
    """``url`` with its query percent-encoded in the ``encoding`` of its page ("": UTF-8), as browsers do; paths are always UTF-8."""
    if url.isascii() or not encoding or encoding.startswith("utf"):
        return url
    front, mark, query = url.partition("?")
    codec = encoding.replace("windows-", "cp")
    try:
        written = _BEYOND_ASCII.sub(lambda run: quote(run[0].encode(codec, "xmlcharrefreplace")), query)
    except (LookupError, UnicodeError):  # an encoding that Python does not know
        return url
    return front + mark + written


def _is_clean(url: str) -> bool:
    match = _CLEAN.match(url)
    if match is None or len(url) > MAX_LENGTH:
        return False
    if match.end() == len(url):
        return True
    query = _CLEAN_QUERY.fullmatch(url, match.end())
    return query is not None and not any(map(_DROPPED_PARAMETER.match, url[match.end() + 1 :].split("&")))


def _strip(url: str) -> str:
    # HTML attributes may be broken over lines, and copied text may contain zero-width and control characters
    if _CONTROLS.search(url):
        url = url.translate(_REMOVED)
    return url.strip()


_Parts = tuple[str, str | None, str, str | None]
"""Scheme, raw authority, raw path, raw query; None for an absent part."""


def _resolve(url: str, base: str) -> _Parts | None:
    """The raw parts of ``url``, made absolute (RFC 3986, 5.2, with the leniency of browsers); None without an authority."""
    scheme, authority, path, query = _parted(url)
    if scheme not in ("", "http", "https"):
        return None
    if scheme and authority is not None:
        return scheme, authority, path, query
    above = _base_parts(base)
    if above is None or (scheme and scheme != above[0]):
        return None
    if authority is not None:
        return above[0], authority, path, query
    if not path:
        return *above[:3], above[3] if query is None else query
    if not path.startswith("/"):
        path = above[2][: above[2].rfind("/") + 1] + path
    return *above[:2], path, query


def _parted(url: str) -> _Parts:
    if "\\" in url:  # before the query a backslash counts as a slash, as in every browser
        url = re.sub(r"\A[^?#]+", lambda start: start[0].replace("\\", "/"), url)
    found = _REFERENCE.match(url)
    assert found is not None  # it matches every text
    return (found[1] or "").lower(), found[2], found[3], found[4]


@lru_cache(maxsize=64)
def _base_parts(base: str) -> _Parts | None:
    """The parts of a base URL; cached, as all links of a page have the same base."""
    absolute = canonicalize(base) if base else None
    return _parted(absolute) if absolute else None


_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[][^:]*)(?::([0-9]{0,9}))?")


@lru_cache(maxsize=4096)
def _authority(scheme: str, raw: str) -> str:
    """``host`` or ``host:port``; credentials are dropped, as they must not be recorded; "" if invalid."""
    raw = raw.rpartition("@")[2]
    if "%" in raw:
        raw = unquote_to_bytes(raw).decode("utf-8", "replace")
    found = _HOST_AND_PORT.fullmatch(raw)
    host = canonical_host(found[1]) if found else ""
    if not found or not host or (found[2] and not 0 < int(found[2]) < 65536):
        return ""
    return host if not found[2] or int(found[2]) == _PORTS[scheme] else f"{host}:{int(found[2])}"


def _path(raw: str) -> str:
    path = _escaped(raw)
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    if "/." in path:
        path = _without_dots(path)
    return path or "/"


def _without_dots(path: str) -> str:
    """``path`` without dot segments (RFC 3986, 5.2.4); empty segments (``//``) count as segments."""
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
    return "&".join(part for part in _escaped(raw).split("&") if not _DROPPED_PARAMETER.match(part))


def _escaped(text: str) -> str:
    """``text`` with normalised percent-encoding: unreserved characters plain, escapes in upper case.

    Escaped bytes that are not UTF-8 (GBK on older Chinese sites) are kept.
    """
    return _ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] != "%":
        return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))
    return _ESCAPES[text.upper()] if len(text) == 3 else "%25"


@lru_cache(maxsize=2048)
def fingerprint(canonical_url: str) -> int:
    """A signed 64-bit integer: the first 8 bytes (big-endian) of BLAKE2b with digest size 8.

    (e) Broder 2003 uses 8-byte checksums: at 100 million URLs the chance of one collision is 0.03 %.
    Signed, because SQLite and Redis intsets hold signed integers.
    """
    digest = blake2b(canonical_url.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


_SEPARATOR = re.compile(r"[/?&=;#]+")
# a run of one kind: CamelCase and ABBREVIATIONWord are split at the right place; digits and punctuation split words; combining
# marks of Hindi and Thai do not, nor do Polish, Turkish and Vietnamese letters among Latin ones
_WORD = re.compile(
    r"[A-Z]+(?![a-z])|[A-ZÀ-Þ]?[a-zß-öø-ÿĀ-ſƠ-ưḀ-ỿ\u0300-\u036f]+|[^\W\d_A-Za-z](?:[^\W\d_A-Za-z]|[\u0900-\u0963\u0e31-\u0e4e])*"
)
_ENDING = re.compile(r"\.(?:x?html?|shtml|php\d?|aspx?|jspx?|jhtml|do|action|cgi)\Z", re.IGNORECASE)


def words_in_url(url: str) -> list[str]:
    """The words of path and query, lower case, in order, at most 64.

    Percent-encoded text is decoded as UTF-8, else as GBK (older Chinese sites). Words are split at punctuation,
    digits and changes of case; single Latin letters and file extensions are left out. A run of ideographs is one
    piece, to be segmented later; pinyin stays as it is (lvyou).
    """
    path = url.partition("://")[2].partition("#")[0]
    start = min((i for i in map(path.find, "/?") if i >= 0), default=len(path))
    words: list[str] = []
    for piece in _SEPARATOR.split(path[start:]):
        if not piece.isdigit():
            words += _words_of_piece(piece)
        if len(words) >= 64:
            break
    return words[:64]


@lru_cache(maxsize=10_000)
def _words_of_piece(piece: str) -> tuple[str, ...]:
    """The words of one piece; cached, as URLs of a site repeat their folders and parameter names."""
    text = _ENDING.sub("", _decoded(piece))
    return tuple([word.lower() for word in _WORD.findall(text) if len(word) > 1 or not word.isascii()])


def _decoded(piece: str) -> str:
    if "%" not in piece:
        return piece.replace("+", " ")
    raw = unquote_to_bytes(piece.replace("+", " ").encode("utf-8", "replace"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", "replace").replace("\ufffd", " ")


def masked(url: str) -> str:
    """``url`` with ``***`` in place of anything that looks like its password."""
    hidden = re.sub(r"((?:pass|password|passwd|passphrase|pwd|secret|token)=)[^&]*", r"\1***", url, flags=re.IGNORECASE)
    if "@" in hidden:
        # up to the last @: a password that was not percent-encoded may contain @, / and :
        return re.sub(r"^([^:]*:?/*[^:@/]*):.*@", r"\1:***@", hidden, flags=re.DOTALL)
    # what follows user: in a URL cut off before its @, unless it is a port
    return re.sub(r"^(\w+:/+[^:/]*):(?!\d+(?:/|$)).+$", r"\1:***", hidden, flags=re.DOTALL)


_NOT_ASCII = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def readable_url(url: str) -> str:
    """``url`` for display, decoded: http://旅游.example/景点; unchanged if that would not lead back to ``url``. Never raises."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return url
    head, _, tail = url.partition(host) if host else ("", "", url)
    shown = head + readable_host(host) + _NOT_ASCII.sub(_readable_bytes, tail)
    return shown if canonicalize(shown) == url else url


def _readable_bytes(found: re.Match[str]) -> str:
    """The decoded text of escapes if they are UTF-8 of visible characters; others, such as GBK, stay encoded."""
    try:
        text = unquote_to_bytes(found.group()).decode()
    except UnicodeDecodeError:
        return found.group()
    return text if text.isprintable() and not any(map(str.isspace, text)) else found.group()
