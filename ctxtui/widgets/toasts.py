"""Toasts: what the app tells in passing, in a corner that nobody works in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, cast

from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea

from ctxtui.inspector.head import Peek
from ctxtui.text.lines import Line
from ctxtui.text.toast import Told, toast_lines, toast_width
from ctxtui.widgets.inked import Inked
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import TextPane

# Where toasts stand: in a corner nobody works in.

NARROWEST = 30
"""Cells a pane must have for a toast to stand within it."""


class Scenery(NamedTuple):
    """What is on a screen, as far as it matters to toasts."""

    size: Size
    panes: Sequence[Region]
    """Panes that nobody works in."""
    worked_in: Region
    """The pane that has the focus."""
    never: Sequence[Region]
    """What must stay in sight: a prompt, a button, the row of the cursor, the line of keys."""


def toast_spot(scenery: Scenery, wanted: int, height_for: Callable[[int], int]) -> Region:
    """Return where toasts stand that would like to be so wide, and are so high for a width.

    That is the lowest pane nobody works in, below at the right; where that would cover something,
    the next best spot; and where every spot covers something, the one that covers least of it.
    """
    spots = [spot for place in _places(scenery) for spot in _corners(place, wanted, height_for)]
    return min(spots, key=lambda spot: _harm(scenery, spot))


def _places(scenery: Scenery) -> list[Region]:
    panes = [pane for pane in scenery.panes if pane.width >= NARROWEST]
    panes.sort(key=lambda pane: (pane.bottom, pane.right), reverse=True)
    return [*panes, scenery.size.region]


def _corners(place: Region, wanted: int, height_for: Callable[[int], int]) -> Iterator[Region]:
    """Yield the corners of a place within its border, in the order in which they are liked."""
    width = max(1, min(wanted, place.width - 2))
    height = height_for(width)
    for y in (place.bottom - height - 1, place.y + 1):
        for x in (place.right - width - 1, place.x + 1):
            yield Region(x, y, width, height)


def _harm(scenery: Scenery, spot: Region) -> tuple[int, int, int]:
    """Return how much a spot covers of what must be seen, how much is cut, and what is bothered."""
    hidden = sum(spot.intersection(one).area for one in scenery.never)
    cut = spot.area - spot.intersection(scenery.size.region).area
    return hidden, cut, spot.intersection(scenery.worked_in).area


USUAL_CELLS = 62
ROOMY_COLUMNS = 100
"""Cells a toast has where the screen has so many; more if its lines need them."""
IN_SIGHT = "KeyLine, #prompt, #apply, Button, #viewing"
"""What no toast may cover."""


class Telling(Protocol):
    """The app, as far as toasts need it."""

    told: Sequence[Told]

    def forget(self, told: Told) -> None:
        """Take a toast away."""
        ...


class Toasts(Inked, Widget):
    """Draws what was told and is still to be seen; stands above everything, and has no focus."""

    DEFAULT_CSS = """
    Toasts { layer: _toastrack; position: absolute; display: none; background: $panel; }
    """
    DEFAULT_CLASSES = "-textual-system"

    def __init__(self) -> None:
        super().__init__(id="toasts")
        self._lines: list[tuple[Told, Line]] = []

    def on_mount(self) -> None:
        """Move out of the way when the focus or the layout changes."""
        screen = self.screen
        screen.bindings_updated_signal.subscribe(self, lambda _: self.update(), immediate=True)
        screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.update())
        self.update()

    @property
    def told(self) -> Sequence[Told]:
        """Return what is to be seen, the oldest first."""
        return cast("Telling", self.app).told

    def update(self) -> None:
        """Show what there is to tell, where it is in nobody's way."""
        told = self.told if self._is_on_top else ()
        self.display = bool(told)
        if not told:
            return
        least = USUAL_CELLS if self.app.size.width >= ROOMY_COLUMNS else 0
        wanted = max(least, toast_width(told))
        spot = toast_spot(self.scenery(), wanted, lambda width: len(_all_lines(told, width)))
        self._lines = _all_lines(told, spot.width)
        self.styles.width, self.styles.height = spot.size
        self.styles.offset = spot.offset
        self.refresh()

    @property
    def _is_on_top(self) -> bool:
        """Tell whether this screen is the one that is worked with; those below tell nothing."""
        return self.is_attached and self.screen.is_mounted and self.app.screen is self.screen

    def scenery(self) -> Scenery:
        """Return what must be seen, and where nobody works."""
        screen = self.screen
        focus = screen.focused
        around = set() if focus is None else {*focus.ancestors_with_self}
        shown = [one for one in screen.query(IN_SIGHT) if one.is_on_screen]
        never = [one.region for one in shown]
        if isinstance(focus, Input | TextArea):
            never.append(focus.region)
        elif isinstance(focus, LineList):
            never.append(cursor_region(focus))
        panes = [
            one.region
            for one in (*screen.query(LineList), *screen.query(TextPane), *screen.query(Peek))
            if one.is_on_screen and one not in around
        ]
        worked_in = Region() if focus is None else focus.region
        return Scenery(self.app.size, panes, worked_in, never)

    def render_line(self, y: int) -> Strip:
        """Return one line of all toasts."""
        line = self._lines[y][1] if y < len(self._lines) else []
        return self.strip(line, "plain", self.size.width)

    def on_click(self, event: events.Click) -> None:
        """Take the toast away that was clicked."""
        if event.y < len(self._lines):
            cast("Telling", self.app).forget(self._lines[event.y][0])


def cursor_region(lines: LineList) -> Region:
    """Return where on the screen the line of a list's cursor is."""
    inner = lines.content_region
    return Region(inner.x, inner.y + lines.header_rows + lines.cursor_row, inner.width, 1)


def _all_lines(told: Sequence[Told], width: int) -> list[tuple[Told, Line]]:
    def lines() -> Iterator[tuple[Told, Line]]:
        for one in told:
            for line in toast_lines(one, width):
                yield one, line

    return list(lines())
