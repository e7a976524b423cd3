"""The loom screen: the whole history of a session on one page."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.clipboard import copy_text
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation
from ctxtui.loom.drawing import LoomSource, legend_line, loom_text, story_line, title_line
from ctxtui.loom.keys import LOOM
from ctxtui.loom.models import Loom
from ctxtui.notify import notify
from ctxtui.text.lines import breadcrumb
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox

OTHER_LINES = 5
"""Lines of the screen that are no rows: title, story, scale, legend and footer."""


class LoomPlace(NamedTuple):
    """Where to go in the inspector: a revision, and a message."""

    revision: int
    raw: int


class LoomRows(LineList):
    """The rows: the arrows to the sides move along the log."""

    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in LOOM if command.keys in ("left", "right")
    ]

    def action_message(self, by: int) -> None:
        screen = self.screen
        assert isinstance(screen, LoomScreen)
        screen.action_message(by)


class LoomScreen(BaseScreen[LoomPlace | None]):
    """Shows the history of a conversation as rows of its raw log; nothing here changes it."""

    AUTO_FOCUS = "#loom-rows"
    CSS_PATH = "loom.tcss"
    HELP_COMMANDS = (*LOOM, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(LOOM)

    def __init__(self, conversation: Conversation, title: str) -> None:
        super().__init__()
        self.conversation = conversation
        self.title = title
        self.source = LoomSource(Loom(conversation))

    def compose(self) -> ComposeResult:
        """Lay out the title, the sentence, the rows and the legend."""
        yield LineBox(id="loom-title")
        yield LineBox(id="loom-story")
        yield LoomRows(id="loom-rows", empty="No messages yet.")
        yield LineBox(id="loom-legend")
        yield KeyFooter()

    @property
    def rows(self) -> LineList:
        """Return the list of rows."""
        return self.query_one("#loom-rows", LineList)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many states between batches as there is room for."""
        place = self._place() if len(self.rows.source) else None
        loom = Loom(self.conversation, event.size.height - OTHER_LINES)
        self.source = LoomSource(loom, self.source.raw)
        self.query_one("#loom-title", LineBox).show(
            lambda width: title_line(loom, breadcrumb(self.title or "", "Loom", width), width)
        )
        self.query_one("#loom-story", LineBox).show(partial(story_line, loom))
        self.query_one("#loom-legend", LineBox).show(partial(legend_line, loom))
        self.rows.show(self.source)
        ids = [row.revision.id for row in loom.rows]
        near = (
            len(ids) - 1
            if place is None
            else max((at for at, id in enumerate(ids) if id <= place.revision), default=0)
        )
        self.rows.go_to(near)

    def _place(self) -> LoomPlace:
        row = self.source.loom.rows[self.rows.cursor]
        return LoomPlace(row.revision.id, self.source.raw)

    def key_conditions(self) -> Conditions:
        return {"ends": bool(self.source.loom.ends)}

    def action_message(self, by: int) -> None:
        last = self.source.loom.log_size - 1
        self.source.raw = max(0, min(self.source.raw + by, last))
        self.rows.refresh()

    def action_next_end(self) -> None:
        ends = self.source.loom.ends
        here = (self.rows.cursor, self.source.raw)
        found = next((end for end in ends if end > here), ends[0] if ends else None)
        if found is not None:
            self.rows.cursor, self.source.raw = found
            self.rows.refresh()

    @on(LineList.Opened, "#loom-rows")
    def action_open(self) -> None:
        if self.source.loom.log_size:
            self.dismiss(self._place())

    def action_copy(self) -> None:
        width = max(80, self.size.width)
        notify(
            self, copy_text(self.app, "loom", loom_text(self.source.loom, self.title or "", width))
        )
