"""Taking something out of a session: the conversation as a file, batches as a recipe."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ctxtui.files.exporting import HINT, Exporter
from ctxtui.models.recording import record_batches, recording_hint, recording_start
from ctxtui.models.told import done, warned
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen


class TakingOut:
    """Asks where to, writes it, and says so."""

    def __init__(self, screen: InspectorScreen) -> None:
        self._screen = screen
        self._exporter = Exporter(screen.conversation)

    def ask_export(self) -> None:
        """Ask for a file to write the conversation to."""
        prompt = self._screen.explorer.prompt
        prompt.ask("export to", HINT, self._export, verb="write the file", takes_nothing=True)

    async def _export(self, text: str) -> None:
        name = text.strip()
        self._exporter.check(name)
        title, remarks = await asyncio.to_thread(self._exporter.write, name)
        tell(self._screen, warned(title, " ".join(remarks)) if remarks else done(title))

    def ask_record(self) -> None:
        """Ask which batches to record as a recipe, and under which name."""
        screen = self._screen
        hint, start = recording_hint(screen.conversation), recording_start(screen.look)
        screen.explorer.prompt.ask(
            "record", hint, self._record, verb="save it", value=start, takes_nothing=True
        )

    def _record(self, text: str) -> None:
        tell(self._screen, record_batches(self._screen.conversation, text))
