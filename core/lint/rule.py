"""A lint rule as data: what is wrong, how bad it is, which repairs help, whose rule it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..settings import PROFILES
from .findings import Finding, Policy, Severity
from .projection import Projection


class Breach(NamedTuple):
    """A place where a rule is broken, in one sentence; no position means the whole projection.

    ``severity`` and ``repairs`` are given only where the rule is milder or allows less than usual.
    """

    position: int | None
    message: str
    severity: Severity | None = None
    repairs: tuple[Policy, ...] | None = None


Check = Callable[[Projection], Iterator[Breach]]
"""Yields every place of a projection where a rule is broken."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id, how bad a breach is, what is wrong in a few words, and the check.

    ``repairs`` are all that can ever apply. The findings of a rule that ``leads`` stand before
    those of others about the same place.
    """

    id: str
    severity: Severity
    words: str
    check: Check
    repairs: tuple[Policy, ...] = ()
    profiles: tuple[str, ...] = PROFILES
    leads: bool = False
    of_empty: bool = False
    """Whether a conversation in which nothing was ever said breaks it, too."""
    why: str = ""
    """Why a provider minds, in one sentence."""

    def findings(self, projection: Projection) -> list[Finding]:
        """Return a finding for every breach in a projection."""
        return [
            Finding(
                self.id,
                severity or self.severity,
                None if position is None else projection.raws[position],
                position,
                message,
                self.repairs if repairs is None else repairs,
            )
            for position, message, severity, repairs in self.check(projection)
        ]
