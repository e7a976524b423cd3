"""Ways out of a call: to what was sent, to a difference or a try, or along as text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxtui.clipboard import copy_text
from ctxtui.core.formats import dump_json
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
        sheet = self.sheet  # In a thread: how it was written follows from all calls before it.
        copy = partial(copy_text, self.app, f"request-{sheet.number}")
        self.background.run(
            "copy the request",
            lambda _: dump_json(body_of(sheet.one)),
            lambda text: tell(self, copy(text)),
            holds_keys=True,
        )
