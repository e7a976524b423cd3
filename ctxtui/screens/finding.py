"""Finding things: searching, filtering and going to a place, without ever holding up a key."""

from __future__ import annotations

from functools import partial
from typing import Literal, cast

from textual import on, work
from textual.worker import get_current_worker

from core import Refused
from core.errors import outside
from core.finding import Finder, TooSlow
from core.queries import Scope
from core.storage import Session
from ctxtui.hits import Hits
from ctxtui.places import read_place
from ctxtui.render.numbers import percent
from ctxtui.render.symbols import visible
from ctxtui.role_filter import HINTS, Kind, RoleFilter, read_filter
from ctxtui.screens.stage import Stage
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.choice_bar import ChoiceBar

BLOCK = 2_048
"""How many messages are searched between two looks at whether it is still wanted."""
MOST_SLOW = 8
"""How many messages a pattern may be too slow for before the search gives up."""
SEARCH = "text to find in every message, or /a regular expression/"
STAR = "*"
"""What a filter for marked messages begins with."""
FILTER = "text, /a regular expression/, or *label for marked ones; nothing shows all"


class FindingScreen(Stage):
    """A stage on which messages can be looked for."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.hits = Hits()

    def action_search(self) -> None:
        """Ask for a text to find."""
        self.query_one(AskLine).ask("search", SEARCH)

    def action_go_to(self) -> None:
        """Ask for a place."""
        self.query_one(AskLine).ask("go to", "a raw index, or # and a batch number")

    def action_filter(self) -> None:
        """Ask for a text to narrow the lists to; an empty one shows all again."""
        self.query_one(AskLine).ask("filter", FILTER)

    @on(AskLine.Answered)
    def _answered(self, event: AskLine.Answered) -> None:
        self.action_view(self.views.current or "inspector")
        try:
            if event.what in HINTS and event.text:
                scope = self.views.roles.filter.scope
                self._choose_roles(read_filter(scope, event.what, event.text))
            elif event.what == "filter" and not event.was_left:
                self._narrow(event.text)
            elif event.text and event.what == "search":
                self._search(read_finder(event.text), "search")
            elif event.text and event.what == "go to":
                self._jump(event.text)
        except Refused as refusal:
            self.notify(str(refusal), severity="error", markup=False)

    # Searching

    def _narrow(self, text: str) -> None:
        if text.startswith(STAR):
            label = text.removeprefix(STAR).strip()
            self.views.narrow(text, self._marked(label))
        elif text:
            self._search(read_finder(text), "filter")
        else:
            self.views.narrow("", None)

    def _marked(self, label: str) -> list[int]:
        """Return the messages with a label, or with any."""
        marks = self.conversation.marks
        if label and label not in marks:
            raise outside("label", label, ", ".join(sorted(marks)) or "none: m marks a message")
        found = [marks[label]] if label else marks.values()
        return sorted({raw for raws in found for raw in raws})

    @work(thread=True, exclusive=True, group="search")
    def _search(self, finder: Finder, what: Literal["search", "filter"]) -> None:
        """Look through the log in a thread; a pattern that is too slow for a message skips it."""
        worker, log = get_current_worker(), self.conversation.log
        found, slow, size = [], 0, len(log)
        for raw in range(size):
            if raw % BLOCK == 0 or slow:
                if worker.is_cancelled:
                    return
                self.from_thread(self._tell_progress, raw, size)
            try:
                if finder.occurs_in(log[raw]):
                    found.append(raw)
            except TooSlow:
                slow += 1
                if slow > MOST_SLOW:
                    break
        if not worker.is_cancelled:
            done = self._found if what == "search" else self._narrowed
            self.from_thread(done, finder, found, slow)

    @property
    def is_searching(self) -> bool:
        """Tell whether a search is still at work."""
        return any(one.group == "search" and one.is_running for one in self.workers)

    def stop_searching(self) -> None:
        """Give up the search that is at work."""
        self.workers.cancel_group(self, "search")
        self.views.tell()
        self.notify("Search stopped.", markup=False)

    def _tell_progress(self, done: int, size: int) -> None:
        if done:
            subtitle = f"searching {percent(done, size)} · esc stops"
            self.query_one(f"#{self.pane}").border_subtitle = subtitle

    def _warn(self, slow: int) -> None:
        if slow > MOST_SLOW:
            sentence = f"The pattern is too slow: given up after {slow} messages."
            self.notify(sentence, severity="warning", markup=False)
        elif slow:
            messages = "1 message was" if slow == 1 else f"{slow} messages were"
            sentence = f"{messages} left out: the pattern takes too long there."
            self.notify(sentence, severity="warning", markup=False)

    def _narrowed(self, finder: Finder, found: list[int], slow: int) -> None:
        self._warn(slow)
        self.views.narrow(finder.text, found)

    def _found(self, finder: Finder, found: list[int], slow: int) -> None:
        self._warn(slow)
        self.hits = Hits(finder.text, tuple(found))
        self.views.light(finder if found else None)
        if found:
            self._go_to_hit(self.hits.next((self.raw or 0) - 1, 1))
        else:
            size = len(self.conversation.log)
            sentence = f'No match for "{visible(finder.text, 40)}" in {size:,} raw messages.'
            self.notify(sentence, markup=False)

    def action_next_hit(self, by: int) -> None:
        """Go to the next or previous message found."""
        if len(self.hits):
            self._go_to_hit(self.hits.next(-1 if self.raw is None else self.raw, by))
        else:
            self.notify("Nothing was searched for yet: / searches.", markup=False)

    def _go_to_hit(self, raw: int) -> None:
        self.go_to_raw(raw)
        place = f"match {self.hits.place(raw)} of {len(self.hits)} · n N"
        self.query_one(f"#{self.pane}").border_subtitle = place

    # Going

    def _jump(self, text: str) -> None:
        place = read_place(self.conversation, text)
        if place.batch is not None:
            self.look_at_batch(place.batch)
        elif place.raw is not None:
            self.go_to_raw(place.raw)

    def go_to_raw(self, raw: int) -> None:
        """Put the cursor on a message; on a hidden one in the raw array."""
        if not 0 <= raw < self.look.log_size:
            sentence = f"raw {raw} is outside 0…{self.look.log_size - 1}"
            self.notify(sentence, severity="error", markup=False)
            return
        hidden = self.look.view.position(raw) is None
        self.action_pane("raw" if hidden or self.pane == "raw" else "visible")
        self.views.pane(self.pane).go_to(raw)
        self.raw = raw

    # Roles

    @on(ChoiceBar.Chosen, "#role-choices")
    def _role_choice(self, event: ChoiceBar.Chosen) -> None:
        chosen = self.views.roles.filter
        if event.group == "scope":
            self._choose_roles(chosen._replace(scope=cast("Scope", event.name)))
        elif event.name == "all":
            self._choose_roles(RoleFilter(chosen.scope))
        else:
            hint = HINTS[cast("Kind", event.name)]
            labels = ", ".join(sorted(self.conversation.marks)[:5])
            if event.name == "marked" and labels:
                hint = f"a label: {visible(labels, 60)}"
            self.call_after_refresh(partial(self.query_one(AskLine).ask, event.name, hint))

    def _choose_roles(self, chosen: RoleFilter) -> None:
        self.views.roles.choose(chosen)
        self.views.refill("roles")


def read_finder(text: str) -> Finder:
    """Return what to look for: a text, or between slashes a regular expression."""
    is_regex = len(text) > len("//") and text[0] == text[-1] == "/"
    return Finder(text[1:-1], is_regex=True) if is_regex else Finder(text)
