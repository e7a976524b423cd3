"""What a step does, in the words of its operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxtui.core import Refused
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.errors import format_value
from ctxtui.core.scripts.steps import Step


class Doing(NamedTuple):
    """An operation of a step: its name, and what it is given."""

    name: str
    argument: str


def doing(steps: tuple[Step, ...]) -> list[Doing]:
    """Return the operations of a step in order, those of a transaction one by one."""
    found = []
    for step in steps:
        if step.policy is not None:
            found.append(Doing("POLICY", step.policy.name if step.policy.is_named else ""))
        else:
            asks = step.ask if isinstance(step.ask, list) else [step.ask]
            found += [_told(one) for one in asks]
    return found


def _told(ask: Any) -> Doing:
    """Return an operation in the words it is written in, shortened as everywhere."""
    named = ask.get("operation") if isinstance(ask, Mapping) else None
    if not isinstance(named, str):
        return Doing("?", "")
    try:
        name, _, argument = read_operation(ask).sentence().partition(" ")
    except Refused:
        return Doing(named, _own_words(ask, named))  # What must be refused.
    return Doing(name, argument) if named.isupper() else Doing(named, _own_words(ask, named))


def _own_words(ask: Mapping[str, Any], named: str) -> str:
    """Return the fields of an operation as they are written; those in a nested object as well."""
    fields = {key: value for key, value in ask.items() if key != "operation"}
    inner = fields.pop(named, None)
    if isinstance(inner, Mapping):
        fields = {**inner, **fields}
    return ", ".join(f"{key} {_value(value)}" for key, value in fields.items())


def _value(value: Any) -> str:
    match value:
        case {"role": str(role)}:
            return role
        case list() if any(isinstance(one, Mapping) for one in value):
            return " ".join(map(_value, value))
        case list():
            return f"[{', '.join(map(str, value))}]"
        case Mapping():
            return " ".join(f"{key} {_value(one)}" for key, one in value.items())
        case bool() | None:
            return format_value(value)
        case _:
            return str(value)
