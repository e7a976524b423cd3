"""Which messages the roles view shows: what is sent or all of it, and how much of that."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal, NamedTuple

from core.errors import Refused, shown
from core.history.state import State
from core.queries.query import Query, Scope

FilterKind = Literal["all", "recent", "range", "between", "marked"]

HINTS: dict[FilterKind, str] = {
    "all": "",
    "recent": "how many of the newest of each role, such as 5",
    "range": "the first and the last place within each role, such as 0-9",
    "between": "two times, such as 2026-05-01 09:00, 2026-05-01 17:30; either may be missing",
    "marked": "a label",
}
DIGITS = 12
"""More digits than any place in a conversation has."""


class RoleFilter(NamedTuple):
    """A question asked once for each role; only its answers are shown."""

    scope: Scope = "visible"
    kind: FilterKind = "all"
    text: str = ""
    numbers: tuple[int | None, int | None] = (None, None)

    def __str__(self) -> str:
        """Return the question in a few words."""
        return self.kind if self.kind == "all" else f"{self.kind} {self.text}"

    def ask(self, state: State, role: str) -> list[int]:
        """Return the raw indices of a role that are let through."""
        query, (first, second) = Query(state), self.numbers
        match self.kind:
            case "recent":
                return query.recent(first or 0, role, self.scope)
            case "range":
                return query.range(first or 0, (second or 0) + 1, role, self.scope)
            case "between":
                return query.between(first, second, role, self.scope)
            case "marked":
                return query.marked(self.text, role, self.scope)
            case _:
                return query.all(role, self.scope)


def read_filter(scope: Scope, kind: FilterKind, text: str) -> RoleFilter:
    """Return a filter from what a user typed, or refuse it in one sentence."""
    text = text.strip()
    match kind:
        case "recent":
            if not _is_number(text):
                raise _refused(kind, text, "a number of messages such as 5")
            return RoleFilter(scope, kind, text, (int(text), None))
        case "range":
            found = re.fullmatch(r"(\d{1,12})\s*(?:-|–|…|\.\.+|,|\s)\s*(\d{1,12})", text, re.ASCII)
            if found is None or int(found[1]) > int(found[2]):
                raise _refused(kind, text, "two places, the first one first, such as 0-9")
            return RoleFilter(scope, kind, text, (int(found[1]), int(found[2])))
        case "between":
            start, comma, end = text.partition(",")
            if not comma:
                raise _refused(kind, text, "two times with a comma between them")
            return RoleFilter(scope, kind, text, (_time(start), _time(end)))
        case "marked":
            if not text:
                raise _refused(kind, text, "a label")
            return RoleFilter(scope, kind, text)
        case _:
            return RoleFilter(scope)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


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
    return Refused(f"{what} {shown(text)} is not {legal}", field=what, value=text, legal=legal)
