"""A screen of one session: judging it, noting, checking, taking something out of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from ctxtui.core.formats import Format
from ctxtui.files.exporting import Exporter, usual_name
from ctxtui.messages import OpenSquashed
from ctxtui.models.recording import record_batches, recording_hint, recording_start
from ctxtui.models.told import done, failed, note, warned
from ctxtui.screens.formats import FormatsScreen
from ctxtui.screens.help import WarningsScreen
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.prompt import Later
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.core import Conversation
    from ctxtui.core.storage import Session
    from ctxtui.models.look import Look
    from ctxtui.screens.inspector import InspectorScreen
    from ctxtui.screens.reviewing import Reviewing

MOST_SENTENCES = 3
"""How many broken invariants a notice names; there is hardly ever one."""
HINT = "a note about this message, which is never sent; nothing takes it away"


class ReviewedScreen(Scene, Screen[None]):
    """What can be done to a session beside changing its conversation."""

    session: Session
    conversation: Conversation
    review: Reviewing
    remarking: Remarking
    taking_out: TakingOut

    @property
    def look(self) -> Look:
        """Return what is looked at."""
        raise NotImplementedError

    def action_judge(self, status: str) -> None:
        """Give a verdict on the session, and go on to the next one without."""
        self.review.judge(status)

    def action_other(self, by: int) -> None:
        """Open the conversation before or behind this one in the library."""
        self.review.other(by)

    def action_note(self) -> None:
        """Ask for a note about the message under the cursor."""
        self.remarking.ask()

    def action_check(self) -> None:
        """Check every invariant, and say which is broken."""
        self.background.run(
            "check the session",
            lambda _: self.conversation.check(),
            self._checked,
            holds_keys=True,
        )

    def _checked(self, broken: list[str]) -> None:
        conversation = self.conversation
        if broken:
            rest = len(broken) - MOST_SENTENCES
            more = [f"and {rest:,} more: ctxtui check lists them"] if rest > 0 else []
            told = "; ".join([*broken[:MOST_SENTENCES], *more])
            tell(self, failed(plural(len(broken), "broken invariant"), f"{told}."))
        else:
            messages = plural(len(conversation.log), "message")
            told = f"{messages}, {plural(len(conversation.revisions), 'revision')}."
            tell(self, done("Every invariant holds", told))

    def action_warnings(self) -> None:
        """List what was adapted or left out when the file was read."""
        self.app.push_screen(WarningsScreen(self.session.details.warnings))

    def action_squash(self) -> None:
        """Make a session of what is looked at, and open it instead of this one."""
        look, session = self.look, self.session
        tags = session.details.tags
        ask = OpenSquashed(self.conversation, look.revision.id, session.title, tags)
        self.post_message(ask)

    def action_split(self) -> None:
        """Make two sessions of what is visible: before the message under the cursor, and on."""
        self.review.split()

    def action_export(self) -> None:
        """Ask for a file to write the conversation to."""
        self.taking_out.ask_export()

    def action_record(self) -> None:
        """Ask which batches to record as a recipe, and under which name."""
        self.taking_out.ask_record()


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

    def _take(self, raw: int, text: str) -> Later:
        session = self._screen.session
        remarks = dict(session.details.remarks)
        remarks.pop(raw, None)
        if text.strip():
            remarks[raw] = text.strip()
        described = partial(session.describe, remarks=list(remarks.items()))
        return Later(lambda _: described(), lambda _: self.show())

    def show(self) -> None:
        """Show the notes there are, each with its message."""
        explorer, remarks = self._screen.explorer, dict(self._screen.session.details.remarks)
        if remarks != explorer.panes.remarks:
            explorer.views.note(remarks)
            self._screen.saving.show()


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

    def _export(self, chosen: Format, usual: str, text: str) -> Later:
        name = text.strip() or usual
        self._exporter.check(name)
        return Later(lambda _: self._exporter.write(name, chosen), self._exported)

    def _exported(self, written: tuple[str, Sequence[str]]) -> None:
        title, remarks = written
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
