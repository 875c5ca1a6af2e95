"""What is said of a single setting, and how its value is read: text, number or yes and no, within its range."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.i18n import N_
from topicspider.i18n import gettext as _

PREFIX = "TOPICSPIDER_"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_LONGEST_FILE = 100_000_000


def setting_name(field_name: str) -> str:
    """``delay_min`` is TOPICSPIDER_DELAY_MIN."""
    return PREFIX + field_name.upper()


@dataclass(frozen=True, slots=True)
class Rule:
    """What is said about a setting beside its name, type and default.

    ``is_secret``: it may hold a password. It is shown nowhere, and ``@FILE`` stands for the line of a file.
    """

    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    source: str = ""
    is_secret: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words, for errors and docs."""
        if self.choices:
            return ", ".join(filter(None, self.choices))
        unit = f" {_(self.unit)}" if self.unit else ""
        if self.low is not None and self.high is not None:
            return _("{low:g} to {high:g}{unit}", low=self.low, high=self.high, unit=unit)
        if self.low is not None:
            return _("{low:g} or more{unit}", low=self.low, unit=unit)
        return ""


def setting(default: Any, help: str, **rule: Any) -> Any:  # noqa: A002
    """Declare a setting as the field of a dataclass: its default, its help, and the rest of its Rule."""
    return field(default=default, metadata={"rule": Rule(help, **rule)})


def checked(name: str, declared: Any, value: Any) -> Any:
    """What ``value`` says of the setting ``name``, declared as a field; its default for None. Raises ConfigError."""
    rule: Rule = declared.metadata["rule"]
    if value is None:
        return declared.default
    if rule.is_secret:
        value = _line_of_file(name, value)
    parsed = _PARSERS[type(declared.default)](name, value)
    is_outside = (rule.low is not None and parsed < rule.low) or (rule.high is not None and parsed > rule.high)
    if is_outside or (rule.choices and parsed not in rule.choices):
        raise ConfigError(name, value, rule.allowed)
    return parsed


def _line_of_file(name: str, value: Any) -> Any:
    """What ``@FILE`` stands for; errors name the file and say nothing of what is in it."""
    text = str(value).strip()
    if not text.startswith("@"):
        return value
    lines = _read(name, text, "@FILE, a file that can be read").strip().splitlines()
    if len(lines) != 1:
        raise ConfigError(name, text, "@FILE, a file of one line", _("It has {lines}", lines=len(lines)))
    return lines[0]


def lines_of(name: str, value: str, allowed: str = N_("@FILE with one entry a line")) -> list[str]:
    """The parts of ``A,B``, the lines where there are several, or the lines of ``@FILE``, without blanks and # comments; raises ConfigError."""
    is_file = value.startswith("@")
    parts = _read(name, value, allowed).splitlines() if is_file else value.split("\n" if "\n" in value else ",")
    return [part for one in parts if (part := _COMMENT.sub("", one).strip() if is_file else one.strip())]


def _read(name: str, value: str, allowed: str) -> str:
    path = Path(value[1:])
    try:
        with path.expanduser().open(encoding="utf-8-sig") as file:
            text = file.read(_LONGEST_FILE + 1)
    except (OSError, ValueError, RuntimeError) as error:  # no such file; not UTF-8; no such user
        why = getattr(error, "strerror", None) or N_("not UTF-8 text")
        raise ConfigError(name, value, allowed, f"{path}: {_(why)}") from None
    if len(text) > _LONGEST_FILE:  # of a device there is no end
        raise ConfigError(name, value, allowed, f"{path}: more than {_LONGEST_FILE:,} characters")
    return text


def as_bool(name: str, value: Any) -> bool:
    """Yes or no in the usual spellings; raises ConfigError."""
    if isinstance(value, (bool, int)) and value in (0, 1):
        return bool(value)
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", "", "none"):
        return False
    raise ConfigError(name, value, "1 or 0 (true or false)")


def _parse_int(name: str, value: Any) -> int:
    try:
        number = float(value)
        if number != int(number):
            raise ValueError
        return int(value) if not isinstance(value, str) or value.strip().lstrip("+-").isdigit() else int(number)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(name, value, "a whole number") from None


def _parse_float(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ConfigError(name, value, N_("a number")) from None
    if not math.isfinite(number):
        raise ConfigError(name, value, "a finite number")
    return number


def _parse_str(_name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return str(value).strip()


_PARSERS: dict[type, Any] = {bool: as_bool, int: _parse_int, float: _parse_float, str: _parse_str}
