"""The frame of a dialog with fields: a head, the fields with their button, a preview beside."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from ctxtui.core.conversation.results import Result
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.inputs import NumberInput
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.outcome_pane import OutcomePane

WIDE_CELLS, TALL_LINES, TOP = 120, 30, 2
"""From which size on a dialog leaves something of the screen in sight, and lines above it."""
APPLY_LINES = 3


class FormFrame(Scene, ModalScreen[Result | None]):
    """A dialog over the inspector, as tall as it takes; all of the screen where that is small."""

    AUTO_FOCUS = ""
    CSS_PATH = "form.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    title_words = ""
    about_words = ""
    """Its name, and what it is about."""

    def __init__(self) -> None:
        super().__init__()
        self._cost: Line = []

    @property
    def leads_to(self) -> str:
        """Return what applying leads to, in a few words."""
        return ""

    def compose(self) -> ComposeResult:
        """Lay out the head of a small screen, the fields with the button, and the preview."""
        self._is_small()
        with Vertical(id="form"):
            yield LineBox(id="form-head")
            with Horizontal(id="form-body"):
                with Vertical(id="left"):
                    with VerticalScroll(id="fields", can_focus=False):
                        yield from self.compose_fields()
                    yield LineBox(id="apply")
                yield OutcomePane(id="outcome")
        yield KeyLine()

    def compose_fields(self) -> ComposeResult:
        """Lay out what is filled in."""
        raise NotImplementedError

    @property
    def least_lines(self) -> int:
        """Return how many lines the fields take."""
        return 0

    @property
    def pane(self) -> OutcomePane:
        """Return the preview."""
        return self.query_one("#outcome", OutcomePane)

    def on_mount(self) -> None:
        """Name the dialog."""
        self.query_one("#form-head", LineBox).show(self._head)
        self.show_button([Piece("nothing to do yet", "faint")], is_ready=False)
        self.fit()

    def on_resize(self) -> None:
        """Be as tall as it takes, and no taller than the screen."""
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Grow to what there is to show; a dialog that shrinks while one types has no rest."""
        form, size = self.query_one("#form"), self.app.size
        if self._is_small():
            form.styles.height = None
            return
        most = size.height - 1 - TOP
        fields = max(self.least_lines, self.query_one("#fields").virtual_size.height)
        wanted = max(fields + APPLY_LINES + 1, self.pane.wanted(most) + 1) + 2
        before = form.styles.height.value if form.styles.height is not None else 0
        form.styles.height = int(min(most, max(wanted, min(before, most))))
        self._name_edges()

    def _is_small(self) -> bool:
        """Tell whether all of the screen is needed, and lay it out so."""
        size = self.app.size
        is_small = size.width < WIDE_CELLS or size.height < TALL_LINES
        self.set_class(is_small, "-narrow")
        return is_small

    def _name_edges(self) -> None:
        """Write name and sentence on the upper edge, and what it leads to on the lower one."""
        form = self.query_one("#form")
        name, about = f" {self.title_words} ", f" {self.about_words}"
        line = form.size.width - len(name) - len(about) - 6
        fill = "-" if self.app.has_class("-ascii") else "━"
        chip, rest = "bold $hlink on $hl", "$focus on $background"
        if line < 1:
            form.border_title = Content.styled(name, chip)
        else:
            form.border_title = Content.assemble(
                (name, chip), (fill * line, rest), (about, "$muted on $background")
            )
        form.border_subtitle = Content(self.leads_to)

    def _head(self, width: int) -> Line:
        """Return the head of a small screen, which has no edges to write on."""
        left = [Piece(f" {self.title_words} ", "chip"), Piece(f"  {self.leads_to}", "muted")]
        right = [*self._cost, Piece(" ")]
        room = width - sum(cell_len(piece.text) for piece in right)
        used = sum(cell_len(piece.text) for piece in left)
        return [*fit_pieces(left, room), *right] if used < room else fit_pieces(left, width)

    def show_button(self, cost: Line, *, is_ready: bool) -> None:
        """Show what applying costs, and whether it can be done."""
        self._cost = cost
        button = self.query_one("#apply", LineBox)
        chip = Piece(" ctrl+s ", "chip" if is_ready else "pill")
        name = Piece(" Apply   ", "bright" if is_ready else "faint")
        ways = partial(_ways, counts=bool(self.query(NumberInput)))
        button.show(partial(_fitted, [chip, name, *cost]), _nothing, ways)


def _fitted(line: Line, width: int) -> Line:
    return fit_pieces(line, width)


def _nothing(width: int) -> Line:
    return []


def _ways(width: int, *, counts: bool) -> Line:
    """Return how one gets around in a form; only numbers can be counted up and down."""
    count = [("↑ ↓", "change by one")] if counts else []
    keys = [("tab", "next field"), *count, ("esc", "leave")]
    line = [
        piece
        for key, words in keys
        for piece in (Piece(f"{key} ", "text"), Piece(f"{words}   ", "faint"))
    ]
    return fit_pieces(line, width)
