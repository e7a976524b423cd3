"""What a step does, in the words of its operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core import Refused
from core.operations.dialects import read_operation
from core.scripts.steps import Step


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
    """Return an operation in words; one that can't be read, which must be refused, by its name."""
    try:
        name, _, argument = read_operation(ask).sentence().partition(" ")
    except Refused:
        named = ask.get("operation") if isinstance(ask, Mapping) else None
        name, argument = (named.upper() if isinstance(named, str) else "?"), ""
    return Doing(name, argument)
