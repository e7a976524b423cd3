"""The inspector: an explorer of one session, and everything that can be done to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.actions import run_command
from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Command, Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation, Refused
from ctxtui.core.conversation.conversation import OperationLike, Result
from ctxtui.core.engine.queries import Offer
from ctxtui.core.storage import Follower, MemoryLibrary, Session
from ctxtui.inspector.drawing.head import viewing_choice
from ctxtui.inspector.explorer import Explorer, WayOut
from ctxtui.inspector.keys import FOLLOWING, INSPECTING, INSPECTOR, PLAYER
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.search import Spot
from ctxtui.inspector.models.workspace import (
    NothingChanged,
    Workspace,
    record_batches,
    recording_hint,
    recording_start,
    story_toast,
)
from ctxtui.inspector.panes import BatchPane
from ctxtui.inspector.reviewing import Reviewing
from ctxtui.inspector.saving import BackgroundSaving, LiveUpdates
from ctxtui.messages import OpenLibrary, OpenSquashed
from ctxtui.notify import notify
from ctxtui.text.lines import Piece
from ctxtui.text.plurals import plural
from ctxtui.text.toast import NOTHING_CHANGED, done, failed, note, refused, warned
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import LineBox
from ctxtui.widgets.prompt import Later

if TYPE_CHECKING:
    from ctxtui.calls.screen import Outcome, Sent
    from ctxtui.core.formats import Format
    from ctxtui.files.following import FileFollower
    from ctxtui.forms.dialog import Drafts
    from ctxtui.forms.models import FormContext
    from ctxtui.library.models.library import LibraryState
    from ctxtui.what_if.screen import Branch

EARLIER = ("[", "does")
MOST_SENTENCES = 3
"""How many broken invariants a toast names; there is hardly ever one."""
NOTE_HINT = "a note about this message, which is never sent; an empty one removes it"
NO_CALL = "Capture, integrations and requests in files record calls."


def _empty_state() -> LibraryState:
    from ctxtui.library.models.library import LibraryState

    return LibraryState(MemoryLibrary())


class InspectorScreen(BaseScreen[None]):
    """Shows a session and changes it: stepping only views, rolling back acts."""

    AUTO_FOCUS = "#visible"
    URGENT = ("ctrl+q", "escape")
    CSS_PATH = "inspector.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(INSPECTOR)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (100, "-medium"),
        (132, "-wide"),
        (180, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]  # noqa: RUF012 - declared so by Textual

    def __init__(
        self,
        session: Session,
        spot: Spot | None = None,
        follower: FileFollower | None = None,
        *,
        library_state: LibraryState | Callable[[], LibraryState] = _empty_state,
        came_by_review: bool = False,
    ) -> None:
        from ctxtui.files.writing import Exporter

        super().__init__()
        self.session = session
        self._spot = spot
        self._came_for_call = False
        self.conversation = session.conversation
        self.workspace = Workspace(session, None if follower is None else follower.name)
        self.explorer = Explorer(self.conversation, session.name)
        self.explorer.way_home = WayOut("library", self.action_library)
        self.saving = BackgroundSaving(self, self.workspace.saver)
        self.drafts: Drafts = {}
        self._exporter = Exporter(self.conversation)
        self.review = Reviewing(self, library_state, came_by_review=came_by_review)
        followed = Follower(session) if session.read_only else None
        source = followed if follower is None else follower
        self.live = None if source is None else LiveUpdates(self, source)

    def compose(self) -> ComposeResult:
        yield self.explorer
        yield KeyFooter()

    def on_mount(self) -> None:
        if self._spot is not None:
            self.explorer.go_to(self._spot)
        self.saving.start()
        self.show_notes()
        self.review.show()
        told = story_toast(self.conversation)
        if told is not None:
            notify(self, told)
        if self.live is not None:
            self.call_after_refresh(self.live.start, at_end=self._spot is None)
        if self._spot is not None and self._spot.call is not None:
            self.open_recorded(self._spot.call)

    def on_screen_resume(self) -> None:
        """Name the way back after the screen it leads to."""
        stack = self.app.screen_stack
        below = stack[stack.index(self) - 1] if self in stack[1:] else self
        home = below.HOME if isinstance(below, BaseScreen) else self.HOME
        self.explorer.way_home = WayOut(home, self.action_library)
        self.refresh_bindings()

    @property
    def look(self) -> Look:
        return self.explorer.shown

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may be handled now; after a verdict it waits."""
        return super().accepts_key(event) and not self.review.is_at_work

    def key_conditions(self) -> Conditions:
        return {**self.workspace.facts, **self.review.facts, "seen": self._is_managed}

    @property
    def _is_managed(self) -> bool:
        from ctxtui.calls.models.call import is_managed

        return bool(self.look.calls) and is_managed(self.conversation)

    def reading_changed(self) -> None:
        self.explorer.views.read_again()
        self.refresh_bindings()

    # Changing

    def change(self, operation: OperationLike, word: str) -> None:
        self._try(lambda: (self.workspace.change(operation), word))

    def _try(self, act: Callable[[], tuple[Result, str]]) -> Result | None:
        """Do something that changes the session; say what came of it."""
        try:
            result, word = act()
        except NothingChanged:
            notify(self, NOTHING_CHANGED)
        except Refused as refusal:
            notify(self, refused(refusal))
        else:
            self.after_change(result, word)
            return result
        return None

    def after_change(self, result: Result, word: str | None = None) -> None:
        from ctxtui.inspector.drawing.changes import change_toast, error_toasts

        explorer, before = self.explorer, self.explorer.known_errors
        explorer.panes.clear_selection()
        explorer.show_now()
        self.saving.save_soon()
        explorer.panes.flash((*result.diff.added, *result.diff.shown))
        notify(self, change_toast(result, word, self.workspace.turned(result)))
        now = explorer.known_errors
        new = 0 if before is None or now is None else now - before
        for told in error_toasts(new, self.conversation.settings.profile):
            notify(self, told)
        offer = self.workspace.offer
        if offer is not None:
            self.background.run("preview the offer", partial(self._preview_offer, offer))

    def _preview_offer(self, offer: Offer, task: BackgroundTask) -> None:
        from ctxtui.inspector.drawing.changes import offer_toast

        with suppress(Refused):
            cut = self.session.preview(offer.operation)
            told = offer_toast(offer, cut.tokens.before, self.conversation.settings, cut)
            task.show(notify, self, told)

    # Forms

    @property
    def form_context(self) -> FormContext:
        """Return what a form is filled from: the latest state, the cursor and the selection."""
        from ctxtui.forms.models import FormContext

        explorer = self.explorer
        return FormContext(Look(self.conversation), explorer.raw, explorer.selection.raws)

    def may_change(self) -> bool:
        reason = self.workspace.saver.read_only_reason
        if reason is not None:
            notify(self, failed(reason))
        return reason is None

    def action_operate(self, title: str) -> None:
        self._open_form(title)

    def action_offer(self) -> None:
        offer = self.workspace.offer
        if offer is not None:
            self._open_form(offer.operation.title, offer.operation.to_dict())
        else:
            notify(self, note("Nothing is offered", "No APPEND has just passed the threshold."))

    def action_operations(self) -> None:
        from ctxtui.forms.screen import OperationPicker

        self.app.push_screen(OperationPicker(), self._operation_picked)

    def _operation_picked(self, title: str | None) -> None:
        if title is not None:
            self._open_form(title)

    def _open_form(self, title: str, given: Mapping[str, Any] | None = None) -> None:
        from ctxtui.forms.screen import form_of

        if not self.may_change():
            return
        self._return_to_now()
        form = form_of(title, self.form_context, self.session, self.drafts, given)
        self.app.push_screen(form, self._form_closed)

    def _return_to_now(self) -> None:
        if not self.look.is_live:
            number = self.look.batch.number
            self.explorer.show_now()
            title = "Back at the latest state; only that can be edited"
            notify(self, note(title, f"It was batch {number}."))

    def _form_closed(self, result: Result | None) -> None:
        if result is not None:
            self.after_change(result)

    # Marks, copies, repairs

    def action_mark(self) -> None:
        hint = self.workspace.mark_hint
        self.explorer.prompt.ask("mark", hint, self._mark, verb="mark", takes_nothing=True)

    def _mark(self, label: str) -> None:
        self.after_change(*self.workspace.mark(self.form_context.chosen, label))

    def action_keep_only(self) -> None:
        self._try(lambda: self.workspace.keep_only(self.explorer.selection.raws))

    def action_put_back(self) -> None:
        raw, fresh = self.explorer.raw, len(self.conversation.log)
        if raw is None:
            notify(self, note("There is no message to put back"))
        elif self._try(lambda: (self.workspace.put_back(raw), "Put back")) is not None:
            self.explorer.go_to_raw(fresh)

    @on(ChoiceBar.Chosen, "#profiles")
    def _profile_chosen(self, event: ChoiceBar.Chosen) -> None:
        if event.name != self.conversation.settings.profile:
            self.change({"operation": "CONFIGURE", "profile": event.name}, "Profile chosen")

    def action_repair(self, policy: str) -> None:
        self.change({"operation": "REPAIR", "policy": policy}, f"Repaired by {policy}")

    # Time

    def action_undo(self) -> None:
        if self.review.may_take_back:
            self.review.take_back()
            return
        self.change({"operation": "UNDO"}, "Undone")

    def action_redo(self) -> None:
        self.change({"operation": "REDO"}, "Redone")

    def action_roll_back(self) -> None:
        if self.look.is_live:
            notify(self, note("This is the present", "Look at an earlier batch first.", EARLIER))
        else:
            self._try(lambda: self.workspace.go_back_to(self.look))

    def action_switch_off(self) -> None:
        """Switch the operation of the selected batch off, and compare the outcome with before."""
        batch, before = self.look.batch, self.conversation.current.id
        word = f"Without batch {batch.number}"
        if self._try(lambda: (self.workspace.switch_off(batch), word)) is not None:
            self._compare(before)

    @on(LineBox.Clicked, "#viewing")
    async def _viewing_clicked(self, event: LineBox.Clicked) -> None:
        news = self.explorer.news
        chosen = viewing_choice(self.look, event.box.size.width, event.x, news=news)
        if chosen:
            await run_command(self, chosen)

    # Comparing

    def action_diff(self) -> None:
        picked = self.explorer.panes.picked_batches
        if len(picked) > 1:
            first, second = (Look.at_batch(self.conversation, one) for one in sorted(picked))
            self._compare(first.revision.id, second.revision.id)
        elif not self.look.is_live:
            self._compare(self.look.revision.id)
        else:
            self._compare(0 if self.look.before is None else self.look.before.id)

    def _compare(self, left: int, right: int | None = None) -> None:
        from ctxtui.diff.screen import DiffScreen

        now = self.conversation.current.id
        right = now if right is None else right
        diff = DiffScreen(self.conversation, left, right, self.session.name)
        self.app.push_screen(diff, self._go_to_message)

    def _go_to_message(self, raw: int | None) -> None:
        if raw is not None and raw < self.look.log_size:
            self.explorer.go_to_raw(raw)

    def action_loom(self) -> None:
        from ctxtui.loom.screen import LoomPlace, LoomScreen

        def opened(place: LoomPlace | None) -> None:
            if place is not None:
                self.explorer.show(Look(self.conversation, place.revision))
                self._go_to_message(place.raw)

        self.app.push_screen(LoomScreen(self.conversation, self.session.name), opened)

    def action_what_if(self) -> None:
        from ctxtui.what_if.screen import WhatIfScreen

        if self.may_change():
            revision = None if self.look.is_live else self.look.revision.id
            self.app.push_screen(WhatIfScreen(self.session, revision=revision), self.branched)

    def branched(self, outcome: Branch | Spot | None) -> None:
        """Show the branch that was opened by trying something, or go where that leads."""
        from ctxtui.what_if.screen import Branch

        if isinstance(outcome, Branch):
            self.after_change(outcome.result, outcome.word)
        elif outcome is not None:
            self.explorer.go_to(outcome)

    # Recorded calls

    def action_calls(self) -> None:
        self._open_call(None)

    def on_batch_pane_call_chosen(self, event: BatchPane.CallChosen) -> None:
        self._open_call(event.number)

    def open_recorded(self, place: int) -> None:
        """Show a call by its place among all that were recorded, if it is on this path."""
        from ctxtui.calls.models.call import CallPath

        number = CallPath(self.conversation, self.look.revision.id).number_at(place)
        if number is not None:
            self._came_for_call = True
            self._open_call(number)

    def _open_call(self, number: int | None) -> None:
        """Show a call by its number on the path, or else the newest one up to here."""
        from ctxtui.calls.models.call import CallPath
        from ctxtui.calls.screen import CallScreen

        path = CallPath(self.conversation, self.look.revision.id)
        wanted = path.nearest(self.look.revision) if number is None else number
        if wanted is None or not 1 <= wanted <= len(path):
            notify(self, note("No call was recorded on this path", NO_CALL))
            return
        shown = CallScreen(self.workspace, path, wanted, is_live=self.live is not None)
        if self.live is not None:
            self.live.guest = shown
        self.app.push_screen(shown, self._call_closed)

    def _call_closed(self, outcome: Outcome) -> None:
        from ctxtui.calls.screen import Sent

        if self.live is not None:
            self.live.guest = None
        came_for_call, self._came_for_call = self._came_for_call, False
        if isinstance(outcome, Sent):
            self._show_sent(outcome)
        elif outcome is None and came_for_call:
            self.post_message(OpenLibrary())  # Back to where the call was opened.
        else:
            self.branched(outcome)

    def _show_sent(self, sent: Sent) -> None:
        explorer = self.explorer
        explorer.show(Look(self.conversation, sent.revision))
        if sent.view != "inspector":
            explorer.action_view(sent.view)
        elif sent.raw is not None and sent.raw < explorer.look.log_size:
            explorer.go_to_raw(sent.raw)
        else:
            explorer.action_pane("visible")

    # Notes, reviews, files

    def action_note(self) -> None:
        raw, reason = self.explorer.raw, self.workspace.saver.read_only_reason
        if reason is not None:
            notify(self, failed(reason))
        elif raw is None:
            notify(self, note("There is no message to write a note about"))
        else:
            self.explorer.prompt.ask(
                f"note about raw {raw:,}",
                NOTE_HINT,
                partial(self._write_note, raw),
                verb="write it down",
                value=dict(self.session.details.remarks).get(raw, ""),
                takes_nothing=True,
            )

    def _write_note(self, raw: int, text: str) -> Later:
        notes = dict(self.session.details.remarks)
        notes.pop(raw, None)
        if text.strip():
            notes[raw] = text.strip()
        write = partial(self.session.describe, remarks=list(notes.items()))
        return Later(lambda _: write(), lambda _: self.show_notes())

    def show_notes(self) -> None:
        notes = dict(self.session.details.remarks)
        if notes != self.explorer.panes.remarks:
            self.explorer.views.note(notes)
            self.saving.show()

    def action_judge(self, status: str) -> None:
        self.review.judge(status)

    def action_other(self, by: int) -> None:
        self.review.other(by)

    def action_split(self) -> None:
        self.review.split()

    def action_squash(self) -> None:
        tags = self.session.details.tags
        self.post_message(
            OpenSquashed(self.conversation, self.look.revision.id, self.session.title, tags)
        )

    def action_check(self) -> None:
        self.background.run(
            "check the session",
            lambda _: self.conversation.check(),
            self._checked,
            holds_keys=True,
        )

    def _checked(self, broken: list[str]) -> None:
        if broken:
            rest = len(broken) - MOST_SENTENCES
            more = [f"and {rest:,} more: ctxtui check lists them"] if rest > 0 else []
            told = "; ".join([*broken[:MOST_SENTENCES], *more])
            notify(self, failed(plural(len(broken), "broken invariant"), f"{told}."))
        else:
            messages = plural(len(self.conversation.log), "message")
            told = f"{messages}, {plural(len(self.conversation.revisions), 'revision')}."
            notify(self, done("Every invariant holds", told))

    def action_warnings(self) -> None:
        from ctxtui.help.screen import WarningsScreen

        self.app.push_screen(WarningsScreen(self.session.details.warnings))

    def action_export(self) -> None:
        from ctxtui.library.choosers import FormatPicker

        self.app.push_screen(FormatPicker(), self._ask_file)

    def _ask_file(self, chosen: Format | None) -> None:
        from ctxtui.files.writing import usual_name

        if chosen is not None:
            usual = usual_name(self.session.title, chosen)
            self.explorer.prompt.ask(
                f"export {chosen.name} to",
                f"a file; nothing typed means {usual}",
                partial(self._export, chosen, usual),
                verb="write the file",
                takes_nothing=True,
            )

    def _export(self, chosen: Format, usual: str, text: str) -> Later:
        name = text.strip() or usual
        self._exporter.check(name)
        return Later(lambda _: self._exporter.write(name, chosen), self._exported)

    def _exported(self, written: tuple[str, Sequence[str]]) -> None:
        title, warnings = written
        notify(self, warned(title, " ".join(warnings)) if warnings else done(title))

    def action_record(self) -> None:
        hint, start = recording_hint(self.conversation), recording_start(self.look)
        self.explorer.prompt.ask(
            "record", hint, self._record, verb="save it", value=start, takes_nothing=True
        )

    def _record(self, text: str) -> None:
        notify(self, record_batches(self.conversation, text))

    def action_save(self) -> None:
        if self.may_change():
            self.saving.fold()

    def palette_commands(self) -> Sequence[Command]:
        from ctxtui.help.palette import INSPECTOR_COMMANDS

        return INSPECTOR_COMMANDS

    def help_commands(self) -> Sequence[Command]:
        playing = PLAYER if self.explorer.views.current == "journal" else ()
        following = FOLLOWING if self.explorer.is_followed else ()
        return (*playing, *following, *INSPECTING, *LISTS)

    def action_library(self) -> None:
        self.post_message(OpenLibrary())


WAYS_OUT = (("O", "goes back to the lesson"), ("e", "writes a file"))
TITLE, DETAIL = "A practice copy", "Nothing of it is saved."


class PracticeSaving(BackgroundSaving):
    """Saves nothing, and says so."""

    def start(self) -> None:
        self.fold()
        self.show()

    def fold(self) -> None:
        notify(self._screen, note(TITLE, DETAIL, *WAYS_OUT))

    def save_soon(self) -> None:
        self.show()

    def show(self) -> None:
        self._screen.explorer.tabs.saved = [Piece("practice copy, not saved ", "warn")]


class PracticeScreen(InspectorScreen):
    """The inspector of a conversation that is dropped when it is left."""

    def __init__(self, conversation: Conversation, title: str) -> None:
        from ctxtui.library.models.library import LibraryState

        library = MemoryLibrary()
        super().__init__(
            library.create(conversation, title=title), library_state=LibraryState(library)
        )
        self.saving = PracticeSaving(self, self.workspace.saver)
