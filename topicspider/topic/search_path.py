"""Where topic files lie: a folder the user names, the checkout, or `topics` in this folder and the installed package (also inside an egg)."""

from __future__ import annotations

import os
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import topicspider
from topicspider.errors import ConfigError


def topic_dirs(topics_dir: str = "") -> list[Traversable]:
    """The folders of topic files, in the order in which they are searched; ConfigError when ``topics_dir`` is none."""
    if not topics_dir:
        here = writing_dir()
        return [*([here] if here.is_dir() and here != _checkout() else []), *shipped_dirs()]
    folder = Path(os.path.expanduser(topics_dir))  # noqa: PTH111  (never raises)
    if not os.path.isdir(folder):  # noqa: PTH112  (never raises)
        raise ConfigError("TOPICSPIDER_TOPICS_DIR", topics_dir, "a folder that exists")
    return [folder, *shipped_dirs()]


def writing_dir(topics_dir: str = "") -> Path:
    """Where a new topic file belongs: the folder of the setting, the checkout's, else ``topics`` here; it may not exist."""
    if topics_dir:
        return Path(topics_dir).expanduser()
    return _checkout() or Path("topics")


def shipped_dirs() -> list[Traversable]:
    """The folders of the topics that come with topicspider."""
    checkout, package = _checkout(), resources.files(topicspider).joinpath("topics")
    return [*([checkout] if checkout else []), *([package] if package.is_dir() else [])]


def _checkout() -> Path | None:
    """Only a checkout has scrapy.cfg there; in site-packages a folder named topics is somebody else's."""
    root = Path(topicspider.__file__).resolve().parent.parent
    return root / "topics" if (root / "scrapy.cfg").is_file() else None
