"""Keeping what was done: every change is saved in the background, in order; leaving closes."""

from __future__ import annotations

from typing import Any

from textual import on, work

from core import Refused
from core.conversation import Ask
from core.formats import dump_json, format_named
from core.results import Result
from core.storage import StorageError
from ctxtui.files import Unreadable, write_whole
from ctxtui.look import Look
from ctxtui.places import read_path
from ctxtui.screens.finding import FindingScreen
from ctxtui.widgets.ask_line import AskLine

OPENAI = ".openai.json"


class KeepingScreen(FindingScreen):
    """A screen whose conversation is a session: changed here, safe on disk a moment later."""

    _overwriting: str | None = None
    was_warned = False
    """Whether it was said that leaving would lose something."""

    def on_mount(self) -> None:
        """Say what opening the session had to say."""
        for note in self.session.notes[:5]:
            self.notify(note, severity="warning", markup=False, timeout=10)
        if self.session.problem is not None:
            self._say_not_saved(self.session.problem)
        self.tell_saved()

    # Changing

    def change(self, operation: Ask, word: str) -> None:
        """Change the conversation and say what happened, or why it was refused."""
        if self.session.read_only:
            self.notify(self.why_read_only(), severity="error", markup=False)
            return
        try:
            before = len(self.conversation.journal)
            result = self.session.change(operation)
        except Refused as refusal:
            sentence = f"Refused: {refusal}. Nothing was changed."
            self.notify(sentence, severity="error", markup=False)
            return
        if len(self.conversation.journal) == before:
            self.notify("Nothing changed: it is so already.", markup=False)
        else:
            self.took(result, word)

    def took(self, result: Result, word: str | None = None) -> None:
        """Show what a change has made, keep it, and say so."""
        self.show(Look(self.conversation))
        self.keep()

    def why_read_only(self) -> str:
        """Return why nothing can be changed here."""
        holder = self.session.holder
        return f"Read-only: {holder} has it open." if holder else "Read-only: nothing is changed."

    # Saving

    def keep(self) -> None:
        """Make what was done safe on disk, in a thread; the head line says when it is."""
        self.tell_saved()
        self._sync()

    @work(thread=True, group="save")
    def _sync(self) -> None:
        self._try(self.session.sync)

    @work(thread=True, group="save")
    def _fold(self) -> None:
        if self._try(self.session.save):
            self.from_thread(self.notify, "Saved.", markup=False)

    def _try(self, write: Any) -> bool:
        """Write in a thread, and tell how that ended."""
        try:
            write()
        except StorageError as error:
            self.from_thread(self._say_not_saved, str(error))
            return False
        self.was_warned = False
        self.from_thread(self.tell_saved)
        return True

    def _say_not_saved(self, problem: str) -> None:
        self.tell_saved()
        self.notify(
            f"{problem}. Your work is kept in memory; S tries again.",
            title="Not saved",
            severity="error",
            markup=False,
            timeout=30,
        )

    def action_save(self) -> None:
        """Save now: fold everything into the session's file."""
        if self.session.read_only:
            self.notify(self.why_read_only(), severity="error", markup=False)
        else:
            self._fold()

    def close_session(self) -> str | None:
        """Close the session; return why that can't be done without losing something."""
        try:
            self.session.close()
        except StorageError as error:
            return str(error)
        return None

    # Taking out

    def action_export(self) -> None:
        """Ask for a file to write the conversation to."""
        hint = f"a file: NAME.json for everything, NAME{OPENAI} for what is sent, as OpenAI chat"
        self.query_one(AskLine).ask("export to", hint)

    @on(AskLine.Answered)
    def _export_answered(self, event: AskLine.Answered) -> None:
        name = event.text.strip()
        if event.what != "export to" or not name:
            return
        if _exists(name) and self._overwriting != name:
            self._overwriting = name
            sentence = f"{name} is there already. Export to the same name again to write over it."
            self.notify(sentence, severity="warning", markup=False)
            return
        self._overwriting = None
        self._export(name)

    @work(thread=True, group="export")
    def _export(self, name: str) -> None:
        """Write the file as a whole or not at all, and say what its format can't hold."""
        chosen = format_named("openai" if name.endswith(OPENAI) else "native")
        try:
            written = chosen.write(self.conversation.copy())
            write_whole(read_path(name), dump_json(written.data) + "\n")
        except (Unreadable, Refused) as problem:
            self.from_thread(self.notify, str(problem), severity="error", markup=False)
            return
        said = [f"Exported to {name} ({chosen.name}).", *written.problems[:3]]
        self.from_thread(self.notify, "\n".join(said), markup=False)


def _exists(name: str) -> bool:
    """Tell whether there is a file of that name."""
    try:
        return read_path(name).exists()
    except (Refused, OSError, ValueError):
        return False
