"""Where topic files lie: a folder the user names, the checkout, or the installed package (also inside an egg)."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import topicspider
from topicspider.errors import ConfigError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ENVIRONMENT = "TOPICS_DIR"


def topic_dirs(topics_dir: str = "") -> list[Traversable]:
    """The folders of topic files, in the order in which they are searched; never empty.

    A folder that was asked for (``topics_dir``, the environment variable TOPICS_DIR) must exist:
    ConfigError, as when there is no folder at all, which lists every place tried.
    """
    asked_for = _asked_for(topics_dir)
    for name, folder in asked_for:
        if not _is_folder(folder):
            raise ConfigError(name, str(folder), "a folder that exists")
    folders = [*(folder for _name, folder in asked_for), *shipped_dirs()]
    if not folders:
        tried = ", ".join(f"{name} {folder}" for name, folder in _shipped())
        hint = "Set TOPICSPIDER_TOPICS_DIR to a folder of topic files."
        raise ConfigError("topics", "no folder", f"one of these: {tried}", hint)
    return folders


def writing_dir(topics_dir: str = "") -> Path:
    """Where a new topic file belongs: the first folder that was asked for, the checkout's, else ``topics`` here; it may not exist."""
    folders = _asked_for(topics_dir) or [named for named in _shipped() if named[0] == "checkout"]
    return Path(str(folders[0][1])) if folders else Path("topics")


def shipped_dirs() -> list[Traversable]:
    """The folders of the topics that come with topicspider; empty when there are none."""
    return [folder for _name, folder in _shipped() if _is_folder(folder)]


def _is_folder(folder: Traversable) -> bool:
    try:
        return folder.is_dir()
    except OSError:  # a name too long to be one
        return False


def _asked_for(topics_dir: str) -> list[tuple[str, Traversable]]:
    named = [("TOPICSPIDER_TOPICS_DIR", topics_dir), (ENVIRONMENT, os.environ.get(ENVIRONMENT, ""))]
    return [(name, Path(os.path.expanduser(folder))) for name, folder in named if folder]  # noqa: PTH111  (never raises)


def _shipped() -> list[tuple[str, Traversable]]:
    folders: list[tuple[str, Traversable]] = [("package", resources.files(topicspider).joinpath("topics"))]
    root = Path(topicspider.__file__).resolve().parent.parent
    # Only a checkout has scrapy.cfg there; in site-packages a folder named topics is somebody else's.
    if (root / "scrapy.cfg").is_file():
        folders.insert(0, ("checkout", root / "topics"))
    return folders
