"""The diff screen: two batches side by side, and where a prompt cache breaks between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.calls.models.call import is_managed, knows_seen, read_seen
from ctxtui.clipboard import copy_text
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation
from ctxtui.diff.drawing import (
    BRIEF_LINES,
    CUT_KEY,
    LINES,
    DiffSource,
    brief_lines,
    cache_lines,
    cut_lines,
    fold_lines,
    pair_lines,
    summary,
    title_line,
)
from ctxtui.diff.keys import DIFF
from ctxtui.diff.models import Sides, seen_sides
from ctxtui.inspector.models.look import Look
from ctxtui.notify import notify
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Line
from ctxtui.text.toast import note
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

LINES_ABOVE = 5
"""Lines that stay in sight above the difference a screen begins with."""


class DiffScreen(BaseScreen[int | None]):
    """Shows what differs between two revisions of a conversation; nothing here changes it.

    Its result is the raw index of a message to go to, or None.
    """

    AUTO_FOCUS = "#diff-lines"
    CSS_PATH = "diff.tcss"
    HELP_COMMANDS = (*DIFF, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(DIFF)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 - Textual's own

    def __init__(
        self, conversation: Conversation, left: int, right: int, session: str = ""
    ) -> None:
        super().__init__()
        self.session = session
        self.conversation = conversation
        self.wanted = Sides(conversation, left, right)
        self.source = DiffSource(Sides(conversation, left, left), set())
        self._opened: set[int] = set()
        self._shown = self.wanted

    def compose(self) -> ComposeResult:
        yield LineBox(id="diff-title")
        yield LineBox(id="diff-cache")
        yield LineBox(id="diff-brief")
        yield LineList(id="diff-lines", empty="… comparing")
        yield TextPane(id="diff-message")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#diff-cache").border_title = "Prompt cache"
        self.query_one("#diff-message").border_title = "Message"
        self.lines.border_title = "Messages"
        self._compare(self.wanted)

    @property
    def lines(self) -> LineList:
        return self.query_one("#diff-lines", LineList)

    @property
    def sides(self) -> Sides:
        """Return the two sides that are shown; others may be wanted already."""
        return self.source.sides

    # Showing

    def reading_changed(self) -> None:
        """Compare what was sent, or what was seen where both sides are recorded calls."""
        self._compare(self.wanted, self._raw)

    @property
    def _raw(self) -> int | None:
        pair = self.source.pair(self.lines.cursor)
        return None if pair is None else self.sides.raw(pair)

    def _compare(self, wanted: Sides, raw: int | None = None) -> None:
        """Show two sides, with the cursor on a message if it is there, else where they differ."""
        self.wanted = sides = wanted
        if self.shows_seen and knows_seen(self.conversation):
            sides = seen_sides(wanted) or wanted
        elif self.shows_seen:
            self.background.run(
                "read what was seen",
                lambda _: read_seen(self.conversation),
                lambda _: self.reading_changed(),
            )
        self._shown = sides
        self.query_one("#diff-title", LineBox).show(partial(title_line, sides, title=self.session))
        if sides.is_quick:
            self._show(DiffSource(sides, self._opened), raw)
        else:
            self.lines.border_subtitle = "… comparing"
            self.background.run(
                "compare",
                lambda _: DiffSource(sides, self._opened),
                partial(self._show, raw=raw),
                failed=self._not_compared,
            )

    def _not_compared(self, sentence: str) -> None:
        self.lines.empty = ERROR.text("not compared")
        self.lines.border_subtitle = ERROR.text("not compared")
        self.lines.refresh()
        self.background.complain(sentence)

    def _show(self, source: DiffSource, raw: int | None) -> None:
        sides = source.sides
        if sides is not self._shown:
            return
        self.source = source
        self._show_cache()
        self.lines.empty = "Nothing is sent on either side."
        self.lines.show(source)
        self.lines.border_subtitle = self._counts()
        place = None if raw is None else source.find_raw(raw)
        if place is None:
            place = source.difference(-1, 1) or 0
        self._stand(place)
        # Before the first layout it is not known how many lines are in sight.
        self.call_after_refresh(self._stand)
        self._show_message()
        if not (sides.left.is_linted and sides.right.is_linted):
            self.background.run(
                "lint",
                lambda _: (sides.left.lint(), sides.right.lint()),
                self._linted,
                failed=self._not_linted,
            )

    def _stand(self, place: int | None = None) -> None:
        """Put the cursor on a line, below the few before it, or only scroll to where it is."""
        at = self.lines.cursor if place is None else place
        if at < len(self.source):
            self.lines.go_to(self.source.key(at), LINES_ABOVE)

    def _show_cache(self) -> None:
        sides = self.sides
        is_measured = sides.measured is not None
        for name, make, count, frame in (
            ("#diff-cache", cache_lines, LINES + 2 * is_measured, 2),
            ("#diff-brief", brief_lines, BRIEF_LINES + is_measured, 0),
        ):
            made = [partial(_nth, partial(make, sides), at) for at in range(count)]
            box = self.query_one(name, LineBox)
            box.show(*made)
            box.styles.height = count + frame
        about = f"tokens of {sides.short_name(sides.right)} in the order they are sent"
        self.query_one("#diff-cache").border_subtitle = about

    def _counts(self) -> str:
        counts: dict[str, int] = {}
        for stretch in self.sides.stretches:
            # What moved is on two lines.
            if stretch.kind != "moved" or stretch.right is not None:
                counts[stretch.kind] = counts.get(stretch.kind, 0) + stretch.size
        kinds = ("same", "replaced", "hidden", "added", "shown", "moved")
        counted = [f"{counts[kind]:,} {kind}" for kind in kinds if counts.get(kind)]
        return "  ".join(counted) or "none"

    def _linted(self, _: object = None) -> None:
        self._show_cache()
        self.lines.refresh()

    def _not_linted(self, sentence: str) -> None:
        self.sides.left.is_unlintable = self.sides.right.is_unlintable = True
        self._linted()
        self.background.complain(sentence)

    @on(LineList.Moved, "#diff-lines")
    def _show_message(self) -> None:
        pane, at = self.query_one("#diff-message", TextPane), self.lines.cursor
        pair = self.source.pair(at)
        if pair is not None:
            pane.show(partial(pair_lines, self.sides, pair))
        elif self.lines.key == CUT_KEY:
            pane.show(partial(cut_lines, self.sides))
        elif self.lines.key is not None:
            pane.show(fold_lines)
        else:
            pane.show(lambda _: [])
        self.refresh_bindings()

    def key_conditions(self) -> Conditions:
        at = self.lines.cursor
        return {
            "batches": len(self.conversation.batches) > 1,
            "different": self.source.difference(-1, 1) is not None,
            "fold": at < len(self.source) and self.source.is_fold(at),
            "message": self.source.pair(at) is not None,
            "seen": is_managed(self.conversation),
        }

    # Moving

    @on(LineList.Opened, "#diff-lines")
    def _open(self, event: LineList.Opened) -> None:
        source, at = self.source, self.source.find(event.key)
        pair = None if at is None else source.pair(at)
        if pair is not None:
            raw = self.sides.raw(pair)
            self.dismiss(raw if raw < len(self.conversation.log) else None)
        elif at is not None and source.is_fold(at):
            self._opened ^= {event.key}
            self.source = DiffSource(self.sides, self._opened)
            self.lines.show(self.source)

    def action_difference(self, by: int) -> None:
        at = self.source.difference(self.lines.cursor, by)
        if at is not None:
            self.lines.cursor = at
        elif self.source.difference(-1, 1) is None:
            notify(self, note("Nothing differs"))
        else:
            word = "last" if by > 0 else "first"
            notify(self, note(f"That was the {word} difference"))

    # Sides

    def action_step(self, side: Literal["left", "right"], by: int) -> None:
        wanted = self.wanted
        look = wanted.left if side == "left" else wanted.right
        batch, last = look.batch.id + by, len(self.conversation.batches) - 1
        if not 0 <= batch <= last:
            notify(self, note(f"There is no {'later' if by > 0 else 'earlier'} batch"))
            return
        revision = Look.at_batch(self.conversation, batch).revision.id
        left, right = wanted.left.revision.id, wanted.right.revision.id
        self._turn_to(*((revision, right) if side == "left" else (left, revision)))

    def action_swap(self) -> None:
        self._turn_to(self.wanted.right.revision.id, self.wanted.left.revision.id)

    def _turn_to(self, left: int, right: int) -> None:
        self._compare(Sides(self.conversation, left, right), self._raw)

    # Taking along, leaving

    def action_copy(self) -> None:
        notify(self, copy_text(self.app, "difference", summary(self.sides)))


def _nth(make: Callable[[int], list[Line]], at: int, width: int) -> Line:
    lines = make(width)
    return lines[at] if at < len(lines) else []
