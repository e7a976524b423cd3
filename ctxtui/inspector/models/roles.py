"""Which messages the roles view shows: whose, what is sent or all of it, and how much of that."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from ctxtui.core.engine.log import role_table
from ctxtui.core.engine.queries import Query, Scope
from ctxtui.core.engine.state import State
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.values.models import ROLES
from ctxtui.core.values.numbers import count_in
from ctxtui.inspector.models.index_arrays import mask_of
from ctxtui.inspector.models.look import Look

FilterKind = Literal["all", "recent", "range", "between", "marked"]
KINDS: tuple[FilterKind, ...] = ("all", "recent", "range", "between", "marked")


class RoleFilter(NamedTuple):
    """A question asked once for each of some roles, or once for all of them together."""

    scope: Scope = "visible"
    kind: FilterKind = "all"
    text: str = ""
    numbers: tuple[int | None, int | None] = (None, None)
    roles: tuple[str, ...] = tuple(ROLES)
    is_together: bool = False

    def __str__(self) -> str:
        return self.kind if self.kind == "all" else f"{self.kind} {self.text}"

    @property
    def columns(self) -> tuple[tuple[str, ...], ...]:
        return (self.roles,) if self.is_together else tuple((role,) for role in self.roles)

    def turned(self, role: str) -> RoleFilter:
        """Return the same with a role chosen or cleared; one of them always stays."""
        others = tuple(one for one in ROLES if (one in self.roles) != (one == role))
        return self._replace(roles=others or self.roles)

    def ask(self, state: State, roles: Sequence[str]) -> list[int]:
        query, (first, second) = Query(state), self.numbers
        match self.kind:
            case "recent":
                return query.recent(first or 0, roles, self.scope)
            case "range":
                return query.range(first or 0, second or 0, roles, self.scope)
            case "between":
                return query.between(first, second, roles, self.scope)
            case "marked":
                return query.marked(self.text, roles, self.scope)
            case _:
                return query.all(roles, self.scope)


def hint(kind: FilterKind, labels: Sequence[str], *, is_together: bool) -> str:
    """Return what is asked for, with an example."""
    whose = "of these roles together" if is_together else "of each role"
    match kind:
        case "recent":
            return f"how many of the newest {whose}, such as 5"
        case "range":
            return f"places among those {whose}: 4…10 means 4 to 9"
        case "between":
            return "two times, such as 2026-05-01 09:00, 2026-05-01 17:30; either may be missing"
        case "marked":
            return f"a label: {', '.join(labels)}" if labels else "a label"
        case _:
            return ""


def read_filter(before: RoleFilter, kind: FilterKind, text: str) -> RoleFilter:
    """Return a filter that asks something else from what a user typed, or refuse it."""
    text = text.strip()
    match kind:
        case "recent":
            count = count_in(text)
            if count is None:
                raise _refused(kind, text, "a number of messages such as 5")
            numbers: tuple[int | None, int | None] = (count, None)
        case "range":
            found = re.fullmatch(r"(\d{1,12})\s*(?:-|–|…|\.\.+|,|\s)\s*(\d{1,12})", text, re.ASCII)
            if found is None or int(found[1]) > int(found[2]):
                raise _refused(kind, text, "two places, the first one first, such as 4…10")
            numbers = (int(found[1]), int(found[2]))
        case "between":
            start, comma, end = text.partition(",")
            if not comma:
                raise _refused(kind, text, "two times with a comma between them")
            numbers = (_time(start), _time(end))
        case "marked":
            if not text:
                raise _refused(kind, text, "a label")
            numbers = (None, None)
        case _:
            text, numbers = "", (None, None)
    return before._replace(kind=kind, text=text, numbers=numbers)


def _time(text: str) -> int | None:
    """Return a time in milliseconds; nothing at all is no limit."""
    text = text.strip()
    if not text:
        return None
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise _refused("time", text, "a time such as 2026-05-01 09:00") from None


def _refused(what: str, text: str, legal: str) -> Refused:
    return Refused(
        f"{what} {format_value(text)} is not {legal}", field=what, value=text, legal=legal
    )


# The messages of one column of the roles view, found once for a look.


class RoleMessages:
    """What some roles said that a filter lets through: what is sent, and what is hidden.

    Only columns of the log are read, at the speed of bytes; no message is opened.
    """

    def __init__(self, look: Look, roles: Sequence[str], chosen: RoleFilter) -> None:
        self.look = look
        self.roles = tuple(roles)
        self.is_mixed = chosen.scope == "raw"
        """Whether hidden ones are among the others instead of below them."""
        self.is_all = chosen.kind == "all"
        found = _until(look, chosen.ask(look.state, roles), in_order=self.is_mixed)
        self.listed = found
        self.hidden: list[int] = []
        if self.is_mixed:
            sent = mask_of(look.view, len(look.state.log))
            self.hidden = [raw for raw in found if not sent[raw]]
        elif self.is_all:
            self.hidden = _until(look, Query(look.state).hidden(roles), in_order=True)
        table = role_table(self.roles)
        self.sent_count = look.view.column(look.state.log.roles).translate(table).count(1)
        self.raw_count = look.state.log.roles(0, look.log_size).translate(table).count(1)
        self.tokens = [(role, look.role_tokens[role]) for role in self.roles]


def _until(look: Look, raws: list[int], *, in_order: bool) -> list[int]:
    """Return only what was in the log at the state that is shown."""
    if look.is_live:
        return raws
    if in_order:
        return raws[: bisect_left(raws, look.log_size)]
    return [raw for raw in raws if raw < look.log_size]
