"""Measures how many pages are decoded correctly, character by character, whatever encoding they declare.

    python -m benchmarks.quality.charsets [--wrong] [--pages]

The cases are the texts of charset_texts.py: every language in every encoding, as a title, a line, a page and a long page, with 13
declarations in the header or the markup. ``--pages`` takes instead gold pages in UTF-8, encoded anew in older encodings of their
language; they are divided into halves by a hash.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from benchmarks.quality.charset_texts import DECLARATIONS, LABELS, SIZES, TELLING, TEXTS, Written, page
from benchmarks.quality.extraction import corpora, gold_pages
from topicspider.page.decode import decode

Decoder = Callable[[bytes, str], str]

_EAST_ASIAN = ("zh", "ja", "ko")
_META = re.compile(rb"charset\s*=\s*[\"']?[\w-]+", re.IGNORECASE)
_OLDER = {
    "zh": ("gb18030", "big5"), "ja": ("cp932", "euc_jp"), "ko": ("cp949",), "ru": ("cp1251", "koi8-r"), "uk": ("cp1251",),
    "bg": ("cp1251",), "el": ("cp1253",), "tr": ("cp1254",), "he": ("cp1255",), "ar": ("cp1256",), "th": ("cp874",),
    "pl": ("cp1250", "iso8859-2"), "cs": ("cp1250", "iso8859-2"), "hu": ("cp1250",), "ro": ("cp1250",),
}  # fmt: skip
_WESTERN = frozenset({"de", "fr", "es", "pt", "it", "nl", "sv", "da", "no", "fi"})
_ON_PAGES = ("", "right", "utf-8", "iso-8859-1", "gbk")


@dataclass(frozen=True, slots=True)
class Case:
    """The bytes of a page, the content type in its header, and its text; ``groups``: those in which it is counted."""

    name: str
    body: bytes
    content_type: str
    text: str
    groups: tuple[str, ...]


@dataclass(slots=True)
class Readings:
    """How many cases were read, and how many correctly; ``wrong``: the names of the others."""

    cases: int = 0
    correct: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def right(self) -> float:
        """The share of texts that were decoded correctly, character by character."""
        return self.correct / max(1, self.cases)


def cases() -> Iterator[Case]:
    """A case for each text of our own, encoding, size and declaration."""
    for text in TEXTS:
        for codec in text.codecs:
            right = LABELS.get(codec, codec)
            for size in SIZES:
                for label in (*DECLARATIONS, right):
                    yield from _cases(text, codec, size, label, is_right=label == right)


def _cases(text: Written, codec: str, size: str, label: str, *, is_right: bool) -> Iterator[Case]:
    """The two cases with the declaration in the markup, and in the header."""
    is_told = size != "title" or text.language in TELLING or codec == "utf-8" or is_right
    script = "east asian" if text.language[:2] in _EAST_ASIAN else "alphabets"
    groups = ("all", script, "decidable" if is_told else "undecidable", size)
    name = f"{text.language} {codec} {size}"
    meta, plain = (page(text, size, said).encode(codec, "ignore") for said in (label, ""))
    yield Case(f"{name}, meta {label}", meta, "", meta.decode(codec), groups)
    yield Case(f"{name}, header {label}", plain, f"text/html; charset={label}", plain.decode(codec), groups)


def gold_cases(folder: Path) -> Iterator[Case]:
    """Gold pages in UTF-8, encoded anew; characters that an encoding lacks become references, pages with many of them are left out."""
    for record, body in gold_pages(folder):
        try:
            text = body.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        language = record["lang"]
        for codec in _OLDER.get(language, ("cp1252",) if language in _WESTERN else ()):
            half = "half a" if blake2b(record["id"].encode(), digest_size=1).digest()[0] % 2 else "half b"
            for label in _ON_PAGES:
                if case := _rewritten(text, codec, label, record["id"], half):
                    yield case


def _rewritten(text: str, codec: str, label: str, name: str, half: str) -> Case | None:
    declared = _META.sub(f"charset={codec if label == 'right' else label}".encode() if label else b"", text.encode())
    text = declared.decode()
    high = len(text) - len(text.encode("ascii", "ignore"))
    body = text.encode(codec, "xmlcharrefreplace")
    if high < 20 or body.count(b"&#") - text.count("&#") > high * 0.1:
        return None
    script = "east asian" if codec in {"gb18030", "big5", "cp932", "euc_jp", "cp949"} else "alphabets"
    return Case(f"{name} {codec}, meta {label}", body, "", body.decode(codec), ("all", script, half))


def measure(read: Decoder, all_cases: Iterable[Case]) -> dict[str, Readings]:
    """By group: how many cases were read correctly."""
    scores: dict[str, Readings] = {}
    for case in all_cases:
        is_right = read(case.body, case.content_type) == case.text
        for group in case.groups:
            readings = scores.setdefault(group, Readings())
            readings.cases += 1
            readings.correct += is_right
            if not is_right:
                readings.wrong.append(case.name)
    return scores


def read_ours(body: bytes, content_type: str) -> str:
    """The text as our decoder reads it."""
    return decode(body, content_type).text


def row(name: str, scores: dict[str, Readings]) -> str:
    """A line: correct readings of each group, of how many, and their share."""
    cells = "  ".join(f"{group} {one.correct}/{one.cases} {one.right:.4f}" for group, one in sorted(scores.items()))
    return f"{name:28} {cells}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list what we read wrongly")
    parser.add_argument("--pages", action="store_true", help="gold pages written anew in place of our own texts")
    options = parser.parse_args()
    all_cases = list(gold_cases(corpora()) if options.pages else cases())
    started = time.process_time()
    ours = measure(read_ours, all_cases)
    print(row("topicspider", ours), f" {(time.process_time() - started) / len(all_cases) * 1000:.2f} ms a case")
    for line in ours["all"].wrong if options.wrong else ():
        print(f"    {line}")


if __name__ == "__main__":
    main()
