"""Options: what can be chosen before something is done, one row each."""

from __future__ import annotations

from typing import Literal, NamedTuple

OptionKind = Literal["turn", "flag", "typed"]
"""Whether it is turned among a few values, on or off, or typed."""


class Option(NamedTuple):
    """One thing to choose: what it is called, and what is chosen, in words."""

    name: str
    label: str
    value: str
    kind: OptionKind = "turn"
    group: str = ""
    is_on: bool = False
    """Whether it counts: a flag that is set, or a value that is not the usual one."""
    about: str = ""
    """A few words behind the value, such as how much there is of it."""
