"""Tells settings by their names: in the environment, and refuses what looks like one of ours and is none.

Whoever mistypes TOPICSPIDER_FRONTIER would crawl alone.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import topicspider
from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.setting_rules import PREFIX, setting_name

_NAMES = tuple(setting_name(field.name) for field in fields(Options))
NOT_SETTINGS = frozenset(("COMMAND", "PYTHON", "CORPORA"))  # variables that scripts and tests read
_OF_A_SERVICE = re.compile(r"(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_[0-9]+_(TCP|UDP|SCTP)(_\w+)?)")
"""Kubernetes sets such variables in every pod beside a Service that is called topicspider."""


def check_names(settings: Iterable[str], environment: Iterable[str]) -> None:
    """Raise ConfigError for a setting of no name of ours, and for a variable that is nearly called as one of ours.

    Others may have variables that begin as ours do. No value is shown, it may be a password.
    """
    known = [field.name.upper() for field in fields(Options)]
    for name in _unknown(settings, known):
        raise _wrong(name, _nearest(name, known))
    for name in _unknown(environment, known):
        near = _nearest(name, [one for one in known if one[0] == name[:1]])
        if near and not _OF_A_SERVICE.fullmatch(name):
            raise _wrong(name, near)


def _unknown(names: Iterable[str], known: list[str]) -> Iterator[str]:
    """Without our prefix, which would make all of them alike."""
    for name in names:
        rest = name.removeprefix(PREFIX)
        if rest != name and rest not in known and rest not in NOT_SETTINGS:
            yield rest


def _nearest(name: str, known: list[str]) -> str:
    # From .7 on a name counts as another one mistyped: STOER, STORE_URL and NODES do, HOME, IMAGE and VERSION do
    # not. A variable of the environment has to begin with the same letter, too: CONTAINER is no FRONTIER.
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), "")


def _wrong(name: str, near: str) -> ConfigError:
    hint = _("Did you mean {near}?", near=PREFIX + near) if near else ""
    return ConfigError("setting", PREFIX + name, "the names that docs/settings.md lists", hint)


def from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings among the variables of a process: they have the same names; an empty one is none."""
    return {name: environment[name] for name in _NAMES if environment.get(name)}


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What a crawl of its own is started with, that shares nothing with the crawls that ``environment`` is set up for."""
    return {name: value for name, value in environment.items() if name not in _NAMES}


def package_environment() -> dict[str, str]:
    """The environment in which a child process finds this package, from whatever folder it is started."""
    folder = str(Path(topicspider.__file__).parent.parent)
    paths = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
