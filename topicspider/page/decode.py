"""Tells what the bytes of a response are (markup, a document) and decodes them: by byte order mark, UTF-8, declaration or detector.

A declaration (HTTP header, ``<meta charset>``) is believed only when the bytes agree with it: GBK pages that declare utf-8, utf-8 pages
that declare gb2312, and Big5 pages that declare gbk are common.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import unquote

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

MAX_BYTES = 4 * 1024 * 1024
"""Bytes of a body that are read at most; the largest real page of our measuring sets has 3 MB."""
_BAD_SHARE = 0.02  # up to this share of broken characters a page is damaged, not in another encoding
# Text in other encodings has more broken characters when read as UTF-8: in GBK, Big5, … a share of at least .67
_BAD_SHARE_OF_UTF8 = 0.3
_SAMPLE = 8_192  # bytes that the detector reads

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CJK = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_ESCAPED = (
    (re.compile(rb"\x1b\$[@B]"), "iso2022_jp_ext"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"~\{(?:[\x30-\x77][\x21-\x7e])++~\}"), "hz"),
)
_WEB_NAMES = {
    "big5hkscs": "big5", "cp932": "shift_jis", "cp949": "euc-kr", "euc_jp": "euc-jp", "iso2022_jp_ext": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr", "hz": "hz-gb-2312", "cp866": "ibm866", "mac_cyrillic": "x-mac-cyrillic",
}  # fmt: skip
_COMMON = frozenset(
    "的一是了我不人在有来他这上着个地到大里说就去子得也和那要下看天时过出小么起你都把好还多没为又可家学只以主会样年想生同老中"
    "來這著個說過麼還沒為學會樣後國於"
    "のにはをたがでてとしれさいるすもなかありらっこまくきんけどおよめつう"
    "이다는을의에가고하도지은한로기사리어그대"
)
"""The most frequent characters of Chinese, Japanese and Korean: CJK bytes decoded with a wrong codec contain few of them."""
_TAG = re.compile(rb"<[^<>]{0,2000}>")
_ASCII = re.compile(rb"(?<=[\x00-\x7f]{2})[\x00-\x7f]{30,}+")
"""Long runs of ASCII, as in scripts, which tell no encodings apart; their first bytes are kept, as one may end a two-byte character."""


@dataclass(frozen=True, slots=True)
class Charset:
    """How bytes became text: the encodings declared, the encoding used (the web's name), why, and how many characters were replaced.

    ``why`` is bom, utf-8 (the bytes are UTF-8), header or meta (declared, and the bytes agree), repaired (UTF-8 with some broken
    characters), escapes (ISO-2022 or HZ), guess (by frequent characters or the detector), or default (no evidence: windows-1252).
    """

    declared: str
    used: str
    why: str
    repaired: int = 0


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and how it was decoded."""

    text: str
    charset: Charset

    @property
    def encoding(self) -> str:
        """The encoding used, as the web names it."""
        return self.charset.used


def decode(body: bytes, content_type: str = "") -> Decoded:
    """The text of ``body`` (at most MAX_BYTES of it); never raises."""
    body = body[:MAX_BYTES]
    header = http_content_type_encoding(content_type[:500]) or ""
    meta = html_body_declared_encoding(body[:4096]) or ""
    text, codec, why = _read(body, header, meta)
    names = [f"{_web_name(label)} ({source})" for label, source in ((header, "header"), (meta, "meta")) if label]
    declared = ", ".join(names) if header and meta and header != meta else _web_name(header or meta)
    return Decoded(text, Charset(declared, _web_name(codec), why, _broken(text, body)))


def _web_name(codec: str) -> str:
    codec = _WEB_NAMES.get(codec, codec)
    return (
        re.sub(r"^cp(125\d|874)$", r"windows-\1", codec)
        .replace("iso8859", "iso-8859")
        .replace("_", "-" if "iso" in codec or "koi" in codec else "_")
    )


def _broken(text: str, body: bytes) -> int:
    """The number of characters that decoding replaced by U+FFFD, without the U+FFFD that the bytes themselves contain."""
    return max(0, text.count("\ufffd") - body.count(b"\xef\xbf\xbd")) if "\ufffd" in text else 0


def _read(body: bytes, header: str, meta: str) -> tuple[str, str, str]:
    """(text, Python's name of the codec, why)."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec, "bom"
    if codec := _unmarked_utf16(body) or _escaped(body):
        return body.decode(codec, "replace"), codec, "guess" if codec.startswith("utf") else "escapes"
    try:
        return body.decode("utf-8"), "utf-8", "utf-8"
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.end == len(body) and not body[: error.start].isascii():
            return body.decode("utf-8", "replace"), "utf-8", "utf-8"  # only cut off inside a character
    codec, why = _legacy(body, [label for label in (header, meta) if label and not label.startswith("utf-16")])
    if why == "declared":
        why = "header" if codec == header else "meta"
    return body.decode(codec, "replace"), codec, why


def _unmarked_utf16(body: bytes) -> str:
    """The UTF-16 codec of bytes without a byte order mark, or "": every other byte of markup is then 0."""
    head = body[:64]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(head) < 8 or (even + odd) * 3 <= len(head) or max(even, odd) <= 3 * min(even, odd):
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _escaped(body: bytes) -> str:
    """The 7-bit codec whose escape sequences the bytes contain and that decodes them without error, or ""."""
    if not body.isascii() or (b"\x1b$" not in body and b"~{" not in body):
        return ""
    return next((codec for pattern, codec in _ESCAPED if pattern.search(body) and _bad_share(body, codec) == 0), "")


def _legacy(body: bytes, declared: list[str]) -> tuple[str, str]:
    """(codec, why) of bytes that are not valid UTF-8; why is repaired, declared, guess or default."""
    if _bad_share(body, "utf-8") <= _BAD_SHARE_OF_UTF8:
        return "utf-8", "repaired"
    sample = _sample(body)
    candidates = [codec for codec in declared if codec != "utf-8" and _bad_share(sample, codec) <= _BAD_SHARE]
    readings = {codec: _commonness(sample, codec) for codec in _CJK if _bad_share(sample, codec) <= _BAD_SHARE}
    likeliest = max(readings, key=lambda codec: readings[codec], default="")
    if candidates and _agrees(candidates[0], readings, readings.get(likeliest, 0.0)):
        guess = "" if candidates[0] in readings else _detected(sample)
        return (guess, "guess") if guess and _bad_share(sample, guess) <= _BAD_SHARE else (candidates[0], "declared")
    if likeliest and readings[likeliest] >= 0.1:
        return likeliest, "guess"
    guess = _detected(sample)
    if guess and _bad_share(sample, guess) <= _BAD_SHARE:
        return guess, "guess"
    return (candidates[0], "declared") if candidates else ("cp1252", "default")


def _sample(body: bytes) -> bytes:
    """The first _SAMPLE bytes that tell encodings apart, without tags and long ASCII runs, even behind 100 KB of scripts."""
    sample = b""
    for start in range(0, len(body), _SAMPLE):
        sample += _ASCII.sub(b" ", _TAG.sub(b" ", body[start : start + _SAMPLE]))
        if len(sample) >= _SAMPLE:
            break
    return sample[:_SAMPLE]


def _agrees(declared: str, readings: dict[str, float], best: float) -> bool:
    """Whether a declaration is plausible: a CJK codec yields nearly the best share of frequent characters; else no CJK codec a good one."""
    return readings[declared] >= 0.7 * best if declared in readings else best < 0.2


def _commonness(sample: bytes, codec: str) -> float:
    """The share of frequent characters among those beyond ASCII."""
    text = [char for char in sample.decode(codec, "replace") if char > "\x7f"]
    return sum(char in _COMMON for char in text) / max(1, len(text))


def _bad_share(data: bytes, codec: str) -> float:
    """The share of broken characters among those beyond ASCII; 1 when the codec cannot read the bytes at all."""
    try:
        text = data.decode(codec, "replace")
    except (UnicodeError, LookupError):  # hz raises even with "replace"
        return 1.0
    beyond = len(text) - len(text.encode("ascii", "ignore"))  # a loop over 4 MB takes .3 s
    return _broken(text, data) / beyond if beyond else 0.0


def _detected(sample: bytes) -> str:
    """The encoding that the detector reports, by Python's name; "" for UTF-8, ASCII or none."""
    from resiliparse.parse.encoding import detect_encoding  # imported only for non-UTF-8 pages

    name = detect_encoding(sample) or ""
    if name == "koi8-r":
        return "koi8-u"  # the same letters; Ukrainian ones replace box drawing
    return "" if name in ("utf-8", "ascii") else name


PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DOCUMENT_TYPES = (PDF, DOCX)
"""The content types of documents, as a server should say them."""

KINDS = dict.fromkeys((PDF, "application/x-pdf", "application/acrobat", "text/pdf"), "pdf") | {DOCX: "docx"}
_VAGUE = frozenset(
    {
        "application/octet-stream", "binary/octet-stream", "application/download", "application/x-download",
        "application/force-download", "application/x-octet-stream", "application/zip", "application/x-zip-compressed",
        "application/x-zip", "application/msword", "application/vnd.ms-word", "unknown/unknown", "application/unknown",
    }
)  # fmt: skip
"""Content types that say little: here the URL or the file name tells whether it is a document."""
_BY_ENDING = {"pdf": PDF, "docx": DOCX}
_ENDING = re.compile(r"\.(pdf|docx)\Z", re.IGNORECASE)
_FILE_NAME = re.compile(r"filename\*?\s*=\s*[^;]{0,300}?\.(pdf|docx)[\"']?\s*(?:;|\Z)", re.IGNORECASE)
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of Word's format before 2007, and of a DOCX that is encrypted with a password."""


def kind_of(body: bytes, content_type: str = "") -> str:
    """pdf, docx, or "" for anything else; the bytes take precedence over the content type."""
    declared = KINDS.get(media_type(content_type), "")
    head = body[:1024].lstrip()
    if head.startswith(b"%PDF-") or (declared == "pdf" and b"%PDF-" in head):
        return "pdf"
    if body.startswith(b"PK\x03\x04"):
        return "docx" if declared == "docx" or b"word/document.xml" in body else ""
    if body.startswith(OLD_OFFICE):
        return "docx" if declared == "docx" else ""
    return "" if head.lower().startswith((b"<!doctype html", b"<html")) else declared  # HTML error pages keep the type


def is_wanted(types: Collection[str], content_type: str, url: str, disposition: str = "") -> bool:
    """Whether to read a response of this content type if ``types`` are wanted; a document may come under a vague type.

    ``disposition``: the Content-Disposition header, which may name the file.
    """
    kind = media_type(content_type)
    if not kind or kind in types:
        return True
    if kind in KINDS:  # another spelling of a type
        return any(KINDS.get(wanted) == KINDS[kind] for wanted in types)
    return kind in _VAGUE and _named_type(url, disposition) in types


def media_type(content_type: str) -> str:
    """The bare media type: ``text/html`` for ``Text/HTML; charset=gbk``; the first one of a repeated header."""
    return re.split("[;,]", content_type[:500], maxsplit=1)[0].strip().lower()


_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"text/plain", "application/octet-stream", "application/xml", "text/xml", "unknown/unknown"})
_NO_MARKUP = (b"%PDF-", b"PK\x03\x04")
"""First bytes of documents that servers label text/html."""
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta", b"<div", b"<table", b"<a ", b"<p>")


def is_markup(body: bytes, content_type: str) -> bool:
    """Whether it is HTML or XHTML."""
    kind = media_type(content_type)
    if kind in _HTML_TYPES:
        return not body.startswith(_NO_MARKUP)
    if (kind and kind not in _UNKNOWN_TYPES) or kind_of(body, content_type):
        return False
    head = body[:1024].lstrip().lower()
    return b"\0" not in head[:64] and any(mark in head for mark in _MARKUP)


def _named_type(url: str, disposition: str) -> str:
    path = unquote(url[:2083].partition("#")[0].partition("?")[0])
    found = _ENDING.search(path) or _FILE_NAME.search(unquote(disposition[:1000]))
    return _BY_ENDING[found[1].lower()] if found else ""
