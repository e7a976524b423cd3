"""Notes about messages: asked for in the inspector, kept with the session, never sent."""

from __future__ import annotations

from asyncio import to_thread
from functools import partial
from typing import TYPE_CHECKING

from ctxtui.models.told import failed, note
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen

HINT = "a note about this message, which is never sent; nothing takes it away"


class Remarking:
    """Asks for a note about the message under the cursor, and shows those there are."""

    def __init__(self, screen: InspectorScreen) -> None:
        self._screen = screen

    def ask(self) -> None:
        """Ask for a note, beginning with the one there is."""
        screen = self._screen
        raw, reason = screen.explorer.raw, screen.workspace.saver.read_only_reason
        if reason is not None:
            tell(screen, failed(reason))
        elif raw is None:
            tell(screen, note("There is no message to write a note about"))
        else:
            said = dict(screen.session.details.remarks).get(raw, "")
            screen.explorer.prompt.ask(
                f"note about raw {raw:,}",
                HINT,
                partial(self._take, raw),
                verb="write it down",
                value=said,
                takes_nothing=True,
            )

    async def _take(self, raw: int, text: str) -> None:
        session = self._screen.session
        remarks = dict(session.details.remarks)
        remarks.pop(raw, None)
        if text.strip():
            remarks[raw] = text.strip()
        await to_thread(session.describe, remarks=list(remarks.items()))
        self.show()

    def show(self) -> None:
        """Show the notes there are, each with its message."""
        explorer, remarks = self._screen.explorer, dict(self._screen.session.details.remarks)
        if remarks != explorer.panes.remarks:
            explorer.views.note(remarks)
            self._screen.saving.show()
