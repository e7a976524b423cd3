"""The fields of a tool call or a result: the tool's name and the call's id, on one line."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.forms.parts import TAKES, PartDraft
from ctxtui.render.text.lines import Line, Piece
from ctxtui.widgets.inked import Inked
from ctxtui.widgets.inputs import SafeInput

NAME, CALL, RESULT = "name ", " id ", "result of "
"""What stands before each field."""


class PartFields(Inked, Widget):
    """Shows the fields that a kind of part has; a text has none, and then there is no line."""

    def __init__(self, part: PartDraft, *, id: str) -> None:
        super().__init__(id=id)
        self.name_of_tool = SafeInput(part.name, id=f"{id}-name", compact=True, placeholder="tool")
        self.id_of_call = SafeInput(part.id, id=f"{id}-call", compact=True, placeholder="call_1")
        self._part = part
        self._lay_out()

    def compose(self) -> ComposeResult:
        """Lay out both fields."""
        yield self.name_of_tool
        yield self.id_of_call

    def show(self, part: PartDraft) -> None:
        """Show the fields of another part."""
        self._part = part
        with self.prevent(SafeInput.Changed):
            self.name_of_tool.value, self.id_of_call.value = part.name, part.id
        self._lay_out()
        self.refresh()

    def _lay_out(self) -> None:
        kind = self._part.kind
        self.display = kind in ("tool_use", "tool_result")
        self.name_of_tool.display = kind == "tool_use"
        self.name_of_tool.styles.margin = (0, 0, 0, len(NAME))
        before = CALL if kind == "tool_use" else RESULT
        self.id_of_call.styles.margin = (0, 0, 0, len(before))

    def render_line(self, y: int) -> Strip:
        """Return the names of the fields, which stand between them."""
        return self.strip(self._line() if y == 0 else [], "plain", self.size.width)

    def _line(self) -> Line:
        if self._part.kind == "tool_result":
            return [Piece(RESULT, "muted")]
        gap = self.id_of_call.region.x - self.region.x - len(NAME) - len(CALL)
        return [Piece(NAME, "muted"), Piece(" " * max(0, gap)), Piece(CALL, "muted")]


def takes(part: PartDraft) -> str:
    """Return what is written into the large field of a part."""
    return TAKES[part.kind]
