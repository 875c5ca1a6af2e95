"""Turns the bytes of a response into text: byte order mark, strict UTF-8, checked declaration, detector.

A declaration (HTTP header, ``<meta charset>``) is believed only when the bytes agree with it: GBK pages that
say utf-8, utf-8 pages that say gb2312, and Big5 pages that say gbk are common in the wild.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MAX_BYTES = 4 * 1024 * 1024
"""No more of a body is read; the largest real page of our measuring sets has 3 MB."""

_META_BYTES = 4096
_SAMPLE_BYTES = 64 * 1024
_BAD_SHARE = 0.02
"""Share of broken characters up to which a page is damaged rather than in another encoding."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_LABELS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "gb18030": "gb18030",
    "gb-2312": "gb18030",
    "gb_2312-80": "gb18030",
    "chinese": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "utf8": "utf-8",
}
"""Labels as the WHATWG Encoding Standard reads them (a superset each), in Python's codec names."""

_TEXT_NAMES = (
    "utf-8 utf-16 utf-16-le utf-16-be utf-32 utf-7 gb18030 big5hkscs cp932 cp949 euc_jp iso2022_jp hz koi8-r koi8-u cp866 "
    "cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 mac-roman mac-cyrillic"
)
_TEXT_CODECS = frozenset(_TEXT_NAMES.split())
_WESTERN = frozenset({"cp1252", "cp1254", "cp1250", "iso8859-15"})

_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_META_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_PAIR = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]")
_COMMON_GB = re.compile(rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]")
_COMMON_BIG5 = re.compile(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|\xa1[\x40-\x7e]")
_COMMON_SJIS = re.compile(rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]|\x81[\x41\x42]")
_KOREAN_LEAD = re.compile(rb"[\xb0-\xc8][\xa1-\xfe]")
_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding used (a WHATWG-like name), what was declared, how it was found, broken characters."""

    text: str
    encoding: str
    declared: str
    how: str
    bad: int = 0


def decode(body: bytes, content_type: str = "") -> Decoded:
    """The text of ``body`` (at most MAX_BYTES of it); never raises; ``how`` is bom, utf-8, header, meta, repaired or guess."""
    body = body[:MAX_BYTES]
    declared, where = declaration(body, content_type)
    marked = _by_mark(body, declared)
    if marked:
        return marked
    if _is_escaped_7bit(body, declared):
        return _decoded(body, declared, declared, where)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", declared, "utf-8")
    except UnicodeDecodeError:
        return _not_utf8(body, declared, where)


def declaration(body: bytes, content_type: str) -> tuple[str, str]:
    """(Python codec name, "header" or "meta") of what the page says about itself; ("", "") when it says nothing usable."""
    found = _HEADER_CHARSET.search(content_type[:500])
    if found and (codec := codec_name(found[1])):
        return codec, "header"
    meta = _META_CHARSET.search(body[:_META_BYTES])
    if meta and (codec := codec_name(meta[1].decode("ascii", "ignore"))):
        return codec, "meta"
    return "", ""


def codec_name(label: str) -> str:
    """Python's name of the codec a label means on the web, or "" for an unknown one."""
    label = label.strip().lower()
    if label in _LABELS:
        return _LABELS[label]
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    name = _LABELS.get(name.replace("_", "-"), name)
    return name if name in _TEXT_CODECS or name.startswith("iso8859-") else ""


def _by_mark(body: bytes, declared: str) -> Decoded | None:
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], codec, declared, "bom")
    head = body[:64]
    if len(head) >= 8 and head.count(0) * 3 > len(head):  # utf-16 without a mark: every other byte of markup is 0
        codec = "utf-16-be" if head[::2].count(0) > head[1::2].count(0) else "utf-16-le"
        return _decoded(body, codec, declared, "guess")
    return None


def _is_escaped_7bit(body: bytes, declared: str) -> bool:
    return (declared == "iso2022_jp" and b"\x1b" in body) or (declared == "hz" and b"~{" in body)


def _not_utf8(body: bytes, declared: str, where: str) -> Decoded:
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    high = len(text) - len(text.encode("ascii", "ignore"))
    if bad <= max(1, high * _BAD_SHARE) and high - bad > 3 * bad:
        return Decoded(text, "utf-8", declared, "repaired", bad)
    if declared and declared != "utf-8" and _agrees(body, declared):
        return _decoded(body, declared, declared, where)
    return _decoded(body, guess(body), declared, "guess")


def _agrees(body: bytes, codec: str) -> bool:
    """Whether a declared codec can be true: few errors, and the letters that text in it usually has."""
    sample = body[:_SAMPLE_BYTES]
    bad = sample.decode(codec, "replace").count("\ufffd")
    if bad > 1 + len(_HIGH.findall(sample)) * _BAD_SHARE:
        return False
    if codec in _WESTERN:
        return not _looks_double_byte(sample)
    if codec in ("gb18030", "big5hkscs"):
        return _double_byte_codec(sample) in (codec, "")
    return True


def _looks_double_byte(sample: bytes) -> bool:
    high = len(_HIGH.findall(sample))
    return high >= 8 and bool(_double_byte_codec(sample))


def _double_byte_codec(sample: bytes) -> str:
    """gb18030, big5hkscs or cp932 when most double bytes are its common characters; "" when none fits well."""
    pairs = _PAIR.findall(sample)
    if len(pairs) < 4:
        return ""
    joined = b" ".join(pairs)
    shares = {
        "gb18030": len(_COMMON_GB.findall(joined)) / len(pairs),
        "big5hkscs": len(_COMMON_BIG5.findall(joined)) / len(pairs),
        "cp932": len(_COMMON_SJIS.findall(joined)) / len(pairs) * 1.6,  # half of Japanese text is kana
    }
    if len(_KOREAN_LEAD.findall(joined)) > 0.95 * len(pairs):
        return ""  # hangul syllables fill a part of GB2312's rows: left to the detector
    best = max(shares, key=lambda codec: shares[codec])
    return best if shares[best] > 0.7 else ""


def guess(body: bytes) -> str:
    """The codec the bytes themselves point to, Chinese first; the only place that asks the detector (resiliparse)."""
    sample = body[:_SAMPLE_BYTES]
    high = len(_HIGH.findall(sample))
    pairs = sum(len(pair) for pair in _PAIR.findall(sample))
    if pairs > 0.8 * high and (codec := _double_byte_codec(sample)):
        return codec
    from resiliparse.parse.encoding import detect_encoding

    found = codec_name(str(detect_encoding(sample) or ""))
    if found in ("", "utf-8"):
        return "utf-8" if found and sample.decode("utf-8", "replace").count("\ufffd") <= high * 0.2 else "cp1252"
    return found


def _decoded(body: bytes, codec: str, declared: str, how: str) -> Decoded:
    try:
        text = body.decode(codec, "replace")
    except (UnicodeError, LookupError):  # utf-7 and hz raise even with "replace"
        codec, how, text = "cp1252", "guess", body.decode("cp1252", "replace")
    return Decoded(text, _PUBLIC.get(codec, codec), declared, how, text.count("\ufffd"))


_PUBLIC = {"big5hkscs": "big5", "cp932": "shift_jis", "cp949": "euc-kr", "euc_jp": "euc-jp"} | {
    f"cp125{digit}": f"windows-125{digit}" for digit in range(9)
}
