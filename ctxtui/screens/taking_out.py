"""Taking something out of a session: the conversation as a file, batches as a recipe."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from core.formats import Format
from ctxtui.files.exporting import Exporter, usual_name
from ctxtui.models.recording import record_batches, recording_hint, recording_start
from ctxtui.models.told import done, warned
from ctxtui.screens.formats import FormatsScreen
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen


class TakingOut:
    """Asks where to, writes it, and says so."""

    def __init__(self, screen: InspectorScreen) -> None:
        self._screen = screen
        self._exporter = Exporter(screen.conversation)

    def ask_export(self) -> None:
        """Ask for the format of a file to write the conversation to."""
        self._screen.app.push_screen(FormatsScreen(), self._ask_file)

    def _ask_file(self, chosen: Format | None) -> None:
        if chosen is not None:
            usual = usual_name(self._screen.session.title, chosen)
            then = partial(self._export, chosen, usual)
            hint = f"a file; nothing typed means {usual}"
            prompt = self._screen.explorer.prompt
            what = f"export {chosen.name} to"
            prompt.ask(what, hint, then, verb="write the file", takes_nothing=True)

    async def _export(self, chosen: Format, usual: str, text: str) -> None:
        name = text.strip() or usual
        self._exporter.check(name)
        title, remarks = await asyncio.to_thread(self._exporter.write, name, chosen)
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
