"""One column of the roles view: what a role said that is sent, and below it what is hidden."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import LineSource
from ctxtui.models.role_messages import RoleMessages
from ctxtui.render.roles import (
    RoleRow,
    head_lines,
    hidden_line,
    rule_line,
    tall_lines,
    wide_line,
)
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line

RULE = -1
"""The key of the line between what is sent and what is hidden."""
WIDE_CELLS = 56
"""Cells from which on a message has room on one line."""


class RoleSource(LineSource):
    """Lines for the messages of some roles that a filter lets through; keys are raw indices.

    A message takes two rows in a narrow column, and one in a wide one.
    """

    def __init__(self, found: RoleMessages, noted: Container[int] = ()) -> None:
        self.found = found
        self._noted = noted
        self.look = found.look
        self._below = [] if found.is_mixed else found.hidden

    def headers(self, width: int) -> list[Line]:
        """Return counts, tokens and share, and the share as a bar."""
        return head_lines(self.found, width)

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.found.listed) + (1 + len(self._below) if self._below else 0)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that messages take two rows where one is too short for them."""
        return () if width >= WIDE_CELLS else (Block(len(self.found.listed), 2),)

    def key(self, at: int) -> int:
        """Return the raw index of a line."""
        below = at - len(self.found.listed)
        if below < 0:
            return self.found.listed[at]
        return RULE if below == 0 else self._below[below - 1]

    def find(self, key: int) -> int | None:
        """Return the line of a raw index."""
        if key == RULE:
            return None
        listed = self.found.listed
        if not self.found.is_mixed and self.look.view.position(key) is None:
            below = bisect_left(self._below, key)
            known = below < len(self._below) and self._below[below] == key
            return len(listed) + 1 + below if known else None
        try:
            return listed.index(key)
        except ValueError:
            return None

    def line(self, at: int, width: int) -> Line:
        """Return one message or its first row, or the rule above the hidden ones."""
        raw = self.key(at)
        if raw == RULE:
            return rule_line(len(self._below), width)
        is_below = at > len(self.found.listed)
        if width >= WIDE_CELLS or is_below:
            make = wide_line if not is_below else hidden_line
            return lit(make(self._row(raw), width), self.finder)
        return self._tall(raw, width)[0]

    def below(self, at: int, width: int) -> list[Line]:
        """Return what a message says, where that stands below who and where it is."""
        return [self._tall(self.key(at), width)[1]]

    def _tall(self, raw: int, width: int) -> list[Line]:
        return [lit(line, self.finder) for line in tall_lines(self._row(raw), width)]

    def _row(self, raw: int) -> RoleRow:
        return RoleRow(
            self.look,
            raw,
            self.look.view.position(raw),
            has_role=len(self.found.roles) > 1,
            is_noted=raw in self._noted,
        )
