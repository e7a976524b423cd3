"""The library: all sessions in a list with a frozen order, and a preview of one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from time import monotonic
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.core import Refused
from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import SessionRow
from ctxtui.core.storage import STATUSES, Entry, Library
from ctxtui.core.values.times import milliseconds
from ctxtui.inspector.models.workspace import Selection
from ctxtui.library.drawing.sessions import SessionRowSource
from ctxtui.library.keys import LIBRARY
from ctxtui.library.models.library import COLUMNS as SORTED_BY
from ctxtui.library.models.library import (
    Done,
    LibraryState,
    delete,
    describe,
    duplicate,
    judge,
    key_of,
    make,
    restore,
    retag,
    take_in,
)
from ctxtui.library.panes import LibraryPanes
from ctxtui.messages import OpenLessons, OpenSession, OpenSettings, OpenTarget, OpenWatch
from ctxtui.notify import notify
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import plural
from ctxtui.text.toast import done as success
from ctxtui.text.toast import failed, note, sentence_of
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Later, Prompt, Then, Typing


class Ask(NamedTuple):
    """A question: what is asked for, what enter does then, and whether it is about sessions."""

    hint: str
    verb: str
    needs_session: bool = False


ASKS = {
    "import": Ask("the path of a conversation, such as ~/chat.json", "import it"),
    "rename": Ask("the session's new title", "rename it", True),
    "tags": Ask("tags, with commas between them; nothing removes all", "give these tags", True),
    "note": Ask("a note about it; nothing removes it", "save it", True),
    "squash": Ask(
        "squash: new sessions of what is visible; purge: and remove the originals for good",
        "do it",
        True,
    ),
    "filter": Ask(
        "words of title, tags or note; tag: status: lint: format: dup:; nothing shows all",
        "show only these",
    ),
    "search": Ask("text to find in titles and messages of all sessions", "search"),
}
"""What each prompt asks for, and what enter does then."""
MANY_TAGS = Ask("tags to give, with commas between them; -tag removes one", "change the tags")
MOST_FILTERED_LIVE = 5_000
"""Sessions up to which a filter acts with each key; above it does with enter."""


class LibraryScreen(BaseScreen[None]):
    """Shows the sessions of a library; an empty one offers the samples to start with."""

    AUTO_FOCUS = "#sessions"
    CSS_PATH = "library.tcss"
    HELP_COMMANDS = (*LIBRARY, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(LIBRARY)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(
        self,
        library: Library,
        clock: Callable[[], int] = milliseconds,
        library_state: LibraryState | None = None,
    ) -> None:
        super().__init__()
        self.library = library
        self.library_state = LibraryState(library) if library_state is None else library_state
        self.clock = clock
        self.selection = Selection()
        self.panes = LibraryPanes(self)
        self.is_unreadable = False
        self.work = LibraryWork(self)
        self.learning = Learning(self)
        self._was_left = True
        self._earlier: dict[str, tuple[str, ...]] = {"filter": (), "search": ()}

    def compose(self) -> ComposeResult:
        yield LineBox(id="library-head")
        yield TextPane(id="welcome")
        with Horizontal(id="library-body"):
            yield LineList(id="sessions")
            yield TextPane(id="entry")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.watch(self.listed, "scroll_y", self.learning.scrolled, init=False)
        self.learning.start()

    def on_screen_resume(self) -> None:
        """Show what there is: at first, and whenever a session was closed; not after help."""
        if self._was_left:
            self._was_left = False
            self.refill()

    def on_unmount(self) -> None:
        self.library_state.leave()

    # Showing

    def show(self) -> None:
        self.is_unreadable = False
        self.panes.show()
        self.show_head()
        self.show_entry()

    def show_head(self) -> None:
        self.panes.show_head()

    @on(LineList.Moved, "#sessions")
    def show_entry(self) -> None:
        entry = self.entry
        if entry is not None and self.panes.mode == "library":
            self.library_state.here = entry.id
        self.panes.show_entry()
        self.refresh_bindings()

    @property
    def listed(self) -> LineList:
        return self.query_one("#sessions", LineList)

    @property
    def entries(self) -> list[Entry]:
        return [] if self.is_unreadable else [row.entry for row in self.library_state.order.rows]

    @property
    def row(self) -> SessionRow | None:
        return None if self.is_unreadable else self.panes.row

    @property
    def entry(self) -> Entry | None:
        return None if self.row is None else self.row.entry

    @property
    def chosen(self) -> list[Entry]:
        """Return the sessions that are acted on: those selected, or the one under the cursor."""
        keys = self.picked
        if keys:
            return [one for one in self.entries if key_of(one.id) in keys]
        return [] if self.entry is None else [self.entry]

    @property
    def picked(self) -> frozenset[int]:
        """Return the keys of what is selected, a range under way included."""
        if self.panes.mode != "library":
            return frozenset()
        return self.selection.with_range(self.listed.source, self.listed.key)

    def end_range(self) -> None:
        """Select the range under way, which whatever is done now is done to."""
        if self.selection.anchor is not None:
            self.selection.raws, self.selection.anchor = self.picked, None
            self.show()

    def go_to(self, id: str) -> None:
        if self.panes.mode == "library" and id and self.listed.go_to(key_of(id)):
            self.show_entry()

    def refill(self, *, again: bool = False) -> None:
        """Show the sessions as they are on disk now, those that are shown in their order."""
        try:
            rows = self.library_state.read()
        except Exception as problem:
            self._show_problem(sentence_of(problem, "read the library"))
            return
        self.library_state.load_rows(rows, again=again)
        here = self.library_state.here
        self.show()
        self.go_to(here)
        self.learning.look_in()

    def update(self) -> None:
        self.refill()

    def learned(self, ids: Collection[str]) -> None:
        self.listed.refresh()
        if self.entry is not None and self.entry.id in ids:
            self.panes.show_entry()

    def _show_problem(self, sentence: str) -> None:
        self.is_unreadable = True
        self.panes.show_problem(sentence)
        notify(self, failed(sentence))
        self.refresh_bindings()

    def key_conditions(self) -> Conditions:
        mode, order = self.panes.mode, self.library_state.order
        is_session = self.entry is not None and mode in ("library", "hits")
        return {
            "session": is_session,
            "changeable": self.entry is not None and self.library.may_change(self.entry.id),
            "writable": not self.library.is_read_only,
            "sessions": bool(order.known) and mode != "trash",
            "reviewing": order.is_reviewing,
            "library": mode == "library" or self.has_class("-first-run"),
            "hits": mode == "hits",
            "trash": mode == "trash" and self.entry is not None,
            "openable": self.listed.key is not None and mode != "trash",
            "undo": bool(self.library_state.steps),
            "selected": bool(self.selection) and mode == "library",
            "elsewhere": mode != "library" and not self.has_class("-first-run"),
            "narrowed": bool(order.where),
            "news": f"{order.newcomers:,}" if order.newcomers else False,
            "unreadable": self.is_unreadable,
        }

    # Selecting

    def select(self, act: Callable[[], object]) -> None:
        if self.panes.mode == "library":
            act()
            self.show()

    def action_select(self) -> None:
        """Select the session under the cursor, or take it out; the cursor goes down."""
        key = self.listed.key
        if key is not None and self.panes.mode == "library":
            self.select(partial(self.selection.toggle, key))
            self.listed.action_move(1)

    def action_select_range(self) -> None:
        listed = self.listed
        self.select(partial(self.selection.mark_or_extend, listed.source, listed.key))

    def action_select_all(self) -> None:
        """Select all that are shown; if they are selected, clear the selection."""
        keys = frozenset(key_of(entry.id) for entry in self.entries)
        raws = frozenset() if self.selection.raws == keys else keys
        self.select(lambda: setattr(self.selection, "raws", raws))

    @on(LineList.Picked, "#sessions")
    def _picked(self, event: LineList.Picked) -> None:
        self.select(partial(self.selection.toggle, event.key))

    @on(LineList.PickedTo, "#sessions")
    def _picked_to(self, event: LineList.PickedTo) -> None:
        here = self.listed.key
        if here is not None:
            source = self.listed.source
            self.select(partial(self.selection.extend, source, here, event.key))

    # Opening

    @on(LineList.Opened, "#sessions")
    def _opened(self, event: LineList.Opened) -> None:
        entry, mode = self.entry, self.panes.mode
        if mode == "samples" and event.key < len(self.panes.samples):
            self._was_left = True
            self.panes.turn_to("library")
            self.post_message(OpenTarget(str(self.panes.samples[event.key].path)))
        elif mode == "trash":
            notify(self, note("It is in the trash", "", ("p", "puts it back")))
        elif entry is not None:
            self._was_left = True
            self.library_state.here = entry.id
            self.post_message(OpenSession(entry, self.panes.spot))

    def action_watch(self) -> None:
        self._was_left = True
        self.post_message(OpenWatch())

    def action_lessons(self) -> None:
        self.post_message(OpenLessons())

    def action_samples(self) -> None:
        self.panes.is_few = False
        self.panes.turn_to("samples")
        self.show()

    def action_trash(self) -> None:
        if self.panes.mode == "trash":
            self.action_back()
        else:
            self.panes.turn_to("trash")
            self.work.do(self.panes.read_trash)

    def action_view(self, name: str) -> None:
        turns = {
            "library": self.action_back,
            "samples": self.action_samples,
            "watch": self.action_watch,
            "lessons": self.action_lessons,
            "trash": self.action_trash,
        }
        if name != self.panes.mode or name == "samples":
            turns[name]()

    @on(LineBox.Clicked, "#library-head")
    def _head_clicked(self, event: LineBox.Clicked) -> None:
        name = self.panes.tabs(event.box.size.width).at(event.x) if event.y == 0 else ""
        if name:
            self.action_view(name)

    def action_back(self) -> None:
        """Clear the selection; return to the sessions; show all of them, sorted again."""
        if self.selection and self.panes.mode == "library":
            self.select(self.selection.clear)
        elif self.panes.mode != "library" and not self.has_class("-first-run"):
            self.panes.return_to_sessions()
        else:
            self.library_state.order.where = ""
            self.refill(again=True)

    # Reviewing

    def action_judge(self, status: str) -> None:
        self.end_range()
        entries = self.chosen
        if entries and self.panes.mode in ("library", "hits"):
            self.work.do(partial(judge, self.library, entries, status), self._judged)

    def _judged(self, done: Done) -> None:
        """Go to the next session without a verdict; stay where something went wrong."""
        library_state = self.library_state
        warning = library_state.disagreement(one.id for one in done.changed)
        if warning is not None:
            notify(self, warning)
        if done.toast is not None and done.toast.severity != "note":
            return
        self.selection.clear()
        here, order = self.entry, library_state.order
        found = None if here is None else order.next_unreviewed(here.id)
        self.show()
        if found is None:
            if done.step is not None and not done.changed:
                library_state.steps.remove(done.step)  # It led nowhere, so there is no way back.
            notify(self, success(f"All {order.progress.whole:,} are reviewed"))
        elif self.panes.mode == "hits":
            self.panes.next_hit(1)
        else:
            self.go_to(found.id)
        library_state.leave()

    def action_other(self, by: int) -> None:
        self.listed.action_move(by)

    # Changing

    def action_new(self) -> None:
        """Start a session without messages; among what was found, go to the next."""
        if self.panes.mode == "hits":
            self.panes.next_hit(1)
        else:
            self.work.do(partial(make, self.library))

    def action_next_hit(self, by: int) -> None:
        self.panes.next_hit(by)

    def action_duplicate(self) -> None:
        self._act(duplicate)

    def action_delete(self) -> None:
        self._act(delete)

    def _act(self, act: Callable[[Library, Sequence[Entry]], Done]) -> None:
        self.end_range()
        entries = self.chosen
        if entries and self.panes.mode == "library":
            self.work.do(partial(act, self.library, entries), lambda _: self._let_go())

    def _let_go(self) -> None:
        self.selection.clear()
        self.show()

    def action_put_back(self) -> None:
        if self.panes.mode == "trash" and self.entry is not None:
            act = partial(restore, self.library, [self.entry])
            self.work.do(partial(self.panes.then_read_trash, act))

    def action_undo(self) -> None:
        steps = self.library_state.steps
        ids = steps[-1].ids if steps else ()
        self.work.do(self.library_state.take_back, lambda _: self.go_to(ids[0]) if ids else None)

    def action_sort(self) -> None:
        from ctxtui.library.choosers import SortPicker

        if self.panes.mode == "library":
            self.app.push_screen(SortPicker(self.library_state.order.sort), self._sorted)

    @on(LineList.HeadClicked, "#sessions")
    def _head_chosen(self, event: LineList.HeadClicked) -> None:
        source = self.listed.source
        if self.panes.mode == "library" and isinstance(source, SessionRowSource):
            column = source.column_at(event.x, self.listed.row_width)
            self._sorted(column if column in SORTED_BY else None)

    def _sorted(self, column: str | None) -> None:
        if column is not None:
            self.library_state.order.sort = self.library_state.order.sort.chosen(column)
            here = self.library_state.here
            self.library_state.order.arrange()
            self.show()
            self.go_to(here)
            self.library_state.leave()

    # Typing

    @property
    def under_way(self) -> str:
        return self.work.under_way

    def waiting_changed(self) -> None:
        self.show_head()
        super().waiting_changed()

    # Asking; what is refused stays in the prompt with the reason

    def action_ask(self, what: str) -> None:
        """Ask for something to do with the chosen sessions, or to find."""
        asked, title, value = ASKS[what], what, ""
        if asked.needs_session:
            self.end_range()
        chosen = self.chosen if self.panes.mode in ("library", "hits") else []
        if asked.needs_session and not chosen:
            return
        if what == "filter":
            value = self.library_state.order.where
        elif what == "rename":
            value = chosen[0].title
        elif asked.needs_session and len(chosen) > 1:
            title = f"{what} of {len(chosen):,} sessions"
            asked = MANY_TAGS if what == "tags" else asked
        elif what in ("tags", "note"):
            value = ", ".join(chosen[0].tags) if what == "tags" else chosen[0].note
        answers: dict[str, Then] = {
            "import": self._import,
            "rename": lambda text: self._describe(chosen[:1], "title", text.strip()),
            "tags": partial(self._tag, chosen),
            "note": lambda text: self._describe(chosen, "note", text.strip()),
            "squash": partial(self._squash, chosen),
            "filter": self._filter,
            "search": self._search,
        }
        self.query_one(Prompt).ask(
            title,
            asked.hint,
            answers[what],
            verb=asked.verb,
            value=value,
            takes_nothing=True,
            typing=self._typing(what),
        )

    def _typing(self, what: str) -> Typing | None:
        """Return what happens while a text to find is typed: a filter acts with each key."""
        if what == "search":
            return Typing(earlier=self._earlier[what])
        if what != "filter":
            return None
        order, here = self.library_state.order, self.library_state.here
        tags = {f"tag:{tag}" for row in order.known.values() for tag in row.entry.tags}
        known = [*sorted(tags), *(f"status:{one}" for one in STATUSES if " " not in one)]
        is_large = len(order.known) > MOST_FILTERED_LIVE
        if self.panes.mode != "library" or self.is_unreadable or is_large:
            return Typing(earlier=self._earlier[what], completions=known)
        narrow, back = partial(self._narrow, here), partial(self._narrow, here, order.where)
        return Typing(narrow, back, self._earlier[what], known)

    def _narrow(self, here: str, where: str) -> None:
        """Show only what a filter matches, with the cursor where it was if that is among it."""
        order, prompt = self.library_state.order, self.query_one(Prompt)
        if where.strip() == order.where:
            return
        prompt.show_count("")
        try:
            order.arrange(where)
        except Refused:
            return  # It is not complete yet.
        self.show()
        self.listed.cursor = 0
        self.go_to(here)
        prompt.show_count(f" {len(order.rows):,} of {len(order.known):,} ")

    def _remember(self, what: str, text: str) -> None:
        if text.strip():
            others = (one for one in self._earlier[what] if one != text)
            self._earlier[what] = (*others, text)[-50:]

    def _import(self, text: str) -> None:
        from ctxtui.files.reading import check_readable, read_path

        path = str(read_path(text))
        check_readable(path)  # Now, while the path can still be corrected.
        self.work.take_in(partial(take_in, self.library, path))

    def _describe(self, chosen: list[Entry], name: str, value: object) -> Later:
        return self.work.later(partial(describe, self.library, chosen, {name: value}))

    def _tag(self, chosen: list[Entry], text: str) -> Later:
        tags = [tag.strip() for tag in text.split(",") if tag.strip()]
        if len(chosen) == 1:
            return self._describe(chosen, "tags", tags)
        added = [tag.removeprefix("+").strip() for tag in tags if not tag.startswith("-")]
        removed = [tag[1:].strip() for tag in tags if tag.startswith("-")]
        return self.work.later(partial(retag, self.library, chosen, added, removed))

    def _squash(self, chosen: list[Entry], text: str) -> None:
        from ctxtui.library.models.steps import read_word, squash_many

        is_purging = read_word(text)
        self.selection.clear()
        act = partial(squash_many, self.library, chosen, is_purging)
        self.work.do_many(act, "purging" if is_purging else "squashing", len(chosen))

    def _filter(self, text: str) -> None:
        from ctxtui.core.curation.query import read_query

        library_state, order = self.library_state, self.library_state.order
        here = library_state.here
        order.arrange(text)
        self._remember("filter", text)
        self.panes.turn_to("library")
        self.selection.clear()
        self.show()
        if order.place(here) is None and order.rows:
            here = order.rows[0].entry.id
        self.go_to(here)
        library_state.leave()
        if read_query(text).needs_digest:
            self._note_unread("They are not among these yet.")

    def _note_unread(self, detail: str) -> None:
        """Show how many sessions are still being read, where that makes a difference."""
        known = self.library_state.order.known.values()
        count = sum(row.digest is None and row.entry.problem is None for row in known)
        if count:
            title = f"{plural(count, 'session')} {'is' if count == 1 else 'are'} still being read"
            notify(self, note(title, detail))

    def _search(self, text: str) -> Later | None:
        if not text.strip():
            return None
        self._remember("search", text)
        search = partial(self.library_state.catalog.search, text, limit=1_000)
        return Later(lambda _: search(), partial(self._found, text))

    def _found(self, text: str, found: Sequence[Hit]) -> None:
        self.panes.show_hits(text, self.library_state.order.in_order(found))
        self._note_unread("Only their titles were searched.")

    # Changing many

    def action_bulk(self, what: str) -> None:
        from ctxtui.library.bulk import BulkScreen

        self.end_range()
        entries = self.chosen if self.selection.raws else self.entries
        if entries and self.panes.mode == "library":
            self.app.push_screen(BulkScreen(self.library, entries, what), self._bulk_done)

    def _bulk_done(self, done: Done | None) -> None:
        if done is not None:
            self.work.do(lambda: done)

    def action_settings(self) -> None:
        self.post_message(OpenSettings())


CHANGE = "change the library"
QUEUE = "library"
"""The name of what keys wait for, and that all work on a library is done one after the other."""
Act = Callable[[], Done]
AndThen = Callable[[Done], None]


class Outcome(NamedTuple):
    """What came of some work, and all sessions where some came or went."""

    done: Done
    rows: list[SessionRow] | None


class LibraryWork:
    """Does things to sessions; keys wait for them, but for what only brings new ones."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._progress = ""

    @property
    def under_way(self) -> str:
        return (self._progress or "saving") if self._screen.background.is_running(CHANGE) else ""

    def do(self, act: Act, then: AndThen | None = None) -> None:
        """Do something while keys wait, show it, and go on if it went well."""
        self._run(CHANGE, lambda _: act(), then, holds_keys=True)

    def take_in(self, act: Act) -> None:
        """Do something that only brings new sessions, for which no key waits."""
        self._run("import it", lambda _: act())

    def do_many(self, act: Callable[[TaskProgress], Done], word: str, whole: int) -> None:
        """Do something to many sessions, and show in the head to how many it was done."""

        def show_share(done: float) -> None:
            self._progress = f"{word} {round(done * whole):,} of {whole:,}"
            self._screen.show_head()

        self._progress = f"{word} 0 of {whole:,}"
        self._run(CHANGE, lambda task: act(task.to_the_end), progress=show_share, holds_keys=True)

    def later(self, act: Act) -> Later:
        """Return what does something as the answer to a prompt, which shows why that failed."""
        return Later(lambda _: self._outcome(act()), self._show, QUEUE)

    def _run(
        self,
        name: str,
        act: Callable[[BackgroundTask], Done],
        then: AndThen | None = None,
        *,
        progress: Callable[[float], None] | None = None,
        holds_keys: bool = False,
    ) -> None:
        def show(outcome: Outcome) -> None:
            self._progress = ""
            self._show(outcome)
            if then is not None:
                then(outcome.done)

        self._screen.background.run(
            name,
            lambda task: self._outcome(act(task)),
            show,
            failed=self._failed,
            progress=progress,
            queue=QUEUE,
            holds_keys=holds_keys,
        )

    def _outcome(self, done: Done) -> Outcome:
        return Outcome(done, self._screen.library_state.read() if done.must_list else None)

    def _show(self, outcome: Outcome) -> None:
        done, rows = outcome
        library_state = self._screen.library_state
        library_state.note(done)
        if rows is not None:
            library_state.load_rows(rows)
        if rows is not None or not self._screen.is_unreadable:
            self._screen.show()
        if done.toast is not None:
            notify(self._screen, done.toast)

    def _failed(self, sentence: str) -> None:
        self._progress = ""
        notify(self._screen, failed(sentence))
        self._screen.update()


LOOK_SECONDS = 2.0
"""How often the folder is checked for changes of other programs."""
READ, LEARN = "read the library", "look into sessions"
FEW = 1_000
"""How many sessions are matched for duplicates whenever some are read."""


class Learning:
    """Fills rows in, and shows what other programs have changed."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._tried: set[str] = set()
        """Sessions that were read; what could not be read is not tried again."""
        self._stamp: int | None = None
        self._rests_until = 0.0
        """When sessions that grow are read again; large ones less often."""

    def start(self) -> None:
        self._stamp = self._folder_stamp()
        self._screen.set_interval(LOOK_SECONDS, self.look)

    def scrolled(self) -> None:
        """Say in the border what is in sight by now, and learn that first."""
        self._screen.listed.draw_frame()
        self.look_in()

    # Others

    def _folder_stamp(self) -> int | None:
        """Return when a file of the folder came or went last; a library in memory has none."""
        try:
            return self._screen.library.folder.stat().st_mtime_ns
        except OSError:
            return None

    def look(self) -> None:
        """Read in a thread what others have changed, unless a job is running."""
        screen = self._screen
        stamp = self._folder_stamp()
        background = screen.background
        is_busy = background.holds_keys or background.is_running(READ) or screen.is_unreadable
        if is_busy or screen.app.screen is not screen:
            return
        if stamp != self._stamp:
            self._stamp = stamp
            background.run(
                READ, lambda _: self._read(), partial(self._take, screen.library_state.turns)
            )
        elif monotonic() >= self._rests_until:
            self._look_at_grown()

    def _look_at_grown(self) -> None:
        """Read again sessions that others write, which changes nothing in the folder."""
        order = self._screen.library_state.order
        grown = [id for id in self._screen.library.listing.grown() if id in order.known]
        for id in grown:
            order.put(order.known[id]._replace(is_behind=True))
        self._tried.difference_update(grown)
        if grown:
            self.look_in()

    def _read(self) -> list[SessionRow] | None:
        try:
            return self._screen.library_state.read()
        except (Refused, OSError):
            return None  # It says so when the user does something with it.

    def _take(self, turns: int, rows: list[SessionRow] | None) -> None:
        """Show what was read, unless something was done here meanwhile: then it is old."""
        if rows is None:
            return
        if turns != self._screen.library_state.turns or self._screen.background.holds_keys:
            self._stamp = None
            return
        self._tried.clear()
        self._screen.library_state.load_rows(rows)
        self._screen.show()
        self.look_in()

    # Looking into sessions

    def look_in(self) -> None:
        """Read sessions that are not known at length, those in sight first, some at a time.

        Others that come into sight meanwhile are the next ones.
        """
        ids, background = self._wanted(), self._screen.background
        if ids and not background.is_running(LEARN):
            self._tried.update(ids)
            background.run(LEARN, partial(self._learn, ids), self._learned, failed=self._failed)

    def _wanted(self) -> list[str]:
        """Return the next sessions to read."""
        listed, order = self._screen.listed, self._screen.library_state.order
        first, last = listed.in_sight
        in_sight = (row.entry.id for row in order.rows[first:last])
        ids = order.missing(id for id in in_sight if id not in self._tried)
        return ids or list(islice(self._rest(), 24))

    def _rest(self) -> Iterator[str]:
        """Yield all other sessions that were not read, in the order of the list."""
        order = self._screen.library_state.order
        for row in (*order.rows, *order.known.values()):
            is_due = row.digest is None or row.is_behind
            if is_due and row.entry.problem is None and row.entry.id not in self._tried:
                yield row.entry.id

    def _learn(self, ids: list[str], watch: TaskProgress) -> list[SessionRow]:
        catalog, rows, began = self._screen.library_state.catalog, [], monotonic()
        try:
            catalog.learn(ids, watch.step)
            rows = [row for id in ids if (row := catalog.row(id)) is not None]
        except (Refused, OSError):
            pass  # What can't be read now says so when it is opened.
        now = monotonic()
        self._rests_until = now + 10 * (now - began)
        return rows

    def _failed(self, sentence: str) -> None:
        """Say what went wrong, and go on with other sessions: these are not tried again."""
        self._screen.background.complain(sentence)
        self.look_in()

    def _learned(self, rows: list[SessionRow]) -> None:
        """Fill rows in, and read the next ones."""
        library_state = self._screen.library_state
        library_state.learned(rows)
        # Who is alike is found out among all, which costs too much to be done time and again.
        if len(library_state.order.known) <= FEW or not self._wanted():
            library_state.match()
        self._screen.learned({row.entry.id for row in rows})
        self._screen.call_later(self.look_in)  # When this run has ended.
