"""A screen with a list of sessions, of which some may be selected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import on
from textual.screen import Screen

from ctxtui.core.curation.digest import Row
from ctxtui.core.storage import Entry, Library
from ctxtui.models.desk import Desk
from ctxtui.models.selection import Selection
from ctxtui.models.shelf import key_of
from ctxtui.screens.library_panes import LibraryPanes
from ctxtui.screens.scene import Scene
from ctxtui.widgets.line_list import LineList


class SessionsScreen(Scene, Screen[None]):
    """Shows the sessions of a desk; what is done is done to those selected, or to one."""

    def __init__(self, library: Library, clock: Callable[[], int], desk: Desk | None) -> None:
        super().__init__()
        self.library = library
        self.desk = Desk(library) if desk is None else desk
        self.clock = clock
        self.selection = Selection()
        self.panes = LibraryPanes(self)
        self.is_unreadable = False

    @property
    def under_way(self) -> str:
        """Return what is being done that keys wait for, in a few words."""
        return ""

    # Showing

    def show(self) -> None:
        """Show the list as it is known, and what is under the cursor."""
        self.is_unreadable = False
        self.panes.show()
        self.show_head()
        self.show_entry()

    def show_head(self) -> None:
        """Say in the head how far the review is, and what is shown."""
        self.panes.show_head()

    @on(LineList.Moved, "#sessions")
    def show_entry(self) -> None:
        """Show the session under the cursor at length."""
        entry = self.entry
        if entry is not None and self.panes.mode == "library":
            self.desk.here = entry.id
        self.panes.show_entry()
        self.refresh_bindings()

    @property
    def listed(self) -> LineList:
        """Return the list."""
        return self.query_one("#sessions", LineList)

    @property
    def entries(self) -> list[Entry]:
        """Return the sessions that are shown."""
        return [] if self.is_unreadable else [row.entry for row in self.desk.shelf.rows]

    @property
    def row(self) -> Row | None:
        """Return the session under the cursor."""
        return None if self.is_unreadable else self.panes.row

    @property
    def entry(self) -> Entry | None:
        """Return what the session under the cursor says about itself."""
        return None if self.row is None else self.row.entry

    @property
    def chosen(self) -> list[Entry]:
        """Return the sessions that are acted on: those selected, or the one under the cursor."""
        keys = self.picked
        if keys:
            return [one for one in self.entries if key_of(one.id) in keys]
        return [] if self.entry is None else [self.entry]

    @property
    def picked(self) -> frozenset[int]:
        """Return the keys of what is selected, a range under way included."""
        if self.panes.mode != "library":
            return frozenset()
        return self.selection.with_range(self.listed.source, self.listed.key)

    def end_range(self) -> None:
        """Select the range under way, which whatever is done now is done to."""
        if self.selection.anchor is not None:
            self.selection.raws, self.selection.anchor = self.picked, None
            self.show()

    def go_to(self, id: str) -> None:
        """Put the cursor on a session, if it is shown."""
        if self.panes.mode == "library" and id and self.listed.go_to(key_of(id)):
            self.show_entry()

    # Selecting

    def select(self, act: Callable[[], object]) -> None:
        """Change the selection, and show it."""
        if self.panes.mode == "library":
            act()
            self.show()

    def action_select(self) -> None:
        """Select the session under the cursor, or take it out; the cursor goes down."""
        key = self.listed.key
        if key is not None and self.panes.mode == "library":
            self.select(partial(self.selection.toggle, key))
            self.listed.action_move(1)

    def action_select_range(self) -> None:
        """Begin a range of sessions, or select it."""
        listed = self.listed
        self.select(partial(self.selection.mark_or_extend, listed.source, listed.key))

    def action_select_all(self) -> None:
        """Select all that are shown; if they are, let go of them."""
        keys = frozenset(key_of(entry.id) for entry in self.entries)
        raws = frozenset() if self.selection.raws == keys else keys
        self.select(lambda: setattr(self.selection, "raws", raws))

    @on(LineList.Picked, "#sessions")
    def _picked(self, event: LineList.Picked) -> None:
        self.select(partial(self.selection.toggle, event.key))

    @on(LineList.PickedTo, "#sessions")
    def _picked_to(self, event: LineList.PickedTo) -> None:
        here = self.listed.key
        if here is not None:
            source = self.listed.source
            self.select(partial(self.selection.extend, source, here, event.key))
