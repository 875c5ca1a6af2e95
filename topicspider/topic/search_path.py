"""Where topic files lie: a folder the user names, the checkout, or the installed package (also inside an egg)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import topicspider
from topicspider.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ENVIRONMENT = "TOPICS_DIR"


@dataclass(frozen=True, slots=True)
class Place:
    """One place to look in: what names it, and where it is."""

    label: str
    folder: Traversable

    def __str__(self) -> str:
        return f"{self.label} {self.folder}"


def topic_dirs(topics_dir: str = "") -> list[Traversable]:
    """The folders of topic files, in the order in which they are searched; never empty.

    A folder that was asked for (``topics_dir``, the environment variable TOPICS_DIR) must exist:
    ConfigError, as when there is no folder at all, which lists every place tried.
    """
    for place in _asked_for(topics_dir):
        if not _is_folder(place.folder):
            raise ConfigError(place.label, str(place.folder), "a folder that exists")
    return _existing(_asked_for(topics_dir) + _shipped())


def writing_dir(topics_dir: str = "") -> Path:
    """Where a new topic file belongs: the first folder that was asked for, the checkout's, else ``topics`` here; it may not exist."""
    asked = _asked_for(topics_dir)
    if asked:
        return Path(str(asked[0].folder))
    checkout = [Path(str(place.folder)) for place in _shipped() if place.label == "checkout"]
    return checkout[0] if checkout else Path("topics")


def shipped_dirs() -> list[Traversable]:
    """The folders of the topics that come with topicspider; empty when there are none."""
    return [place.folder for place in _shipped() if _is_folder(place.folder)]


def _existing(places: list[Place]) -> list[Traversable]:
    found = [place.folder for place in places if _is_folder(place.folder)]
    if not found:
        tried = ", ".join(map(str, places))
        raise ConfigError(
            "topics", "no folder", f"one of these: {tried}", "Set TOPICSPIDER_TOPICS_DIR to a folder of topic files."
        )
    return found


def _is_folder(folder: Traversable) -> bool:
    try:
        return folder.is_dir()
    except OSError:  # a name too long to be one
        return False


def _asked_for(topics_dir: str) -> list[Place]:
    named = [("TOPICSPIDER_TOPICS_DIR", topics_dir), (ENVIRONMENT, os.environ.get(ENVIRONMENT, ""))]
    return [Place(label, Path(os.path.expanduser(folder))) for label, folder in named if folder]  # noqa: PTH111  (never raises)


def _shipped() -> list[Place]:
    places = [Place("package", resources.files(topicspider).joinpath("topics"))]
    root = Path(topicspider.__file__).resolve().parent.parent
    # Only a checkout has scrapy.cfg there; in site-packages a folder named topics is somebody else's.
    if (root / "scrapy.cfg").is_file():
        places.insert(0, Place("checkout", root / "topics"))
    return places
