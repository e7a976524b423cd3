"""Questions about a conversation; every answer is a list of raw indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Literal

from ..errors import not_a, outside
from ..history.columns import role_table
from ..history.state import State
from ..values.models import read_count, read_label, read_number
from ..values.roles import ROLES, read_role
from ..views.spans import spans_of, subtract
from ..views.view import View
from .text_search import Finder

Scope = Literal["visible", "raw"]
BLOCK_MESSAGES = 1024


class Query:
    """Asks a state; ``roles`` limits every question, ``scope`` chooses the log or the projection.

    Answers are in visible order, or for the scope ``raw`` in the order of the log.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def all(self, roles: str | Iterable[str] | None = None, scope: Scope = "visible") -> list[int]:
        """Return every message of the roles."""
        return list(self._each(self._view(scope), roles))

    def recent(
        self, k: int, roles: str | Iterable[str] | None = None, scope: Scope = "visible"
    ) -> list[int]:
        """Return the last k messages of the roles; looks only at the end of the log."""
        count = read_count(k, "k")
        view, table = self._view(scope), _table(roles)
        found: list[int] = []
        for start, length in view.runs(backwards=True):
            if len(found) >= count:
                break
            stop = start + length
            while stop > start and len(found) < count:
                block = max(start, stop - BLOCK_MESSAGES)
                hits = self._state.log.roles(block, stop).translate(table)
                at = hits.rfind(1)
                while at >= 0 and len(found) < count:
                    found.append(block + at)
                    at = hits.rfind(1, 0, at)
                stop = block
        return found[::-1]

    def range(
        self,
        start: int,
        end: int,
        roles: str | Iterable[str] | None = None,
        scope: Scope = "visible",
    ) -> list[int]:
        """Return the messages at positions start…end−1, counted within the roles."""
        lo, hi = read_count(start, "start"), read_count(end, "end")
        if lo > hi:
            raise outside("start", lo, f"0…{hi}", why="the end")
        return list(self._each(self._view(scope), roles))[lo:hi]

    def count(self, roles: str | Iterable[str] | None = None, scope: Scope = "visible") -> int:
        """Return how many messages of the roles there are."""
        view = self._view(scope)
        if roles is None:
            return len(view)
        return view.column(self._state.log.roles).translate(_table(roles)).count(1)

    def between(
        self,
        start: int | None = None,
        end: int | None = None,
        roles: str | Iterable[str] | None = None,
        scope: Scope = "visible",
    ) -> list[int]:
        """Return the messages of a time range, both ends included; no time, no match."""
        lo = None if start is None else read_number(start, "start")
        hi = None if end is None else read_number(end, "end")
        log = self._state.log
        return [
            raw
            for raw in self._each(self._view(scope), roles)
            if (at := log[raw].timestamp) is not None
            and (lo is None or lo <= at)
            and (hi is None or at <= hi)
        ]

    def marked(
        self, label: str, roles: str | Iterable[str] | None = None, scope: Scope = "visible"
    ) -> list[int]:
        """Return the messages that carry a label."""
        marked = set(self._state.head.marks.get(read_label(label, "label"), ()))
        return [raw for raw in self._each(self._view(scope), roles) if raw in marked]

    def search(
        self,
        text: str,
        regex: bool = False,
        case_sensitive: bool = False,
        roles: str | Iterable[str] | None = None,
        scope: Scope = "visible",
    ) -> list[int]:
        """Return the messages in whose words a text or a regular expression occurs."""
        finder, log = Finder(text, regex, case_sensitive), self._state.log
        candidates = self._each(self._view(scope), roles)
        return list(finder.among((raw, log[raw]) for raw in candidates))

    def hidden(self, roles: str | Iterable[str] | None = None) -> list[int]:
        """Return the messages of the log that are not visible, in the order of the log."""
        spans = subtract([(0, len(self._state.log))], spans_of(self._state.view.runs()))
        rest = View.of_runs([(start, stop - start) for start, stop in spans])
        return list(self._each(rest, roles))

    def to_raw(self, position: int) -> int:
        """Return the raw index of a visible position."""
        view, at = self._state.view, read_number(position, "position")
        if not 0 <= at < len(view):
            legal = f"0…{len(view) - 1}" if len(view) else "the projection, which is empty"
            raise outside("position", at, legal)
        return view[at]

    def to_visible(self, raw: int) -> int | None:
        """Return where a message stands, or None where it is hidden or unknown."""
        return self._state.view.position(read_number(raw, "index"))

    def _view(self, scope: Scope) -> View:
        if scope == "visible":
            return self._state.view
        if scope == "raw":
            return View.of_runs([(0, len(self._state.log))])
        raise not_a("scope", scope, "one of visible, raw")

    def _each(self, view: View, roles: str | Iterable[str] | None) -> Iterator[int]:
        if roles is None:
            return iter(view)
        return compress(view, view.column(self._state.log.roles).translate(_table(roles)))


def _table(roles: str | Iterable[str] | None) -> bytes:
    if roles is None:
        return role_table(ROLES)
    if not isinstance(roles, Iterable):
        raise not_a("roles", roles, f"a role or a list of roles ({', '.join(ROLES)})")
    return role_table([read_role(role) for role in ([roles] if isinstance(roles, str) else roles)])
