"""Findings: what lint has to say about one place of a projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ..values.plain import Plain, Readers

Severity = Literal["error", "warning"]
Policy = Literal["drop", "restore", "stub"]


@dataclass(frozen=True, slots=True)
class Finding(Plain):
    """One broken rule: where, how bad, in one sentence, and which repairs apply.

    ``raw_index`` and ``position`` are None where the finding is about the projection as a whole.
    """

    READERS: ClassVar[Readers] = {"repairs": tuple}

    rule: str
    severity: Severity
    raw_index: int | None
    position: int | None
    message: str
    repairs: tuple[Policy, ...] = ()
