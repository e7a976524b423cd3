"""The batch pane as a list: what is told of a batch, and every message that moved."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from ctxtui.lists.source import LineSource
from ctxtui.models.story import Story
from ctxtui.render.batch.pane import SIGNS, batch_text
from ctxtui.render.message.expanded import expanded
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens

TINTS = {"hidden": "hidden", "added": "added", "appended": "added", "shown": "added"}


class StorySource(LineSource):
    """Lines of text with keys below zero; a message that moved has its raw index as the key.

    What moved is told as runs, or, where somebody has gone into the pane, message by message.
    """

    def __init__(self, story: Story, width: int, height: int, *, is_open: bool) -> None:
        self.look = story.look
        text = batch_text(story, width, is_whole=is_open)
        self._moves = story.moves if is_open else []
        head = [*text.head] if is_open else [*text.head, *text.runs]
        foot = [*text.foot]
        for lines in (head, head, foot):
            # Empty lines go first where it is tight, the one above what moved before the others.
            if len(head) + len(foot) > height and [] in lines:
                del lines[len(lines) - 1 - lines[::-1].index([])]
        self._head, self._foot = head, foot
        self._calls = text.calls
        self._starts = [0, *accumulate(len(view) for _, view in self._moves)]

    @property
    def first_moved(self) -> int:
        """Return the line of the first message that moved."""
        return len(self._head) if self._starts[-1] else 0

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self._head) + self._starts[-1] + len(self._foot)

    def _moved(self, at: int) -> tuple[str, int] | None:
        """Return how the message of a line moved, and which it is; None for a line of text."""
        within = at - len(self._head)
        if not 0 <= within < self._starts[-1]:
            return None
        part = bisect_right(self._starts, within) - 1
        kind, view = self._moves[part]
        return kind, view[within - self._starts[part]]

    def call(self, at: int) -> int | None:
        """Return the number of the call that a line tells of."""
        return self._calls.get(at)

    def key(self, at: int) -> int:
        """Return the raw index of a message, or a number below zero."""
        moved = self._moved(at)
        return -1 - at if moved is None else moved[1]

    def find(self, key: int) -> int | None:
        """Return the line with a key."""
        if key < 0:
            at = -1 - key
            return at if at < len(self) and self._moved(at) is None else None
        for (_, view), start in zip(self._moves, self._starts, strict=False):
            position = view.position(key)
            if position is not None:
                return len(self._head) + start + position
        return None

    def tint(self, at: int) -> str:
        """Return the tint of a message that came or went."""
        moved = self._moved(at)
        return "" if moved is None else TINTS.get(moved[0], "")

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the first lines of a message."""
        moved = self._moved(at)
        return [] if moved is None else expanded(self.look.state.log[moved[1]], width)

    def line(self, at: int, width: int) -> Line:
        """Return a line of text, or a message that moved."""
        moved = self._moved(at)
        if moved is not None:
            return self._row(*moved, width)
        if at < len(self._head):
            return self._head[at]
        return self._foot[at - len(self._head) - self._starts[-1]]

    def _row(self, kind: str, raw: int, width: int) -> Line:
        log = self.look.state.log
        message = log[raw]
        down = kind == "hidden"
        lead = [
            SIGNS[kind],
            Piece(f"{raw:>5}  ", "muted"),
            Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
        ]
        amount = "" if kind == "moved" else f"{'−' if down else '+'}{tokens(self.look.tokens(raw))}"
        tail = Piece(f" {amount:>7} ", "error" if down else "ok")
        room = max(0, width - sum(len(piece.text) for piece in lead) - len(tail.text))
        body = fit_pieces(preview(message, tool_names(log, raw)), room)
        if down:
            body = [Piece(text, "struck") for text, _ in body]
        return [*lead, *body, tail]
