"""Changing the context: forms for every operation, marks, repairs, and copies of what is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import on

from core.notices import Offer
from core.operations import ALL, Undo
from core.results import Result
from ctxtui.forms.prefill import Place
from ctxtui.look import Look
from ctxtui.render.numbers import tokens
from ctxtui.render.symbols import visible
from ctxtui.screens.form import FormScreen
from ctxtui.screens.keeping import KeepingScreen
from ctxtui.screens.operations import JSON, OperationsScreen
from ctxtui.screens.paste import PasteScreen
from ctxtui.screens.previewing import Drafts, PreviewScreen
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.choice_bar import ChoiceBar

OPERATIONS = {operation.title: operation for operation in ALL}
KEEP = "keep"
"""The label that is meant when none is typed."""


class ChangingScreen(KeepingScreen):
    """A screen from which every operation can be done."""

    _drafts: Drafts | None = None

    @property
    def drafts(self) -> Drafts:
        """Return the texts that were written and not used yet."""
        if self._drafts is None:
            self._drafts = {}
        return self._drafts

    @property
    def place(self) -> Place:
        """Return where the user stands: what a form is filled from."""
        return Place(Look(self.conversation), self.raw, frozenset(self.views.selected))

    # Forms

    def action_operate(self, title: str) -> None:
        """Open the form of an operation."""
        self.open_form(title)

    def open_form(self, title: str, given: Mapping[str, Any] | None = None) -> None:
        """Open the form of an operation, filled from where the user stands or from an offer."""
        if self.session.read_only:
            self.notify(self.why_read_only(), severity="error", markup=False)
            return
        self._return_to_now()
        form: PreviewScreen
        if title == JSON:
            form = PasteScreen(self.place, self.session, self.drafts)
        else:
            operation = OPERATIONS[title]
            form = FormScreen(operation, self.place, self.session, self.drafts, given)
        self.app.push_screen(form, self._done)

    def _return_to_now(self) -> None:
        """Leave the past before something is changed: only the present can be."""
        if not self.look.is_live:
            number = self.look.batch.number
            self.show(Look(self.conversation))
            sentence = f"Back in the present, which is what changes. R goes back to batch {number}."
            self.notify(sentence, markup=False)

    def _done(self, result: Result | None) -> None:
        if result is not None:
            self.took(result)

    def action_operations(self) -> None:
        """Show all operations."""
        self.app.push_screen(OperationsScreen(), self._chosen_operation)

    def _chosen_operation(self, title: str | None) -> None:
        if title is not None:
            self.open_form(title)

    # After a change

    def took(self, result: Result, word: str | None = None) -> None:
        """Show what a change has made, keep it, and say so in plain words."""
        before = self.known_errors
        self.views.let_go()
        self.show(Look(self.conversation))
        self.keep()
        self.views.flash((*result.diff.added, *result.diff.shown))
        self.notify(self._told(result, word), markup=False)
        now = self.known_errors
        new = 0 if before is None or now is None else now - before
        if new > 0:
            profile = self.conversation.settings.profile
            noun = "error" if new == 1 else "errors"
            sentence = f"{new} new {noun} for {profile}. L shows it, F repairs, u undoes."
            self.notify(sentence, title="Lint", severity="warning", markup=False)
        for notice in result.notices:
            if isinstance(notice, Offer):
                self._offer(notice)

    def _told(self, result: Result, word: str | None) -> str:
        operation = result.operation
        name = word or ("LIST" if isinstance(operation, tuple) else operation.title)
        opened = f" opened batch {result.affected_batch_index}" if result.created_batch else ""
        before = len(result.diff.hidden) + len(self.look.view) - len(result.diff.added)
        before -= len(result.diff.shown)
        change = result.tokens
        undo = "U redoes it" if isinstance(operation, Undo) else "u undoes it"
        if not result.diff and not result.created_batch:
            return f"{name}. {undo}."
        return (
            f"{name}{opened}: {before} → {len(self.look.view)} messages, "
            f"{tokens(change.before)} → {tokens(change.after)} tokens. {undo}."
        )

    def _offer(self, notice: Offer) -> None:
        """Show the operation that would bring the tokens down, as a form ready to be applied."""
        operation = notice.operation
        total = tokens(self.look.total)
        sentence = f"{total} tokens, above the threshold. This would bring them down."
        self.notify(sentence, title="Offered", severity="warning", markup=False)
        self.open_form(operation.title, operation.to_dict())

    # Marks

    def action_mark(self) -> None:
        """Ask for a label to put on the messages, or to take off."""
        chosen = self.place.chosen
        if not chosen:
            self.notify("There is no message to mark.", markup=False)
            return
        labels = ", ".join(sorted(self.conversation.marks)[:6])
        known = f"; there are {visible(labels, 60)}" if labels else ""
        self.query_one(AskLine).ask("mark", f"a label, nothing means {KEEP}{known}")

    @on(AskLine.Answered)
    def _mark_answered(self, event: AskLine.Answered) -> None:
        if event.what == "mark" and not event.was_left:
            self._mark(event.text.strip() or KEEP)

    def _mark(self, label: str) -> None:
        chosen = self.place.chosen
        marked = set(self.conversation.marks.get(label, ()))
        has_all = all(raw in marked for raw in chosen)
        name, word = ("UNMARK", "Unmarked") if has_all else ("MARK", "Marked")
        self.change({"operation": name, "indices": chosen, "label": label}, word)

    # Hidden messages

    def action_put_back(self) -> None:
        """Put a copy of the hidden message under the cursor where it would stand."""
        raw = self.raw
        if raw is None or self.look.view.position(raw) is not None:
            self.notify("Go to a hidden message first, in the raw array.", markup=False)
            return
        copy = self.conversation.log[raw].noted(copiedFrom=raw)
        position, fresh = Look(self.conversation).place_of_hidden(raw), len(self.conversation.log)
        labels = [label for label, marked in self.conversation.marks.items() if raw in marked]
        steps: list[dict[str, Any]] = [
            {"operation": "INSERT", "position": position, "messages": [copy.to_dict()]},
            *({"operation": "MARK", "indices": [fresh], "label": label} for label in labels),
        ]
        self.change(steps, "Put back")
        if len(self.conversation.log) > fresh:
            self.go_to_raw(fresh)

    @on(ChoiceBar.Chosen, "#profiles")
    def _profile_chosen(self, event: ChoiceBar.Chosen) -> None:
        if event.name != self.conversation.settings.profile:
            self.change({"operation": "CONFIGURE", "profile": event.name}, "Profile chosen")

    def action_repair(self, policy: str) -> None:
        """Repair broken tool pairs at once, in one way."""
        self.change({"operation": "REPAIR", "policy": policy}, f"Repaired by {policy}")
