"""A Scrapy project that is not ours but uses topicspider, made in a folder for one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.crawling import environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ADDON = 'ADDONS = {"topicspider.addon.TopicSpiderAddon": 100}\n'
TOPIC = 'TOPICSPIDER_TOPIC = "tourism"\n'
BASE = 'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\n' + ADDON
WITHOUT_DELAYS = "TOPICSPIDER_DELAY_MIN = 0\nTOPICSPIDER_DELAY_FACTOR = 0\n"


def make_project(folder: Path, settings: str, spiders: str, pipelines: str = "") -> Path:
    """A project ``shop`` in ``folder``: ``scrapy.cfg``, a module of settings, one of spiders, one of pipelines."""
    files = {
        "scrapy.cfg": "[settings]\ndefault = shop.settings\n",
        "shop/__init__.py": "",
        "shop/settings.py": settings,
        "shop/spiders.py": spiders,
        "shop/pipelines.py": pipelines,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def outside(proxy: str = "") -> Mapping[str, str]:
    """The environment of a user who has topicspider installed and a project of their own."""
    env = environment(proxy)
    del env["SCRAPY_SETTINGS_MODULE"]
    return {**env, "PYTHONWARNINGS": "default::DeprecationWarning"}
