"""Comparing and branching: diff, what-if, toggling, recording recipes, finding the culprit."""

from __future__ import annotations

import re
from functools import partial
from time import monotonic

from textual import on, work
from textual.worker import get_current_worker

from core import Batch, Refused
from core.errors import outside, shown
from core.recipes import record_recipe
from core.searching import first_above, first_error, first_without
from ctxtui.files import Unreadable
from ctxtui.recipes import save_recipe
from ctxtui.render.numbers import percent
from ctxtui.screens.changing import ChangingScreen
from ctxtui.screens.diff import DiffScreen
from ctxtui.screens.what_if import WhatIfScreen
from ctxtui.widgets.ask_line import AskLine

CULPRIT = "error, a rule such as G1, gone (this message), or a number of tokens"
_STRETCH = re.compile(r"(\d{1,9})\s*(?:[-–…]|\.\.+)\s*(\d{1,9})\s+(\S.*)", re.ASCII)
GONE = "gone"
OFTEN = 0.1
"""Seconds between two words about how far a search is."""


class Abandoned(Exception):  # noqa: N818 - it says what happened
    """Nobody waits for the search any more."""


class BranchingScreen(ChangingScreen):
    """A screen that shows states beside each other, and makes branches of what could have been."""

    # Comparing

    def action_diff(self) -> None:
        """Compare the batch that is looked at with now, or now with the batch before."""
        now = self.conversation.current.id
        if not self.look.is_live:
            left = self.look.revision.id
        else:
            left = 0 if self.look.before is None else self.look.before.id
        self.app.push_screen(DiffScreen(self.conversation, left, now))

    def action_what_if(self) -> None:
        """Try recipes side by side: on the present, or on the batch that is looked at."""
        if self.session.read_only:
            self.notify(self.why_read_only(), severity="error", markup=False)
        else:
            revision = None if self.look.is_live else self.look.revision.id
            self.app.push_screen(WhatIfScreen(self.session, revision=revision))

    def action_switch_off(self) -> None:
        """Switch the operation of the looked-at batch off, and compare the outcome with before."""
        batch, before = self.look.batch, self.conversation.current.id
        if batch.operation is None:
            self.notify("Batch 0 has no operation to switch off.", markup=False)
            return
        self.change(
            {"operation": "TOGGLE", "skip": [batch.opened]}, f"Without batch {batch.number}"
        )
        now = self.conversation.current.id
        if now != before:
            self.app.push_screen(DiffScreen(self.conversation, before, now))

    # Recording

    def action_record(self) -> None:
        """Ask which batches to record as a recipe, and under which name."""
        last = self.conversation.batch.number
        if last == 0:
            self.notify("Only batch 0: there is no operation to record yet.", markup=False)
            return
        first = min(last, max(1, self.look.batch.number if not self.look.is_live else 1))
        line = self.query_one(AskLine)
        line.ask("record", f"batches of the path (1–{last}) and a name, such as 1-{last} window")
        line.value = f"{first}-{last} "

    def _record(self, text: str) -> None:
        found = _STRETCH.fullmatch(text.strip())
        last = self.conversation.batch.number
        if found is None:
            legal = f"two batches of 1…{last} and a name, such as 1-{last} window"
            raise Refused(f"{shown(text)} is not {legal}", field="record", legal=legal)
        start, end = int(found[1]), int(found[2])
        for number in (start, end):
            if not 1 <= number <= last:
                raise outside("batch", number, f"1…{last}")
        opened = self.conversation.path[start].opened
        recipe = record_recipe(self.conversation, opened, self.conversation.on_path(end).id)
        path = save_recipe(found[3], recipe)
        self.notify(f"Recorded {len(recipe)} operations in {path}. w tries it.", markup=False)

    # Finding the culprit

    def action_bisect(self) -> None:
        """Ask what to look for, and go to the first batch of the path in which it is so."""
        self.query_one(AskLine).ask("first batch with", CULPRIT)

    @on(AskLine.Answered)
    def _branch_answered(self, event: AskLine.Answered) -> None:
        text = event.text.strip()
        if event.was_left or not text:
            return
        try:
            if event.what == "record":
                self._record(text)
            elif event.what == "first batch with":
                self._find(text)
        except (Refused, Unreadable) as problem:
            self.notify(str(problem), severity="error", markup=False)

    def _find(self, text: str) -> None:
        if text.casefold() == GONE:
            if self.raw is None:
                self.notify("There is no message under the cursor.", markup=False)
            else:
                number = first_without(self.conversation, self.raw)
                batch = None if number is None else self.conversation.path[number]
                self._found_batch(f"without raw {self.raw}", batch)
        else:
            self._bisect(text)

    @work(thread=True, exclusive=True, group="search")
    def _bisect(self, text: str) -> None:
        """Look through the batches in a thread; escape gives up."""
        worker, path, told = get_current_worker(), self.conversation.path, monotonic()

        def progress(done: int, count: int) -> None:
            nonlocal told
            if worker.is_cancelled:
                raise Abandoned
            if monotonic() - told > OFTEN:
                told = monotonic()
                self.from_thread(self._tell_search, done, count)

        try:
            if text.isascii() and text.isdigit():
                what = f"above {int(text[:18]):,} tokens"
                number = first_above(self.conversation, int(text[:18]), progress)
            else:
                rule = None if text.casefold() in ("error", "errors", "lint") else text.upper()
                what = "with an error" if rule is None else f"with {rule}"
                number = first_error(self.conversation, rule, progress=progress)
        except Abandoned:
            return
        except Refused as refusal:
            say = partial(self.notify, str(refusal), severity="error", markup=False)
            self.from_thread(say)
            return
        if not worker.is_cancelled:
            found = path[number] if number is not None and number < len(path) else None
            self.from_thread(self._found_batch, what, found)

    def _tell_search(self, done: int, count: int) -> None:
        subtitle = f"looking through batches {percent(done, count)} · esc stops"
        self.query_one("#timeline").border_subtitle = subtitle

    def _found_batch(self, what: str, batch: Batch | None) -> None:
        self.views.tell()
        if batch is None:
            self.notify(f"No batch of the path is {what}.", markup=False)
            return
        self.action_pane("timeline")
        self.look_at_batch(batch.id)
        name = "START" if batch.operation is None else batch.operation.title
        sentence = f"Batch {batch.number} {name} is the first {what}. esc returns."
        self.notify(sentence, markup=False)
