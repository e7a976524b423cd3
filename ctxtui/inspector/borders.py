"""The borders between the panes: moved by keys or the mouse, and remembered for each layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual import events

from ctxtui.messages import Preferred

if TYPE_CHECKING:
    from ctxtui.inspector.panes import Panes

Axis = Literal["x", "y"]
LEAST = {"x": 24, "y": 4}
"""Cells and rows that are left to a pane."""
STEP = {"x": 3, "y": 1}
WHOLE = 1_000
"""Places are remembered in thousandths of the width or the height."""
LAYOUTS = ("huge", "wide", "medium", "narrow")


class Border(NamedTuple):
    """A border between columns or rows of panes, by its number among those."""

    axis: Axis
    number: int


class PaneBorders:
    """Where the borders of the panes are, in each layout; where none was moved, the style sheet's.

    A small screen has one: between a list and the start of the message below it.
    """

    def __init__(self, panes: Panes) -> None:
        self._panes = panes
        self._shares: Mapping[str, tuple[int, ...]] | None = None
        self._applied: tuple[object, ...] = ()
        self.grabbed: Border | None = None

    @property
    def shares(self) -> Mapping[str, tuple[int, ...]]:
        if self._shares is None:
            preferences = getattr(self._panes.app, "preferences", None)
            self._shares = {} if preferences is None else preferences.panes
        return self._shares

    @property
    def _layout(self) -> str:
        screen = self._panes.screen
        layout = next((one for one in LAYOUTS if screen.has_class(f"-{one}")), LAYOUTS[-1])
        return f"{layout} tall" if layout == "medium" and screen.has_class("-tall") else layout

    @property
    def _is_narrow(self) -> bool:
        return self._layout == "narrow"

    def _size(self, axis: Axis) -> int:
        panes = self._panes
        size = panes.screen.size if self._is_narrow else panes.size
        return size.width if axis == "x" else size.height

    def _places(self, axis: Axis) -> list[int]:
        """Return where the borders are now, in cells from the left or rows from the top."""
        shown = [pane.region for pane in self._panes.children if pane.is_on_screen]
        if self._is_narrow:
            lists = self._panes.query("#raw, #visible")
            return [one.region.height for one in lists if one.is_on_screen and axis == "y"]
        first = self._panes.region.x if axis == "x" else self._panes.region.y
        starts = {(region.x if axis == "x" else region.y) - first for region in shown}
        return sorted(starts - {0})

    # Moving

    def step(self, axis: Axis, by: int) -> None:
        """Move the border after the pane in focus, or before the last pane."""
        places, focused = self._places(axis), self._panes.screen.focused
        if not places or focused is None or self._panes.screen.maximized is not None:
            return
        region, area = focused.region, self._panes.region
        start = region.x - area.x if axis == "x" else region.y - area.y
        number = min(sum(place <= start for place in places), len(places) - 1)
        self._move(Border(axis, number), places[number] + by * STEP[axis])
        self._save()

    def grab(self, event: events.MouseDown) -> bool:
        """Take the border under the mouse, if there is one."""
        screen, area, self.grabbed = self._panes.screen, self._panes.region, None
        x, y = event.screen_x, event.screen_y
        if event.button != 1 or screen.maximized is not None:
            return False
        widget, region = screen.get_widget_at(x, y)
        if self._is_narrow:
            if widget.id == "peek" and y == region.y and self._places("y"):
                self.grabbed = Border("y", 0)
            return self.grabbed is not None
        edges: tuple[tuple[Axis, int, bool], ...] = (
            ("x", x - area.x, x in (region.x, region.right - 1)),
            ("y", y - area.y, y in (region.y, region.bottom - 1)),
        )
        for axis, at, is_edge in edges if widget.parent is self._panes else ():
            for number, place in enumerate(self._places(axis)):
                if is_edge and at in (place - 1, place) and self.grabbed is None:
                    self.grabbed = Border(axis, number)
        return self.grabbed is not None

    def drag(self, event: events.MouseEvent) -> None:
        if self.grabbed is not None:
            area = self._panes.region
            at = event.screen_x - area.x if self.grabbed.axis == "x" else event.screen_y - area.y
            self._move(self.grabbed, at)

    def drop(self) -> None:
        if self.grabbed is not None:
            self.grabbed = None
            self._save()

    def reset(self) -> None:
        self._shares = {}
        self.apply()
        self._save()

    def _move(self, border: Border, to: int) -> None:
        axis, number = border
        places, size, least = self._places(axis), self._size(axis), LEAST[axis]
        if number >= len(places):
            return
        low = (places[number - 1] if number else 0) + least
        high = (places[number + 1] if number + 1 < len(places) else size) - least
        if low > high:
            return
        places[number] = max(low, min(high, to))
        shares = tuple(round(place * WHOLE / size) for place in places)
        self._shares = {**self.shares, f"{self._layout} {axis}": shares}
        self.apply()

    def _save(self) -> None:
        self._panes.screen.post_message(Preferred("panes", dict(self.shares)))

    # Laying out

    def apply(self) -> None:
        """Lay the panes out as was chosen for the layout there is now."""
        columns, rows = self._chosen("x"), self._chosen("y")
        state = (self._layout, columns, rows)
        if state == self._applied:
            return
        self._applied = state
        height = rows[0] if self._is_narrow and rows else None
        for one in self._panes.query("#raw, #visible"):
            one.styles.height = one.styles.max_height = height
        self._panes.styles.grid_columns = _tracks(columns)
        self._panes.styles.grid_rows = None if self._is_narrow else _tracks(rows)

    def _chosen(self, axis: Axis) -> tuple[int, ...]:
        size, shares = self._size(axis), self.shares.get(f"{self._layout} {axis}", ())
        return tuple(round(share * size / WHOLE) for share in shares)


def _tracks(places: tuple[int, ...]) -> list[int | str] | None:
    if not places:
        return None
    sizes = [stop - start for start, stop in zip((0, *places), places, strict=False)]
    return [*sizes, "1fr"]
