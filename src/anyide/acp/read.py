"""JSON of the protocol as typed messages, and back, without loss.

A variant that is not known becomes `Unknown`, a field that is not known is kept in `extra`, and an
optional field that does not fit is kept there too: clients of other versions must not fail us.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from anyide.acp.messages import EXTRA, Message, Unknown
from anyide.errors import InvalidParams
from anyide.rpc.params import explain

T = TypeVar("T")
_NONE = type(None)


class Misfit(ValueError):
    """A value is not of the kind that is wanted; says where and why."""

    def __init__(self, place: str, problem: str) -> None:
        self.place = place
        super().__init__(f"{place}: {problem}" if place else problem)


def read_params(params: Any, kind: Any) -> Any:
    """Params, raw or left out, as a message; raises InvalidParams, which names the argument."""
    try:
        data = {} if params is UNSET else msgspec.json.decode(params)
        return read(data, kind)
    except Misfit as error:
        raise InvalidParams(str(error)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidParams(f"the params cannot be read: {error}") from error


def read(data: Any, kind: Any, place: str = "") -> Any:
    """JSON as a value of this kind; raises Misfit."""
    members = _members(kind)
    if Any in members:
        return data
    if data is None and _NONE in members:
        return None
    structs_ = [m for m in members if isinstance(m, type) and issubclass(m, Struct)]
    if isinstance(data, dict) and structs_:
        return _read_object(data, structs_, place)
    if isinstance(data, list) and any(get_origin(m) is list for m in members):
        return _read_list(data, members, place)
    if isinstance(data, dict) and any(get_origin(m) is dict for m in members):
        return _read_mapping(data, members, place)
    return _read_plain(data, members, place)


def lossless(message: Any) -> Any:
    """The JSON of a message, with what was not known in its place."""
    return _with_extra(msgspec.to_builtins(message))


def _with_extra(data: Any) -> Any:
    if isinstance(data, list):
        return [_with_extra(item) for item in data]
    if isinstance(data, dict):
        extra = data.pop(EXTRA, {})
        return {**{name: _with_extra(value) for name, value in data.items()}, **extra}
    return data


def _read_object(data: dict[str, Any], kinds: list[type[Struct]], place: str) -> Any:
    chosen = _choose(data, kinds)
    if chosen is None:
        raise Misfit(place, "none of the known shapes")
    return Unknown(extra=data) if chosen is Unknown else _read_struct(data, chosen, place)


def _choose(data: dict[str, Any], kinds: list[type[Struct]]) -> type[Struct] | None:
    """The shape whose tag is there, else the first without a tag that has all it needs."""
    plain = [kind for kind in kinds if kind.__struct_config__.tag_field is None]
    for kind in kinds:
        config = kind.__struct_config__
        if config.tag_field is not None and data.get(config.tag_field) == config.tag:
            return kind
    if kinds == plain and len(kinds) == 1:
        return kinds[0]
    for kind in plain:
        if kind is not Unknown and _required(kind) <= data.keys():
            return kind
    return Unknown if Unknown in kinds else None


def _read_struct(data: dict[str, Any], kind: type[Struct], place: str) -> Any:
    values: dict[str, Any] = {}
    extra = dict(data)
    extra.pop(kind.__struct_config__.tag_field or "", None)
    for name, (wire, wanted, is_required) in _fields(kind).items():
        where = f"{place}.{wire}" if place else wire
        if wire not in extra:
            if is_required:
                raise Misfit("", f"{where} is missing")
            continue
        try:
            values[name] = read(extra[wire], wanted, where)
        except Misfit:
            if is_required:
                raise
            continue
        del extra[wire]
    return kind(**values, **({"extra": extra} if extra else {}))


def _read_list(data: list[Any], members: tuple[Any, ...], place: str) -> list[Any]:
    problem: Misfit | None = None
    for member in members:
        if get_origin(member) is list:
            (inner,) = get_args(member)
            try:
                return [read(item, inner, f"{place}[{at}]") for at, item in enumerate(data)]
            except Misfit as error:
                problem = problem or error
    assert problem is not None
    raise problem


def _read_mapping(data: dict[str, Any], members: tuple[Any, ...], place: str) -> Mapping[str, Any]:
    (member,) = [m for m in members if get_origin(m) is dict]
    inner = get_args(member)[1]
    return {name: read(item, inner, f"{place}.{name}") for name, item in data.items()}


def _read_plain(data: Any, members: tuple[Any, ...], place: str) -> Any:
    wanted = [str if get_origin(m) is Literal else m for m in members]
    plain = [m for m in wanted if m in (str, int, float, bool, _NONE)]
    try:
        return msgspec.convert(data, Union[tuple(plain)] if plain else dict)  # noqa: UP007
    except msgspec.ValidationError as error:
        raise Misfit(place, explain(str(error)).removeprefix("params: ")) from error


@cache
def _fields(kind: type[Struct]) -> dict[str, tuple[str, Any, bool]]:
    return {
        f.name: (f.encode_name, f.type, f.required)
        for f in structs.fields(cast("type[Message]", kind))
        if f.encode_name != EXTRA
    }


@cache
def _required(kind: type[Struct]) -> frozenset[str]:
    return frozenset(wire for wire, _, is_required in _fields(kind).values() if is_required)


def _members(wanted: Any) -> tuple[Any, ...]:
    if get_origin(wanted) in (Union, types.UnionType):
        return tuple(member for member in get_args(wanted) if member is not UnsetType)
    return (wanted,)
