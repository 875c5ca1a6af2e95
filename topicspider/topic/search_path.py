"""The folders of topic files: one named by the user, the checkout's, `topics` in the current folder, the installed package's (or egg's)."""

from __future__ import annotations

import os
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import topicspider
from topicspider.errors import ConfigError


def topic_dirs(topics_dir: str = "") -> list[Traversable]:
    """The folders of topic files, in the order in which they are searched; ConfigError when ``topics_dir`` is no folder."""
    if not topics_dir:
        here = writing_dir()
        return [*([here] if here.is_dir() and here != _checkout() else []), *shipped_dirs()]
    folder = Path(os.path.expanduser(topics_dir))  # noqa: PTH111  (never raises)
    if not os.path.isdir(folder):  # noqa: PTH112  (never raises)
        raise ConfigError("TOPICSPIDER_TOPICS_DIR", topics_dir, "a folder that exists")
    return [folder, *shipped_dirs()]


def writing_dir(topics_dir: str = "") -> Path:
    """The folder for a new topic file: that of the setting, the checkout's, else ``topics`` in the current folder; it may not exist."""
    if topics_dir:
        return Path(topics_dir).expanduser()
    return _checkout() or Path("topics")


def shipped_dirs() -> list[Traversable]:
    """The folders of the topics that come with topicspider."""
    checkout, package = _checkout(), resources.files(topicspider).joinpath("topics")
    return [*([checkout] if checkout else []), *([package] if package.is_dir() else [])]


def _checkout() -> Path | None:
    """The topics folder of a checkout, which has scrapy.cfg beside it; None in site-packages, where a folder named topics is foreign."""
    root = Path(topicspider.__file__).resolve().parent.parent
    return root / "topics" if (root / "scrapy.cfg").is_file() else None
