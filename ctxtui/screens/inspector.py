"""The inspector: an explorer of a session, and everything that can be done to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider

from ctxtui.actions import run_command
from ctxtui.background import BackgroundTask
from ctxtui.clipboard import save_picture
from ctxtui.commands import FOLLOWING, INSPECTING, INSPECTOR, LISTS, PLAYER, Facts
from ctxtui.core import Refused
from ctxtui.core.conversation.conversation import OperationLike
from ctxtui.core.conversation.results import Result
from ctxtui.core.engine.queries import Offer
from ctxtui.core.storage import Follower, MemoryLibrary, Session
from ctxtui.explorer.explorer import Explorer
from ctxtui.files.growing import FileFollower
from ctxtui.messages import OpenLibrary
from ctxtui.models.desk import Desk
from ctxtui.models.live import Keeping
from ctxtui.models.look import Look
from ctxtui.models.places import Spot
from ctxtui.models.scripted import story_told
from ctxtui.models.told import NOTHING_CHANGED, note, refused
from ctxtui.models.workspace import NothingChanged, Workspace
from ctxtui.palette import InspectorProvider
from ctxtui.render.changes import change_told, errors_told, offer_told
from ctxtui.render.viewing import viewing_choice
from ctxtui.screens.calling import Calling
from ctxtui.screens.diff import DiffScreen
from ctxtui.screens.following import LiveSession
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.operating import Operating
from ctxtui.screens.previewing import Drafts
from ctxtui.screens.reviewed import Remarking, ReviewedScreen, TakingOut
from ctxtui.screens.reviewing import Reviewing
from ctxtui.screens.saving import BackgroundSaving
from ctxtui.screens.what_if import Branch, WhatIfScreen
from ctxtui.telling import tell
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox

EARLIER = ("[", "does")


class InspectorScreen(Calling, Operating, ReviewedScreen):
    """Shows a session and changes it: stepping is looking, rolling back is acting."""

    AUTO_FOCUS = "#visible"
    URGENT = ("ctrl+q", "escape")
    CSS_PATH = "../explorer/explorer.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in INSPECTOR]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {InspectorProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (100, "-medium"),
        (132, "-wide"),
        (180, "-huge"),
    ]

    def __init__(
        self,
        session: Session,
        spot: Spot | None = None,
        follower: FileFollower | None = None,
        *,
        desk: Desk | None = None,
        came_by_review: bool = False,
    ) -> None:
        super().__init__()
        self.session = session
        self._spot = spot
        self.conversation = session.conversation
        self.workspace = Workspace(session, None if follower is None else follower.name)
        self.explorer = Explorer(self.conversation, session.title)
        self.saving = BackgroundSaving(self, self.workspace.saver)
        self.drafts: Drafts = {}
        self.taking_out = TakingOut(self)
        self.remarking = Remarking(self)
        at = Desk(MemoryLibrary()) if desk is None else desk
        self.review = Reviewing(self, at, came_by_review=came_by_review)
        followed = Follower(session) if session.read_only else None
        source: Keeping | None = followed if follower is None else follower
        self.live = None if source is None else LiveSession(self, source)

    def compose(self) -> ComposeResult:
        """Lay out the explorer and the line of keys."""
        yield self.explorer
        yield KeyLine()

    def on_mount(self) -> None:
        """Say what opening the session had to say, and of a script that there is a story."""
        if self._spot is not None:
            self.explorer.travelling.go_to(self._spot)
        self.saving.start()
        self.remarking.show()
        self.review.show()
        told = story_told(self.conversation)
        if told is not None:
            tell(self, told)
        if self.live is not None:
            self.call_after_refresh(self.live.start, at_end=self._spot is None)
        if self._spot is not None and self._spot.call is not None:
            self.open_recorded(self._spot.call)

    @property
    def look(self) -> Look:
        """Return what is looked at."""
        return self.explorer.travelling.looked_at

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: what is typed after a search is for what it finds.

        What is typed after a verdict is for the session that comes.
        """
        return super().awaits(event) and not self.review.is_at_work

    def key_facts(self) -> Facts:
        """Return what can be done to the session, for the line of keys."""
        return {**self.workspace.facts, **self.review.facts}

    # Changing

    def change(self, operation: OperationLike, word: str) -> None:
        """Change the conversation and say what happened, or why it was refused."""
        self._try(lambda: (self.workspace.change(operation), word))

    def _try(self, act: Callable[[], tuple[Result, str]]) -> Result | None:
        """Do something that changes the session; say what came of it."""
        try:
            result, word = act()
        except NothingChanged:
            tell(self, NOTHING_CHANGED)
        except Refused as refusal:
            tell(self, refused(refusal))
        else:
            self.after_change(result, word)
            return result
        return None

    def after_change(self, result: Result, word: str | None = None) -> None:
        """Show what a change has made, save it, and say so in plain words."""
        explorer, before = self.explorer, self.explorer.known_errors
        explorer.panes.clear_selection()
        explorer.show_now()
        self.saving.save_soon()
        explorer.panes.flash((*result.diff.added, *result.diff.shown))
        tell(self, change_told(result, word, self.workspace.turned(result)))
        now = explorer.known_errors
        new = 0 if before is None or now is None else now - before
        for told in errors_told(new, self.conversation.settings.profile):
            tell(self, told)
        offer = self.workspace.offer
        if offer is not None:
            self.background.run("preview the offer", partial(self._preview_offer, offer))

    def _preview_offer(self, offer: Offer, task: BackgroundTask) -> None:
        """Find out in a thread what an offer would do, and show that; nothing waits for it."""
        with suppress(Refused):
            cut = self.session.preview(offer.operation)
            told = offer_told(offer, cut.tokens.before, self.conversation.settings, cut)
            task.show(tell, self, told)

    # Marks, copies, repairs

    def action_mark(self) -> None:
        """Ask for a label to put on the messages, or to take off."""
        hint = self.workspace.mark_hint
        self.explorer.prompt.ask("mark", hint, self._mark, verb="mark", takes_nothing=True)

    def _mark(self, label: str) -> None:
        self.after_change(*self.workspace.mark(self.form_context.chosen, label))

    def action_keep_only(self) -> None:
        """Hide everything but the selected messages."""
        self._try(lambda: self.workspace.keep_only(self.explorer.selection.raws))

    def action_put_back(self) -> None:
        """Put a copy of the hidden message under the cursor where it would stand."""
        raw, fresh = self.explorer.raw, len(self.conversation.log)
        if raw is None:
            tell(self, note("There is no message to put back"))
        elif self._try(lambda: (self.workspace.put_back(raw), "Put back")) is not None:
            self.explorer.go_to_raw(fresh)

    @on(ChoiceBar.Chosen, "#profiles")
    def _profile_chosen(self, event: ChoiceBar.Chosen) -> None:
        if event.name != self.conversation.settings.profile:
            self.change({"operation": "CONFIGURE", "profile": event.name}, "Profile chosen")

    def action_repair(self, policy: str) -> None:
        """Repair broken tool pairs at once, in one way."""
        self.change({"operation": "REPAIR", "policy": policy}, f"Repaired by {policy}")

    # Time

    def action_undo(self) -> None:
        """Take back the newest change, which may be the verdict that led here."""
        if self.review.may_take_back:
            self.review.take_back()
            return
        self.change({"operation": "UNDO"}, "Undone")

    def action_redo(self) -> None:
        """Make the change again that was undone last."""
        self.change({"operation": "REDO"}, "Redone")

    def action_roll_back(self) -> None:
        """Go back to the batch that is looked at, for real."""
        if self.look.is_live:
            tell(self, note("This is the present", "Look at an earlier batch first.", EARLIER))
        else:
            self._try(lambda: self.workspace.go_back_to(self.look))

    def action_switch_off(self) -> None:
        """Switch the operation of the looked-at batch off, and compare the outcome with before."""
        batch, before = self.look.batch, self.conversation.current.id
        word = f"Without batch {batch.number}"
        if self._try(lambda: (self.workspace.switch_off(batch), word)) is not None:
            self._compare(before)

    @on(LineBox.Clicked, "#viewing")
    async def _viewing_clicked(self, event: LineBox.Clicked) -> None:
        news = self.explorer.following.news
        chosen = viewing_choice(self.look, event.box.size.width, event.x, news=news)
        if chosen:
            await run_command(self, chosen)

    # Comparing

    def action_diff(self) -> None:
        """Compare the batch that is looked at with now, or now with the batch before."""
        if not self.look.is_live:
            self._compare(self.look.revision.id)
        else:
            self._compare(0 if self.look.before is None else self.look.before.id)

    def _compare(self, revision: int) -> None:
        diff = DiffScreen(self.conversation, revision, self.conversation.current.id)
        self.app.push_screen(diff, self._go_to_message)

    def _go_to_message(self, raw: int | None) -> None:
        if raw is not None and raw < self.look.log_size:
            self.explorer.go_to_raw(raw)

    def action_what_if(self) -> None:
        """Try recipes side by side: on the present, or on the batch that is looked at."""
        if self.may_change():
            revision = None if self.look.is_live else self.look.revision.id
            self.app.push_screen(WhatIfScreen(self.session, revision=revision), self.branched)

    def branched(self, outcome: Branch | Spot | None) -> None:
        """Show the branch that was opened by trying something, or go where that leads."""
        if isinstance(outcome, Branch):
            self.after_change(outcome.result, outcome.word)
        elif outcome is not None:
            self.explorer.travelling.go_to(outcome)

    def action_save(self) -> None:
        """Save now: fold everything into the session's file."""
        if self.may_change():
            self.saving.fold()

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        playing = PLAYER if self.explorer.views.current == "journal" else ()
        following = FOLLOWING if self.explorer.following.is_on else ()
        keys = (*playing, *following, *INSPECTING, *LISTS)
        self.app.push_screen(HelpScreen(keys, keys_here(self)))

    def action_library(self) -> None:
        """Close the session and show the library."""
        self.post_message(OpenLibrary())
