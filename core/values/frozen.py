"""Deeply frozen JSON values, so that what the engine holds can't be edited."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

from ..errors import Refused, format_value, wrong_type

DEEPEST = 100
MOST_BITS = 14_000
"""Python neither reads nor writes longer numbers as text."""
SHORT = 1 << 63
"""Numbers up to here are surely not too long."""


class FrozenDict(dict[str, Any]):
    """A dict that can be read, compared and serialised like any other, but never changed."""

    __slots__ = ()

    def __init__(self, *given: Any, **named: Any) -> None:
        if self:
            self._refuse()
        super().__init__(*given, **named)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("messages are frozen; build a new one instead")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


def of_frozen(items: dict[str, Any]) -> FrozenDict:
    """Return an object whose values are known to be frozen and legal already."""
    # Filled past its own __init__, which is there to refuse others and takes longer than this.
    frozen = FrozenDict.__new__(FrozenDict)
    dict.update(frozen, items)
    return frozen


LEAVES = frozenset((str, bool, type(None)))
"""Types of which every value is frozen and legal; nearly all values in messages are of them."""
ONLY_TEXT = frozenset((str,))


def freeze(value: object, field: str, depth: int = 0) -> Any:
    """Return a frozen copy of a JSON value; refuse what JSON or the depth limit does not allow."""
    # What a parser gives is of these very types; whatever else is legal takes the longer way.
    kind = type(value)
    if kind in LEAVES:
        return value
    if kind is dict and depth < DEEPEST and ONLY_TEXT.issuperset(map(type, value)):  # type: ignore[call-overload]
        frozen = of_frozen(value)  # type: ignore[arg-type]
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(item) not in LEAVES:
                dict.__setitem__(frozen, key, freeze(item, field, depth + 1))
        return frozen
    if kind is int and -SHORT < value < SHORT:  # type: ignore[operator]
        return value
    if kind is list and depth < DEEPEST:
        return tuple([freeze(item, field, depth + 1) for item in value])  # type: ignore[attr-defined]
    return _freeze_other(value, field, depth)


def _freeze_other(value: object, field: str, depth: int) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise wrong_type(field, value, f"a number of at most {MOST_BITS // 4:,} digits")
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise wrong_type(field, value, "a JSON number (NaN and Infinity can't be stored)")
        return value
    if not isinstance(value, Mapping | list | tuple):
        raise wrong_type(
            field, value, "a JSON value (text, number, true, false, null, list, object)"
        )
    if depth == DEEPEST:
        raise Refused(
            f"{field} is nested deeper than {DEEPEST} levels",
            field=field,
            legal=f"at most {DEEPEST} levels",
        )
    if not isinstance(value, Mapping):
        return tuple([freeze(item, field, depth + 1) for item in value])
    for key in value:
        if not isinstance(key, str):
            raise Refused(
                f"{field} has the key {format_value(key)}; keys of a JSON object are text",
                field=field,
                value=key,
                legal="text",
            )
    return FrozenDict({key: freeze(item, field, depth + 1) for key, item in value.items()})


def freeze_object(value: object, field: str) -> FrozenDict:
    """Return a frozen copy of a JSON object; refuse anything else."""
    if type(value) is not dict and not isinstance(value, Mapping):
        raise wrong_type(field, value, "a JSON object")
    frozen: FrozenDict = freeze(value, field)
    return frozen


def thaw(value: Any) -> Any:
    """Return a plain, editable copy of a frozen JSON value."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value


def same_json(one: Any, other: Any) -> bool:
    """Return whether two values are written as the same JSON; 1, 1.0 and true are three values."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    if type(one) is float and type(other) is float:
        return repr(one) == repr(other)  # -0.0 is not 0.0, and NaN is NaN
    return type(one) is type(other) and bool(one == other)
