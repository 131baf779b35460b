"""Turning JSON into the classes of `models`, by their annotations. What a class does not know is left out."""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from archiv_client.errors import Unreadable

Model = TypeVar("Model")


def read(kind: type[Model], data: Any) -> Model:
    """Return an object of this class, made from JSON. Raises `Unreadable`."""
    try:
        made = _value(kind, data)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"This is no {kind.__name__}: {error!r}") from error
    assert isinstance(made, kind)
    return made


def _value(kind: Any, data: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{one.name: _value(hints[one.name], data[one.name]) for one in fields(kind)})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (inner,) = [one for one in arguments if one is not types.NoneType]
        return None if data is None else _value(inner, data)
    if origin is Literal:
        return data
    if origin is tuple:
        return tuple(_value(arguments[0], one) for one in data)
    if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {key: _value(arguments[1], one) for key, one in data.items()}
    if kind is UUID:
        return UUID(data)
    if kind is datetime:
        return datetime.fromisoformat(data)
    if kind is date:
        return date.fromisoformat(data)
    return data


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
