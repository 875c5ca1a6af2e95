"""Result records as plain data of JSON and back, with floats that are the same on every machine."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")
DIGITS = 6
"""Digits behind the point: the last bits of a float depend on the mathematical library of a machine."""


def rounded(record: Record) -> Record:
    """``record`` as it would be read back from a file: floats rounded, sequences as tuples."""
    return restored(type(record), plain(record))


def plain(value: Any) -> Any:
    """``value`` in lists, dicts with text keys, numbers and text; of another type, its text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value), key=str)
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0  # no -0.0
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def restored(kind: type[Record], data: Any) -> Record:
    """A record of ``kind`` from the plain data of one; raises ValueError, TypeError or KeyError for data of something else."""
    return cast("Record", _restored(kind, data))


def _restored(kind: Any, data: Any) -> Any:
    if is_dataclass(kind):
        hints = _hints(cast("type", kind))
        return cast("type", kind)(**{name: _restored(hint, data[name]) for name, hint in hints.items()})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if data is None else _restored(arguments[0], data)
    if origin is Mapping:
        return {_key(arguments[0], key): _restored(arguments[1], one) for key, one in data.items()}
    if origin is Sequence:
        return tuple(_restored(arguments[0], one) for one in data)
    if origin is tuple:
        return tuple(_restored(argument, one) for argument, one in zip(arguments, data, strict=True))
    return _scalar(kind, data)


def _scalar(kind: Any, data: Any) -> Any:
    if kind is float:
        return float(data)
    if kind is object:
        return tuple(data) if isinstance(data, list) else data
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is no {kind.__name__}")
    return data


def _key(kind: Any, key: str) -> Any:
    return int(key) if kind is int else key


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
