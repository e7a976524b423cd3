"""Blame: which operation hid a message on the current path."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from ..errors import outside
from ..history.revisions import Batch, Revision, ancestor
from ..history.state import State
from ..operations import Operation
from ..values.models import read_number
from ..views.spans import indices_of

NEVER = "never visible here"


@dataclass(frozen=True, slots=True)
class Blame:
    """The revision, batch and operation that hid a message; all None if it never was visible."""

    revision: Revision | None
    batch: Batch | None
    operation: Operation | None

    def __str__(self) -> str:
        """Return the answer in words."""
        if self.batch is None:
            return NEVER
        told = self.batch.description
        title = self.operation.title if self.operation is not None else ""
        named = told if told.startswith(title) else f"{title} {told}"
        return f"hidden by batch {self.batch.number} {named}"

    def to_dict(self) -> dict[str, Any] | str:
        """Return ids and the operation, or the words for a message that never was visible."""
        if self.revision is None or self.batch is None:
            return NEVER
        return {
            "revision": self.revision.id,
            "batch": self.batch.id,
            "operation": self.operation and self.operation.to_dict(),
        }


def blame(state: State, raw: int) -> Blame | None:
    """Return what hid a message on this path, or None where it is visible.

    From the revision of the path that added it, a message is visible for one stretch and then never
    again, so both ends of that stretch are found by halving.
    """
    size = len(state.log)
    if not 0 <= read_number(raw, "index") < size:
        raise outside("index", raw, f"0…{size - 1}" if size else "the log, which is empty")
    current = state.current
    if raw in current.view:
        return None

    def at(depth: int) -> Revision:
        return ancestor(state.revisions, current, depth)

    depths = range(current.depth + 1)
    if raw in state.extras:
        births = [depth for depth in depths if raw in indices_of(at(depth).fresh)]
        born = births[0] if births else len(depths)
    else:
        born = bisect_left(depths, True, key=lambda depth: at(depth).log_size > raw)
    if born == len(depths) or raw not in at(born).view:
        return Blame(None, None, None)
    hid = bisect_left(depths, True, lo=born, key=lambda depth: raw not in at(depth).view)
    revision = at(hid)
    batch = state.named(state.batches[revision.batch])
    return Blame(revision, batch, revision.operation)
