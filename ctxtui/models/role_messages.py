"""The messages of one column of the roles view, found once for a look."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ctxtui.core.engine.log import role_table
from ctxtui.core.engine.queries import Query
from ctxtui.models.look import Look
from ctxtui.models.role_filter import RoleFilter


class RoleMessages:
    """What some roles said that a filter lets through: what is sent, and what is hidden.

    Only columns of the log are read, at the speed of bytes; no message is opened.
    """

    def __init__(self, look: Look, roles: Sequence[str], chosen: RoleFilter) -> None:
        self.look = look
        self.roles = tuple(roles)
        self.is_mixed = chosen.scope == "raw"
        """Whether hidden ones stand among the others instead of below them."""
        self.is_all = chosen.kind == "all"
        found = _until(look, chosen.ask(look.state, roles), in_order=self.is_mixed)
        self.listed = found
        self.hidden: list[int] = []
        if self.is_mixed:
            sent = _mask(look)
            self.hidden = [raw for raw in found if not sent[raw]]
        elif self.is_all:
            self.hidden = _until(look, Query(look.state).hidden(roles), in_order=True)
        table = role_table(self.roles)
        self.sent_count = look.view.column(look.state.log.roles).translate(table).count(1)
        self.raw_count = look.state.log.roles(0, look.log_size).translate(table).count(1)
        self.tokens = [(role, look.role_tokens[role]) for role in self.roles]


def _until(look: Look, raws: list[int], *, in_order: bool) -> list[int]:
    """Return only what was in the log when it was as it is looked at."""
    if look.is_live:
        return raws
    if in_order:
        return raws[: bisect_left(raws, look.log_size)]
    return [raw for raw in raws if raw < look.log_size]


def _mask(look: Look) -> bytearray:
    mask = bytearray(len(look.state.log))
    for start, length in look.view.runs():
        mask[start : start + length] = b"\1" * length
    return mask
