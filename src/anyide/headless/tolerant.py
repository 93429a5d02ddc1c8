"""A struct from JSON that does not quite fit it: each field by itself, unknown parts kept."""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, structs

from anyide.headless.messages import Unknown

MISSING = object()


def build(kind: type[Struct], data: dict[str, Any]) -> Struct | object:
    """The struct with every field that fits; MISSING when one that it needs does not."""
    values = {}
    for field in structs.fields(kind):
        if field.encode_name not in data:
            continue
        value = _fit(field.type, data[field.encode_name])
        if value is not MISSING:
            values[field.name] = value
    try:
        return kind(**values)
    except TypeError:
        return MISSING


def _fit(wanted: Any, value: Any) -> Any:
    if wanted is Raw:
        return Raw(msgspec.json.encode(value))
    try:
        return msgspec.convert(value, wanted)
    except (msgspec.ValidationError, TypeError):
        pass
    if isinstance(value, list):
        return _fit_list(wanted, value)
    if isinstance(value, dict):
        return _fit_object(wanted, value)
    return MISSING


def _fit_list(wanted: Any, value: list[Any]) -> Any:
    for member in _members(wanted):
        if get_origin(member) is list:
            (inner,) = get_args(member)
            fitted = [_fit(inner, item) for item in value]
            return [item for item in fitted if item is not MISSING]
    return MISSING


def _fit_object(wanted: Any, value: dict[str, Any]) -> Any:
    kinds = [m for m in _members(wanted) if isinstance(m, type) and issubclass(m, Struct)]
    by_tag = {kind.__struct_config__.tag: kind for kind in kinds}
    if Unknown in kinds:
        name = value.get("type")
        kind = by_tag.get(name) if isinstance(name, str) else None
        built = MISSING if kind is None else build(kind, value)
        return _kept(value) if built is MISSING else built
    if kinds:
        return build(kinds[0], value)
    return _fit_mapping(wanted, value)


def _fit_mapping(wanted: Any, value: dict[str, Any]) -> Any:
    for member in _members(wanted):
        if get_origin(member) is dict:
            inner = get_args(member)[1]
            fitted = {name: _fit(inner, item) for name, item in value.items()}
            return {name: item for name, item in fitted.items() if item is not MISSING}
    return MISSING


def _members(wanted: Any) -> tuple[Any, ...]:
    if get_origin(wanted) in (Union, types.UnionType):
        return get_args(wanted)
    return (wanted,)


def _kept(value: dict[str, Any]) -> Unknown:
    name = value.get("type")
    return Unknown(kind=name if isinstance(name, str) else "", raw=msgspec.json.encode(value))
