"""Looking for things in an explorer: what the user is asked, and what is done with the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from ctxtui.background import background_of
from ctxtui.core import Batch
from ctxtui.core.engine.queries import Scope
from ctxtui.core.errors import Refused, out_of_range
from ctxtui.inspector.models.lint import HINT as CULPRIT
from ctxtui.inspector.models.lint import Culprit, read_culprit
from ctxtui.inspector.models.roles import FilterKind, RoleFilter, hint, read_filter
from ctxtui.inspector.models.search import (
    STAR,
    SearchHits,
    find_everywhere,
    find_messages,
    read_finder,
    read_marked,
    read_place,
)
from ctxtui.inspector.views import TOGETHER
from ctxtui.notify import notify
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import fields_words, percent, plural
from ctxtui.text.symbols import printable
from ctxtui.text.toast import failed, note, warned
from ctxtui.widgets.prompt import Typing

if TYPE_CHECKING:
    from ctxtui.core.engine.text_search import TextFinder
    from ctxtui.inspector.explorer import Explorer


T = TypeVar("T")

TEXT = "text to find in every message, or /a regular expression/"
FILTER = "text, /a regular expression/, or *label for marked ones; nothing shows all"
PLACE = "a raw index, or # and a batch number"


COUNTING = "count matches"
MOST_EARLIER = 50
"""Searches that are remembered while a session is open."""


class Searching:
    """Asks what to look for and goes there; long searches run in a thread and can be stopped."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.found = SearchHits()
        self._earlier: list[str] = []

    # Asking

    def ask_text(self) -> None:
        lit = self._explorer.panes.finder
        typing = Typing(self._typed, lambda: self._light(lit), tuple(self._earlier))
        self._explorer.prompt.ask("search", TEXT, self._search, verb="search", typing=typing)

    def ask_filter(self) -> None:
        labels = [f"{STAR}{label}" for label in sorted(self._explorer.conversation.marks)]
        self._explorer.prompt.ask(
            "filter",
            FILTER,
            self._filter,
            verb="show only these",
            takes_nothing=True,
            typing=Typing(completions=labels),
        )

    # While a text is typed: it is lit, and its matches are counted

    def _typed(self, text: str) -> None:
        background_of(self._explorer).cancel(COUNTING)
        self._explorer.prompt.show_count("")
        try:
            finder = read_finder(text) if text.strip() else None
        except Refused:
            return  # A pattern is not complete yet.
        self._light(finder)
        if finder is not None:
            count = partial(find_everywhere, self._explorer.conversation, finder)
            background_of(self._explorer).run(COUNTING, count, self._show_count)

    def _show_count(self, found: SearchHits) -> None:
        count = plural(len(found), "message") if found else "nothing found"
        self._explorer.prompt.show_count(f" {count} ")

    def _light(self, finder: TextFinder | None) -> None:
        if self._explorer.panes.finder is not finder:
            self._explorer.panes.highlight(finder)

    def ask_place(self) -> None:
        self._explorer.prompt.ask("go to", PLACE, self._go_to, verb="go there")

    def ask_culprit(self) -> None:
        self._explorer.prompt.ask(
            "first batch with", CULPRIT, self._find_culprit, verb="find the batch"
        )

    def choose_roles(self, group: str, name: str) -> None:
        """Take a choice of the roles view, or ask what it needs to know."""
        explorer, chosen = self._explorer, self._explorer.views.roles.filter
        match group:
            case "scope":
                self._show_roles(chosen._replace(scope=cast("Scope", name)))
            case "roles":
                self._show_roles(chosen.turned(name))
            case "as":
                self._show_roles(chosen._replace(is_together=name == TOGETHER))
            case _ if name == "all":
                self._show_roles(read_filter(chosen, "all", ""))
            case _:
                kind = cast("FilterKind", name)
                labels = sorted(explorer.conversation.marks)[:5]
                asked = hint(kind, labels, is_together=chosen.is_together)
                answer = partial(self._filter_roles, kind)
                explorer.prompt.ask(kind, asked, answer, verb="show only these")

    # Answers

    def find(self, text: str) -> None:
        """Find a literal text: it is highlighted, and n N go through its messages."""
        from ctxtui.core.engine.text_search import TextFinder

        self._find(TextFinder(text))

    def _search(self, text: str) -> None:
        finder = read_finder(text)
        self._earlier = [*(one for one in self._earlier if one != text), text][-MOST_EARLIER:]
        self._find(finder)

    def _find(self, finder: TextFinder) -> None:
        search = partial(find_everywhere, self._explorer.conversation, finder)
        self._run(search, "searching", self.show_found)

    def _filter(self, text: str) -> None:
        explorer = self._explorer
        marked = read_marked(text, explorer.conversation.marks)
        if marked is not None or not text:
            explorer.narrow(text, marked)
        else:
            search = partial(find_messages, explorer.conversation.log, read_finder(text))
            self._run(search, "searching", self._narrow)

    def _go_to(self, text: str) -> None:
        explorer = self._explorer
        spot, size = read_place(explorer.conversation, text), explorer.look.log_size
        if spot.raw is not None and spot.raw >= size:
            raise out_of_range("raw", spot.raw, f"0…{size - 1} of this batch")
        explorer.go_to(spot)

    def _find_culprit(self, text: str) -> None:
        culprit = read_culprit(self._explorer.conversation, self._explorer.raw, text)
        self._run(culprit.find, "looking through batches", partial(self._show_culprit, culprit))

    def _filter_roles(self, kind: FilterKind, text: str) -> None:
        self._show_roles(read_filter(self._explorer.views.roles.filter, kind, text))
        self._explorer.action_view("roles")

    def _show_roles(self, chosen: RoleFilter) -> None:
        self._explorer.views.roles.choose(chosen)
        self._explorer.views.refill("roles")

    # Searching in a thread

    def _run(
        self, find: Callable[[TaskProgress], T], words: str, done: Callable[[T], None]
    ) -> None:
        background_of(self._explorer).run(
            "search",
            find,
            done,
            failed=self._failed,
            progress=partial(self._show_progress, words),
            holds_keys=True,
        )

    def _show_progress(self, words: str, done: float) -> None:
        if done < 1:
            text = f"{words} {percent(done, 1)} · esc stops"
            self._explorer.panes.show_in_border(self._explorer.pane, text)

    def _failed(self, sentence: str) -> None:
        self._explorer.panes.draw_borders()
        notify(self._explorer, failed(sentence))

    @property
    def is_running(self) -> bool:
        return background_of(self._explorer).is_running("search")

    def stop(self) -> None:
        background_of(self._explorer).cancel("search")
        self._explorer.panes.draw_borders()
        notify(self._explorer, note("Search stopped"))

    # What was found

    def show_found(self, found: SearchHits) -> None:
        """Go to the first hit from the cursor on, or to the other fields; or say there is none."""
        explorer = self._explorer
        self.found = found
        self._warn(found)
        explorer.highlight(found.finder if found else None)
        if found:
            self._show_hit(found.next((explorer.raw or 0) - 1, 1))
        elif found.fields:
            self._show_fields(found)
        elif found.finder is not None:
            size, text = len(explorer.conversation.log), printable(found.finder.text, 40)
            notify(explorer, note(f'No match for "{text}"', f"In {size:,} raw messages."))

    def next(self, by: int) -> None:
        if self.found:
            raw = self._explorer.raw
            self._show_hit(self.found.next(-1 if raw is None else raw, by))
        else:
            notify(self._explorer, note("Nothing was searched for yet", "", ("/", "searches")))

    def _show_hit(self, raw: int) -> None:
        explorer = self._explorer
        explorer.go_to_raw(raw)
        place = f"match {self.found.place(raw)} of {len(self.found)} · n N"
        if self.found.fields:
            place += f" · also in {fields_words(self.found.fields)}"
        explorer.panes.show_in_border(explorer.pane, place)

    def _show_fields(self, found: SearchHits) -> None:
        explorer = self._explorer
        explorer.show_fields(found.finder)
        notify(explorer, note("In no message", f"Found in {fields_words(found.fields)}."))

    def _narrow(self, found: SearchHits) -> None:
        self._warn(found)
        if found.finder is not None:
            self._explorer.narrow(found.finder.text, list(found.raws))

    def _warn(self, found: SearchHits) -> None:
        if found.warning is not None:
            notify(self._explorer, warned("Not every message was searched", found.warning))

    def _show_culprit(self, culprit: Culprit, found: tuple[Batch, str] | None) -> None:
        explorer = self._explorer
        explorer.panes.draw_borders()
        if found is not None:
            explorer.action_pane("timeline")
            explorer.look_at_batch(found[0].id)
        notify(explorer, culprit.told(found))
