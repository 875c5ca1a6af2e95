"""Reads what is to be scored: one record a line, of text or JSON, whatever the line holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE = 4 << 20
"""Bytes; no page that a crawl stores is longer."""
CHUNK_LINES = 20_000
CHUNK_BYTES = 32 << 20
"""A chunk ends at whichever comes first, so that memory is bounded."""
TITLE_CHARACTERS = 100
"""A plain line up to this is read as a title, a longer one as a text: Chinese news titles have 10 to 40, sentences of English 60 to 120."""
KEYS = ("title", "body", "url", "anchor")


@dataclass(frozen=True, slots=True)
class Record:
    """One line. ``error`` says in words why it cannot be scored, and is "" when it can."""

    title: str = ""
    body: str = ""
    url: str = ""
    anchor: str = ""
    error: str = ""

    @property
    def is_link(self) -> bool:
        """Nothing of the page itself is known, only how it is pointed at."""
        return not (self.title or self.body or self.error)


def chunks(stream: BinaryIO, lines: int = CHUNK_LINES) -> Iterator[list[Record]]:
    """The records of ``stream`` in order, up to ``lines`` at once; every line is one, the last without an end too."""
    chunk: list[Record] = []
    size = 0
    for raw in _lines(stream):
        chunk.append(read_record(raw))
        size += len(raw)
        if len(chunk) >= lines or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def read_record(raw: bytes) -> Record:
    """The record in one line, without its end; never raises."""
    if len(raw) > MAX_LINE:
        return Record(error=f"longer than {MAX_LINE >> 20} MB")
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        return Record(error=f"not UTF-8 (byte {error.start + 1} of the line)")
    if "\0" in text:
        return Record(error="a NUL character")
    if not text:
        return Record(error="empty")
    if text.startswith("{"):
        return _of_json(text)
    return Record(title=text) if len(text) <= TITLE_CHARACTERS else Record(body=text)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines at b"\\n" only; of one that is too long no more than its beginning is kept."""
    while raw := stream.readline(MAX_LINE + 2):
        is_cut = len(raw) > MAX_LINE and not raw.endswith(b"\n")
        while is_cut and (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
            pass
        yield raw.removesuffix(b"\n").removesuffix(b"\r") if not is_cut else raw


def _of_json(text: str) -> Record:
    try:
        found = json.loads(text)
    except RecursionError:
        return Record(error="JSON nested too deeply")
    except ValueError as error:
        return Record(error=f"broken JSON: {str(error).partition(':')[0]}")
    assert isinstance(found, dict)  # it begins with {
    if not any(key in found for key in KEYS):
        return Record(error=f"none of {', '.join(KEYS)}")
    values = {key: _text(found.get(key)) for key in KEYS}
    wrong = next((key for key, value in values.items() if value is None), "")
    if wrong:
        return Record(error=f"{wrong} is not text")
    record = Record(**{key: value for key, value in values.items() if value})
    return record if record != Record() else Record(error="empty")


def _text(value: Any) -> str | None:
    """Text as it is, nothing for null, numbers as written; None for the rest. What UTF-8 cannot hold is replaced."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()
