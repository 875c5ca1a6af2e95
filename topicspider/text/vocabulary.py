"""Reads the shipped file of words: the words, the idf of the foreign ones, and the arrays of their vectors."""

from __future__ import annotations

import io
import lzma
import zipfile
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray

FILE = "word_vectors.npz"
CHINESE, FOREIGN, NAMES = "chinese", "foreign", "names"


@lru_cache(maxsize=2)
def words(language: str) -> tuple[str, ...]:
    """The words of ``language``, CHINESE (single characters first), FOREIGN or NAMES, the most frequent first; normalised."""
    with _archive() as archive:
        # the file was built before ß was normalised to ss
        return tuple(lzma.decompress(archive.read(f"{language}.xz")).decode().replace("ß", "ss").split("\n"))


@lru_cache(maxsize=1)
def rarities() -> dict[str, float]:
    """Foreign word to inverse document frequency."""
    with _archive() as archive:
        values = archive.read("rarities")
    return {word: value / 16 for word, value in zip(words(FOREIGN), values, strict=True)}


@lru_cache(maxsize=1)
def english() -> frozenset[str]:
    """The foreign words that are English, including short names such as AI."""
    return frozenset(word for word, is_english in zip(words(FOREIGN), english_flags(), strict=True) if is_english)


def english_flags() -> bytes:
    """For each foreign word, 1 if it is English, else 0."""
    with _archive() as archive:
        bits, count = archive.read("english"), archive.getinfo("rarities").file_size
    return bytes(bits[at >> 3] >> (7 - at % 8) & 1 for at in range(count))


def arrays(*names: str) -> list[NDArray[Any]]:
    from numpy.lib import format as npy

    with _archive() as archive:
        return [npy.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False) for name in names]


@lru_cache(maxsize=1)
def digest() -> str:
    """A digest of the file's content, from the checksums in the archive, as hashing 9 MB takes a while."""
    with _archive() as archive:
        checksums = sorted((info.filename, info.CRC) for info in archive.infolist())
    return sha256(repr((checksums, "ss for ß")).encode()).hexdigest()[:16]


@contextmanager
def _archive() -> Iterator[zipfile.ZipFile]:
    place = resources.files("topicspider.text").joinpath(FILE)
    try:
        # inside an egg, seeking back would decompress the file again
        content = place.open("rb") if isinstance(place, Path) else io.BytesIO(place.read_bytes())
    except OSError:
        hint = "Install topicspider again"
        raise UnavailableError("the word vectors", f"topicspider/text/{FILE} is missing", hint) from None
    with content, zipfile.ZipFile(content) as archive:
        yield archive
