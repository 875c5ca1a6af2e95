"""Turns the bytes of a response into text: byte order mark, strict UTF-8, checked declaration, likeliest reading.

A declaration (HTTP header, ``<meta charset>``) is believed only when the bytes agree with it: GBK pages that
say utf-8, utf-8 pages that say gb2312, and Big5 pages that say gbk are common in the wild.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from topicspider.page.decoding.charset import DECLARED, DOUBLE_BYTE, MODELLED, likeliest, likelihood, sample_of
from topicspider.page.decoding.charset_labels import codec_name, labels_of, public_name

MAX_BYTES = 4 * 1024 * 1024
"""No more of a body is read; the largest real page of our measuring sets has 3 MB."""

_BAD_SHARE = 0.02
"""Share of broken characters up to which a page is damaged rather than in another encoding."""

_UTF8_PRIOR = 10.0
"""What bytes that are UTF-8 weigh against a declared double-byte encoding, as a logarithm; 统一学校 in GBK is valid UTF-8."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WIDE = frozenset({"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"})
_ESCAPED = (
    (re.compile(rb"\x1b\$[@B]"), "iso2022_jp_ext"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"~\{(?:[\x30-\x77][\x21-\x7e])++~\}"), "hz"),
)
_LATER = re.compile("[\u0800-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Charset:
    """How bytes became text: the labels declared (as written), the encoding used (the web's name), why, and how many characters were repaired.

    ``why`` is bom, utf-8 (the bytes are UTF-8), header or meta (declared, and the bytes agree), repaired (UTF-8 with some broken
    characters), escapes (ISO-2022 or HZ), guess (the likeliest text), or default (nothing points anywhere).
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
    header, meta = labels_of(body, content_type)
    text, codec, why = _read(body, codec_name(header), codec_name(meta))
    both = header and meta and header != meta
    declared = f"{header} (header), {meta} (meta)" if both else header or meta
    return Decoded(text, Charset(declared, public_name(codec), why, _broken(text, body)))


def _broken(text: str, body: bytes) -> int:
    """How many replacement characters are ours: those that stand in the bytes themselves are no repairs."""
    return max(0, text.count("\ufffd") - body.count(b"\xef\xbf\xbd")) if "\ufffd" in text else 0


def _read(body: bytes, header: str, meta: str) -> tuple[str, str, str]:
    """(text, Python's name of the codec, why)."""
    if marked := _by_mark(body):
        return marked
    declared = tuple(dict.fromkeys(codec for codec in (header, meta) if codec and codec not in _WIDE))
    if body.isascii() and (codec := _escaped(body)):
        return body.decode(codec, "replace"), codec, "escapes"
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        if _is_cut_off(error, body):
            return body.decode("utf-8", "replace"), "utf-8", "utf-8"
        codec, why = _legacy(body, declared)
    else:
        if body.isascii() or not _is_chance(text, body, declared):
            return text, "utf-8", "utf-8"
        codec, why = declared[0], "guess"
    if why == "guess" and codec in declared:
        why = "header" if codec == header else "meta"
    return body.decode(codec, "replace"), codec, why


def _by_mark(body: bytes) -> tuple[str, str, str] | None:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec, "bom"
    head = body[:64]
    if len(head) >= 8 and head.count(0) * 3 > len(head):  # utf-16 without a mark: every other byte of markup is 0
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > 3 * min(even, odd):
            codec = "utf-16-be" if even > odd else "utf-16-le"
            return body.decode(codec, "replace"), codec, "guess"
    return None


def _escaped(body: bytes) -> str:
    """The 7-bit codec whose escapes the bytes hold, and that reads them without error."""
    if b"\x1b$" not in body and b"~{" not in body:
        return ""
    for pattern, codec in _ESCAPED:
        if pattern.search(body) and _decodes(body, codec):
            return codec
    return ""


def _decodes(body: bytes, codec: str) -> bool:
    try:
        return body.decode(codec, "replace").count("\ufffd") <= 2
    except UnicodeError:  # hz raises even with "replace"
        return False


def _is_cut_off(error: UnicodeDecodeError, body: bytes) -> bool:
    """Whether UTF-8 text merely ends within a character."""
    return error.reason == "unexpected end of data" and error.end == len(body) and not body[: error.start].isascii()


def _is_chance(text: str, body: bytes, declared: tuple[str, ...]) -> bool:
    """Whether bytes that pass for UTF-8 are rather what a double-byte declaration says: two-byte sequences only, and few."""
    if not declared or declared[0] not in DOUBLE_BYTE or _LATER.search(text):
        return False
    sample = sample_of(body)
    return likelihood(sample, declared[0]) + DECLARED > likelihood(sample, "utf-8") + _UTF8_PRIOR


def _legacy(body: bytes, declared: tuple[str, ...]) -> tuple[str, str]:
    """(codec, why) of bytes that are no strict UTF-8."""
    sample = sample_of(body)
    good, bad = _utf8_characters(sample)
    if good > bad:
        good, bad = _utf8_characters(body)
        if bad <= good * _BAD_SHARE:
            return "utf-8", "repaired"
    unknown = next((codec for codec in declared if codec not in MODELLED and codec != "utf-8"), "")
    if unknown and sample.decode(unknown, "replace").count("\ufffd") <= 1 + len(sample) * _BAD_SHARE:
        return unknown, "guess"  # an encoding without a model: its word is all there is
    codec, score = likeliest(sample, declared)
    if good > bad and likelihood(sample, "utf-8") + DECLARED * (not declared or "utf-8" in declared) > score:
        return "utf-8", "repaired"
    return (codec, "guess") if codec else ("cp1252", "default")


def _utf8_characters(data: bytes) -> tuple[int, int]:
    """(characters beyond ASCII that are whole, broken ones) of bytes read as UTF-8."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) - bad, bad
