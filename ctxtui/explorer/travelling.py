"""Travelling: looking at batches and records without changing anything, and coming back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.models.frame import Frame, record_of
from ctxtui.models.look import Look
from ctxtui.models.places import Spot

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


class Travelling:
    """Takes an explorer through time; pane 3 tells of the batch or record that is looked at."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.is_telling = False
        """Whether pane 3 tells of a batch or record, not of a message."""

    @property
    def looked_at(self) -> Look:
        """Return what is looked at: in the journal what the shown record left, unless it is now."""
        explorer = self._explorer
        player = explorer.views.player
        if explorer.views.current == "journal" and not player.is_at_now and player.frame:
            return player.frame
        return explorer.look

    def turn_to(self, view: str) -> None:
        """Bring a view to the front; the journal begins with what was looked at."""
        explorer = self._explorer
        look, player = explorer.look, explorer.views.player
        explorer.set_class(view == "journal", "-playing")
        if view != "journal":
            player.pause()
        elif not look.is_live:
            explorer.show_now()
            explorer.views.turn_to(view)
            player.go_to_record(record_of(look))
        explorer.views.turn_to(view)

    def look_at_batch(self, batch: int) -> None:
        """Look at a batch."""
        explorer = self._explorer
        look, shown = Look.at_batch(explorer.conversation, batch), explorer.look
        if look.revision.id != shown.revision.id or isinstance(shown, Frame):
            explorer.show(look)

    def go_to(self, spot: Spot) -> None:
        """Look at a batch of the path, a message and a view, as far as they are named."""
        explorer = self._explorer
        if spot.batch is not None:
            self.look_at_batch(explorer.conversation.path[spot.batch].id)
        if spot.raw is not None and spot.raw < explorer.look.log_size:
            explorer.go_to_raw(spot.raw)
        if spot.sought:
            explorer.searching.find(spot.sought)
        if spot.view != "inspector":
            explorer.action_view(spot.view)
        if spot.view == "lint-view" and spot.raw is not None:
            explorer.views.lint.go_to(spot.raw)

    def look_at_record(self, place: int) -> None:
        """Look at what a record of the journal left, and go into it."""
        explorer = self._explorer
        self.tell(True)
        explorer.show(Frame(explorer.conversation, place))
        explorer.action_pane("message")

    def neighbour(self, by: int) -> int | None:
        """Return the batch before or after the one that is shown, on its own path."""
        explorer = self._explorer
        number = explorer.look.batch.number + by
        own = explorer.look.state.path
        path = own if number < len(own) else explorer.conversation.path
        return path[number].id if 0 <= number < len(path) else None

    def step(self, by: int) -> None:
        """Look at the batch before or after the one that is shown."""
        batch = self.neighbour(by)
        if batch is not None:
            self.look_at_batch(batch)

    def pane_chosen(self, pane: str) -> None:
        """Let pane 3 tell of what is worked with: in the timeline batches, else messages."""
        if pane != "message":
            self.tell(pane == "timeline")
            self._explorer.panes.batch_pane.close()

    def tell(self, is_telling: bool) -> None:
        """Let pane 3 tell of the batch or record, or of the message again."""
        self.is_telling = is_telling
        self._explorer.set_class(is_telling, "-telling")

    @property
    def is_inside(self) -> bool:
        """Tell whether somebody has gone into the batch or record."""
        explorer = self._explorer
        in_pane = explorer.pane == "message" and explorer.views.current == "inspector"
        return self.is_telling and in_pane

    def leave(self) -> None:
        """Come out of the batch to the timeline, or of the record to the journal."""
        explorer = self._explorer
        if isinstance(explorer.look, Frame):
            explorer.set_reactive(type(explorer).pane, "visible")
            explorer.watch_pane("visible")
            explorer.action_view("journal")
        else:
            explorer.action_pane("timeline")
