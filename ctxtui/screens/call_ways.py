"""Ways out of a call: to what was sent, to a difference or a try, or along as text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import events

from core.formats import dump_json
from ctxtui.clipboard import copy_text
from ctxtui.models.call_notes import body_of
from ctxtui.models.call_sheet import CallSheet
from ctxtui.models.places import Spot
from ctxtui.models.told import failed, note
from ctxtui.models.workspace import Workspace
from ctxtui.screens.diff import DiffScreen
from ctxtui.screens.scene import Scene
from ctxtui.screens.what_if import Branch, WhatIfScreen
from ctxtui.telling import tell

if TYPE_CHECKING:
    from textual.screen import Screen

    class Base(Scene, Screen[Any]):
        """A screen, for types only."""
else:
    Base = object


class Sent(NamedTuple):
    """What to look at in the inspector: what a call sent, a message of it, or a view."""

    revision: int
    raw: int | None = None
    view: str = "inspector"


Outcome = Sent | Branch | Spot | None


class CallWays(Base):
    """The keys of a call screen that lead away from it."""

    workspace: Workspace
    sheet: CallSheet
    _is_copying = False

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: what is typed after a copy comes after it."""
        return not self._is_copying

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event doesn't wait for a copy: leaving the app does not."""
        return isinstance(event, events.Key) and event.key == "ctrl+q"

    def action_sent(self) -> None:
        """Look at what was sent, in the inspector."""
        self.dismiss(Sent(self.sheet.one.call.revision))

    def action_lint(self) -> None:
        """Look at all findings of what was sent, in the inspector."""
        self.dismiss(Sent(self.sheet.one.call.revision, view="lint-view"))

    def action_diff(self) -> None:
        """Compare what was sent with what the call before sent."""
        one = self.sheet.one
        if one.before is None:
            tell(self, note("This is the first call", "There is none to compare it with."))
            return
        diff = DiffScreen(self.workspace.conversation, one.before.revision, one.call.revision)
        self.app.push_screen(diff, self._message_chosen)

    def _message_chosen(self, raw: int | None) -> None:
        if raw is not None:
            self.dismiss(Sent(self.sheet.one.call.revision, raw))

    def action_what_if(self) -> None:
        """Try recipes on what was sent."""
        reason = self.workspace.saver.read_only_reason
        if reason is not None:
            tell(self, failed(reason))
            return
        revision = self.sheet.one.call.revision
        now = self.workspace.conversation.current.id
        tried = WhatIfScreen(self.workspace.session, revision=None if revision == now else revision)
        self.app.push_screen(tried, self._tried)

    def _tried(self, outcome: Branch | Spot | None) -> None:
        if outcome is not None:
            self.dismiss(outcome)

    def action_copy(self) -> None:
        """Copy the body of the request as it was sent; a large one goes to a file."""
        self._is_copying = True
        self.run_worker(partial(self._write, self.sheet), group="body", thread=True)

    def _write(self, sheet: CallSheet) -> None:
        """Write the body in a thread: how it was written follows from all calls before it."""
        text = ""
        try:
            text = dump_json(body_of(sheet.one))
        finally:
            self.from_thread(self._copy, sheet.number, text)

    def _copy(self, number: int, text: str) -> None:
        self._is_copying = False
        if text:
            tell(self, copy_text(self.app, f"request-{number}", text))
