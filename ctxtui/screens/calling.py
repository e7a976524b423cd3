"""From the inspector to the calls that were recorded, and back to what one of them sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxtui.core import Conversation
from ctxtui.core.storage import Session
from ctxtui.explorer.batch_pane import BatchPane
from ctxtui.explorer.explorer import Explorer
from ctxtui.models.call_path import CallPath
from ctxtui.models.look import Look
from ctxtui.models.places import Spot
from ctxtui.models.told import note
from ctxtui.models.workspace import Workspace
from ctxtui.screens.call import CallScreen
from ctxtui.screens.call_ways import Outcome, Sent
from ctxtui.screens.following import LiveSession
from ctxtui.screens.what_if import Branch
from ctxtui.telling import tell

if TYPE_CHECKING:
    from textual.screen import Screen

    Base = Screen[Any]
else:
    Base = object

BRINGING = "Capture, integrations and requests in files bring them."


class Calling(Base):
    """Opens the call screen over an inspector, and goes where it leads."""

    session: Session
    conversation: Conversation
    workspace: Workspace
    explorer: Explorer
    live: LiveSession | None

    if TYPE_CHECKING:

        @property
        def look(self) -> Look:
            """Return what is looked at."""

        def branched(self, outcome: Branch | Spot | None) -> None:
            """Show the branch that was opened, or go where that leads."""

    def action_calls(self) -> None:
        """Show the newest call up to what is looked at: what was really sent."""
        self._open_call(None)

    def on_batch_pane_call_chosen(self, event: BatchPane.CallChosen) -> None:
        """Show a call that was chosen in its batch."""
        self._open_call(event.number)

    def open_recorded(self, place: int) -> None:
        """Show a call by its place among all that were recorded, where that is on this path."""
        number = CallPath(self.conversation, self.look.revision.id).number_of(place)
        if number is not None:
            self._open_call(number)

    def _open_call(self, number: int | None) -> None:
        path = CallPath(self.conversation, self.look.revision.id)
        wanted = path.nearest(self.look.revision) if number is None else number
        if wanted is None or not 1 <= wanted <= len(path):
            tell(self, note("No call was recorded on this path", BRINGING))
            return
        shown = CallScreen(self.workspace, path, wanted, is_live=self.live is not None)
        if self.live is not None:
            self.live.guest = shown
        self.app.push_screen(shown, self._call_closed)

    def _call_closed(self, outcome: Outcome) -> None:
        if self.live is not None:
            self.live.guest = None
        if isinstance(outcome, Sent):
            self._look_at_sent(outcome)
        else:
            self.branched(outcome)

    def _look_at_sent(self, sent: Sent) -> None:
        """Look at what a call sent: stepping there changes nothing."""
        explorer = self.explorer
        explorer.show(Look(self.conversation, sent.revision))
        if sent.view != "inspector":
            explorer.action_view(sent.view)
        elif sent.raw is not None and sent.raw < explorer.look.log_size:
            explorer.go_to_raw(sent.raw)
        else:
            explorer.action_pane("visible")
