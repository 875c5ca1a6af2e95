"""Decodes bytes by our own rules, and by the same steps with a library's detector in the place of our likelihoods.

What a library is not asked about is the same for all: byte order marks, 7-bit escapes, bytes that are UTF-8 or nearly so. A declaration
can be checked in three orders, and a library is measured with the one that suits it best.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from topicspider.page.decoding.charset_labels import codec_name, labels_of
from topicspider.page.decoding.decode import decode

Decoder = Callable[[bytes, str], str]
Detector = Callable[[bytes], str]
"""The label of an encoding, "" when it cannot tell."""

_SAMPLE_BYTES = 64 * 1024
_BAD_SHARE = 0.02
_MARKUP = re.compile(rb"<[^<>]{0,2000}>")
_ASCII_PAIR = re.compile(rb"[\x00-\x3f]{2}")
_HIGH = re.compile(rb"[\x80-\xff]")
_BEFORE_ANY_DETECTOR = frozenset({"bom", "escapes", "utf-8"})
_SEVERAL_BYTES = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"})
ORDERS = ("declaration first", "detector first", "declaration unless double bytes")


def read_ours(body: bytes, content_type: str) -> str:
    """By the product."""
    return decode(body, content_type).text


def read_with(detect: Detector, order: str) -> Decoder:
    """The same steps with another detector."""

    def read(body: bytes, content_type: str) -> str:
        first = decode(body)
        if first.charset.why in _BEFORE_ANY_DETECTOR:
            return first.text
        return body.decode(_codec(body, content_type, detect, order), "replace")

    return read


def _codec(body: bytes, content_type: str, detect: Detector, order: str) -> str:
    if _fits(body, "utf-8"):
        return "utf-8"
    labels = (codec_name(label) for label in labels_of(body, content_type))
    declared = next((codec for codec in labels if codec and codec != "utf-8" and _fits(body, codec)), "")
    if declared and order == "declaration first":
        return declared
    detected = codec_name(detect(_sample_of(body)))
    if order == "declaration unless double bytes" and declared and detected not in _SEVERAL_BYTES:
        return declared
    return detected or declared or "cp1252"


def _sample_of(body: bytes) -> bytes:
    """The beginning without its tags, which say what is declared and hide what is written; not cut within a character."""
    sample = _MARKUP.sub(b" ", body)
    end = _ASCII_PAIR.search(sample, _SAMPLE_BYTES)
    return sample[: end.start()] if end else sample


def _fits(body: bytes, codec: str) -> bool:
    """Whether a codec reads the bytes with few errors: those of one byte a letter nearly always do."""
    broken = body.decode(codec, "replace").count("\ufffd")
    return broken <= len(_HIGH.findall(body)) * _BAD_SHARE / 2


@cache
def _resiliparse(sample: bytes) -> str:
    from resiliparse.parse.encoding import detect_encoding

    return str(detect_encoding(sample, html5_compatible=False) or "")


@cache
def _charset_normalizer(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best else ""


@cache
def _chardet(sample: bytes) -> str:
    import chardet

    return str(chardet.detect(sample)["encoding"] or "")


@dataclass(frozen=True, slots=True)
class Library:
    """A detector with the module it needs and the name it is distributed under."""

    detect: Detector
    module: str
    distribution: str

    @property
    def is_installed(self) -> bool:
        """Whether it can run here."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The version measured."""
        return version(self.distribution)


LIBRARIES: Mapping[str, Library] = {
    "resiliparse": Library(_resiliparse, "resiliparse", "resiliparse"),
    "charset-normalizer": Library(_charset_normalizer, "charset_normalizer", "charset-normalizer"),
    "chardet": Library(_chardet, "chardet", "chardet"),
}
