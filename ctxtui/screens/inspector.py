"""The inspector: the raw array, the visible projection and the batches, side by side."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from core import Conversation
from ctxtui.render.rows import batch_rows, raw_rows, tokens, visible_rows
from ctxtui.render.symbols import visible
from ctxtui.widgets.row_list import RowList


class InspectorScreen(Screen[None]):
    """Shows a conversation, read-only."""

    CSS_PATH = "inspector.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "look_at('raw')", "Raw"),
        Binding("2", "look_at('visible')", "Visible"),
        Binding("4", "look_at('timeline')", "Timeline"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self._conversation = conversation

    def compose(self) -> ComposeResult:
        """Lay out the status line, the three lists and the footer."""
        yield Static(self._status(), id="status")
        with Horizontal():
            yield self._pane("raw", "1 Raw", "everything ever added")
            with Vertical():
                yield self._pane("visible", "2 Visible", "what the model is sent")
                yield self._pane("timeline", "4 Timeline", "how it came to be so")
        yield Footer()

    def on_mount(self) -> None:
        """Start in the projection."""
        self.query_one("#visible").focus()

    def action_look_at(self, pane: str) -> None:
        """Move the focus to a pane."""
        self.query_one(f"#{pane}").focus()

    def _pane(self, name: str, title: str, about: str) -> RowList:
        rows = {"raw": raw_rows, "visible": visible_rows, "timeline": batch_rows}[name]
        found = rows(self._conversation)
        empty = "Nothing is sent." if name == "visible" else "No messages yet."
        pane = RowList(found, empty, id=name)
        pane.border_title = title
        pane.border_subtitle = f"{about} · {len(found)}"
        return pane

    def _status(self) -> Content:
        stats, total = self._conversation.stats(), self._conversation.tokens
        title = visible(str(self._conversation.meta.get("title", "untitled")), 40)
        limit = self._conversation.settings.token_limit
        of_limit = f" of {tokens(limit)}" if limit else ""
        return Content.assemble(
            (f" {title}  ", "bold"),
            f"batch {stats.current_batch_index}   "
            f"{stats.current_batch_messages} visible of {stats.total_messages} raw   "
            f"~{tokens(total.total)}{of_limit} tokens  {total.counter}   ",
            ("read-only: this screen is a start", "$muted"),
        )
