"""Where the pages of a web lie once they are read, and by what name."""

from __future__ import annotations

import os
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.rehearsal.archive import feature_file, features_codec, page_reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

READING_SOURCES = (
    "topicspider.page",
    "topicspider.url",
    *(f"topicspider.text.{name}" for name in ("language", "normalise", "packages", "segment", "stopwords")),
)
"""Packages and modules that have a say in what is kept of a page."""
_SAMPLES = 64
_SAMPLE_BYTES = 1 << 14
_CHUNK = 1 << 20


def usual_folder() -> Path:
    """``$XDG_CACHE_HOME/topicspider/rehearsal``, else in ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(home) if home.startswith("/") else Path.home() / ".cache"
    return base / "topicspider" / "rehearsal"


def cache_path(folder: Path | None, identity: str, cutting: page_reader.TokenizerConfig) -> Path:
    """The file for a web of this ``identity``, in a folder that is made; raises ConfigError when it cannot be.

    Another one for every version of the code that reads pages, whether anybody thought of raising a number or not.
    """
    folder = folder or usual_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            "cache", str(folder), "a folder that can be written", error.strerror or "cannot be made"
        ) from None
    return folder / f"{name_of(f'{identity} {sources_digest(READING_SOURCES)}', cutting)}.db"


def name_of(identity: str, cutting: page_reader.TokenizerConfig) -> str:
    """32 hex digits; others for another web, another segmenter, or another declared version of our reading."""
    words = "\0".join((cutting.segmenter, *cutting.own_words))
    versions = f"{page_reader.VERSION}.{features_codec.LAYOUT}.{feature_file.LAYOUT}"
    return blake2b(f"{identity}\0{words}\0{versions}".encode(), digest_size=16).hexdigest()


@cache
def sources_digest(names: tuple[str, ...]) -> str:
    """16 hex digits of the Python files of these packages, of those below them, and of these modules."""
    digest = blake2b(digest_size=8)
    for name in names:
        for file in _sources_of(name):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _sources_of(name: str) -> Iterator[Traversable]:
    package, _, module = name.rpartition(".")
    file = resources.files(package) / f"{module}.py" if package else None
    if file is not None and file.is_file():
        yield file
    else:
        yield from _sources(resources.files(name))


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry


def quick_identity(path: Path) -> str:
    """Size, time of the last change, and a hash of 64 samples of 16 KB spread over the file: a moment even for gigabytes."""
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            digest = blake2b(digest_size=16)
            for sample in range(_SAMPLES):
                file.seek(max(0, facts.st_size - _SAMPLE_BYTES) * sample // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    except OSError as error:
        raise RecordingError(one_line(f"{path}: cannot be read: {error.strerror}")) from None
    return f"{facts.st_size} {facts.st_mtime_ns} {digest.hexdigest()}"


def content_digest(path: Path) -> str:
    """A hash of all its bytes, 16 hex digits: the same on every machine."""
    digest = blake2b(digest_size=8)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
