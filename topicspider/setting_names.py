"""Refuses a name that looks like a setting of ours and is none: whoever mistypes TOPICSPIDER_FRONTIER would crawl alone."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields

from topicspider.defaults import PREFIX, RETIRED, Options
from topicspider.errors import ConfigError

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
        if rest != name and rest not in known and rest not in NOT_SETTINGS and rest.lower() not in RETIRED:
            yield rest


def _nearest(name: str, known: list[str]) -> str:
    # From .7 on a name counts as another one mistyped: STOER, STORE_URL and NODES do, HOME, IMAGE and VERSION do
    # not. A variable of the environment has to begin with the same letter, too: CONTAINER is no FRONTIER.
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), "")


def _wrong(name: str, near: str) -> ConfigError:
    hint = f"Did you mean {PREFIX}{near}?" if near else ""
    return ConfigError("setting", PREFIX + name, "the names that docs/settings.md lists", hint)
