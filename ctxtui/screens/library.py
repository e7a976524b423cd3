"""The library: all sessions in a list, and what is known of the one under the cursor."""

from __future__ import annotations

from asyncio import Lock, to_thread
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen

from core.conversation.conversation import milliseconds
from core.storage import Entry, Library
from ctxtui.commands import LIBRARY, Facts
from ctxtui.files.paths import read_path
from ctxtui.files.reading import check_readable
from ctxtui.files.samples import Sample, load_samples
from ctxtui.lists.sessions import SampleSource, SessionSource, key_of
from ctxtui.lists.source import Nothing
from ctxtui.messages import OpenLessons, OpenSession, OpenSettings, OpenTarget, OpenWatch
from ctxtui.models.library_steps import (
    PROBLEMS,
    Done,
    UndoStep,
    delete,
    describe,
    duplicate,
    make,
    sentence_of,
    take_in,
)
from ctxtui.models.session_order import SessionOrder
from ctxtui.models.told import done as told
from ctxtui.models.told import failed, note
from ctxtui.palette import LibraryProvider
from ctxtui.render.entry import entry_lines, library_head, problem_lines, welcome_lines
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.symbols import visible
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt, Then
from ctxtui.widgets.text_pane import TextPane

ASKS = {
    "import": ("the path of a conversation, such as ~/chat.json", "import it"),
    "rename": ("the session's new title", "rename it"),
    "tags": ("tags, with commas between them; nothing takes all away", "give these tags"),
    "filter": ("text that titles or tags must hold; nothing shows all", "show only these"),
}
"""What each prompt asks for, and what enter does then."""
NO_MATCH = "No session matches. & shows all."
UNREADABLE = "This library can't be read. esc tries again."


class LibraryScreen(Scene, Screen[None]):
    """Shows the sessions of a library; an empty one offers the samples to start with."""

    AUTO_FOCUS = "#sessions"
    CSS_PATH = "library.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LIBRARY]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {LibraryProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, library: Library, clock: Callable[[], int] = milliseconds) -> None:
        super().__init__()
        self.library = library
        self.entries: list[Entry] = []
        self.samples: list[Sample] = []
        self._clock = clock
        self._order = SessionOrder()
        self._wanted = ""
        self._was_left = True
        self._is_unreadable = False
        self._steps: list[UndoStep] = []
        self._quick = 0
        self._at_work = Lock()

    def compose(self) -> ComposeResult:
        """Lay out the list and what is known of one session."""
        yield LineBox(id="library-head")
        yield TextPane(id="welcome")
        with Horizontal():
            yield LineList(id="sessions", empty=NO_MATCH)
            yield TextPane(id="entry")
        yield Prompt()
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(LineBox).show(partial(library_head, str(self.library.folder)))

    def on_screen_resume(self) -> None:
        """Fill the list: at first, and whenever a session was closed; not after help."""
        if self._was_left:
            self._was_left = False
            self.refill()

    def refill(self) -> None:
        """Show the sessions as they are on disk now, the one changed last first."""
        found = self._listed()
        if found is not None:
            self._order.arrange(found, self._wanted)
            self._show(found)

    def update(self) -> None:
        """Show what is new of the sessions, each where it stands."""
        found = self._listed()
        if found is not None:
            self._show(found)

    def _listed(self) -> list[Entry] | None:
        """Return all sessions; None where they can't be read, which is said in their place."""
        try:
            return self.library.list()
        except PROBLEMS as problem:
            self._show_problem(sentence_of(problem))
            return None

    def _show_problem(self, sentence: str) -> None:
        self.entries = []
        self._is_unreadable = True
        self.set_class(False, "-first-run")
        sessions = self.query_one("#sessions", LineList)
        sessions.empty = UNREADABLE
        sessions.border_title, sessions.border_subtitle = "Sessions", ""
        sessions.show(Nothing())
        self.query_one("#entry", TextPane).show(partial(problem_lines, sentence))
        tell(self, failed(sentence))
        self.refresh_bindings()

    def _show(self, found: list[Entry]) -> None:
        self._is_unreadable = False
        sessions = self.query_one("#sessions", LineList)
        self.entries = self._order.shown(found)
        is_first = not found and not self._wanted
        self.set_class(is_first, "-first-run")
        if is_first:
            self.samples = self.samples or load_samples()
            sessions.folds.open = {at: [] for at in range(len(self.samples))}
            sessions.show(SampleSource(self.samples))
            sessions.border_title = "Start with a sample"
            sessions.border_subtitle = "enter opens one"
            conversation = self.samples[0].conversation if self.samples else None
            self.query_one("#welcome", TextPane).show(partial(welcome_lines, conversation))
        else:
            sessions.folds.open = {}
            sessions.empty = NO_MATCH
            sessions.show(SessionSource(self.entries, self._clock()))
            sessions.border_title = "Sessions"
            only = f" with '{visible(self._wanted, 20)}', esc shows all" if self._wanted else ""
            sessions.border_subtitle = Content(f"{len(self.entries)}{only}")
        self._show_entry()

    @property
    def entry(self) -> Entry | None:
        """Return the session under the cursor."""
        at = self.query_one("#sessions", LineList).cursor
        return self.entries[at] if at < len(self.entries) else None

    @on(LineList.Moved, "#sessions")
    def _show_entry(self) -> None:
        pane, entry = self.query_one("#entry", TextPane), self.entry
        pane.border_title = "Session"
        if entry is not None:
            pane.show(partial(entry_lines, entry, self._clock()))
        self.refresh_bindings()

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        return {
            "session": self.entry is not None,
            "sessions": bool(self.entries),
            "openable": self.query_one("#sessions", LineList).key is not None,
            "undo": bool(self._steps),
            "narrowed": bool(self._wanted),
            "unreadable": self._is_unreadable,
        }

    # Opening

    @on(LineList.Opened, "#sessions")
    def _opened(self, event: LineList.Opened) -> None:
        entry = next((one for one in self.entries if key_of(one) == event.key), None)
        self._was_left = True
        if entry is not None:
            self.post_message(OpenSession(entry))
        elif self.has_class("-first-run") and event.key < len(self.samples):
            self.post_message(OpenTarget(str(self.samples[event.key].path)))

    def action_watch(self) -> None:
        """Show the sessions that others are writing."""
        self.post_message(OpenWatch())

    def action_lessons(self) -> None:
        """Show the lessons."""
        self.post_message(OpenLessons())

    def action_new(self) -> None:
        """Start a session without messages."""
        self._do(partial(make, self.library))

    def action_back(self) -> None:
        """Show all sessions again, the one changed last first."""
        self._wanted = ""
        self.refill()

    # Changing

    def action_ask(self, what: str) -> None:
        """Ask for something to do with the session under the cursor."""
        entry, start = self.entry, ""
        if entry is not None and what in ("rename", "tags"):
            start = entry.title if what == "rename" else ", ".join(entry.tags)
        answers: dict[str, Then] = {
            "import": self._import,
            "rename": self._rename,
            "tags": self._tag,
            "filter": self._filter,
        }
        (hint, verb), then = ASKS[what], answers[what]
        self.query_one(Prompt).ask(what, hint, then, verb=verb, value=start, takes_nothing=True)

    def _import(self, text: str) -> None:
        path = str(read_path(text))
        check_readable(path)  # Now, while the path can still be mended.
        self._do(partial(take_in, self.library, path), is_quick=False)

    async def _rename(self, text: str) -> None:
        await self._describe_here(title=text.strip())

    async def _tag(self, text: str) -> None:
        await self._describe_here(tags=[tag.strip() for tag in text.split(",") if tag.strip()])

    async def _describe_here(self, **news: object) -> None:
        """Describe the session while the prompt waits, which tells what is refused."""
        if self.entry is not None:
            self._show_done(await self._run(partial(describe, self.library, self.entry, news)))

    def _filter(self, text: str) -> None:
        self._wanted = text.strip()
        self.refill()

    def action_status(self, status: str) -> None:
        """Set the review status of the session."""
        self._describe(status=status)

    def _describe(self, **news: object) -> None:
        if self.entry is not None:
            self._do(partial(describe, self.library, self.entry, news))

    def action_duplicate(self) -> None:
        """Make a session with the same history."""
        if self.entry is not None:
            self._do(partial(duplicate, self.library, self.entry))

    def action_delete(self) -> None:
        """Put the session into the trash."""
        if self.entry is not None:
            self._do(partial(delete, self.library, self.entry))

    def action_undo(self) -> None:
        """Take back the newest verdict, rename, tags or delete."""
        self._do(self._take_back)

    def _take_back(self) -> Done:
        if not self._steps:
            return Done(note("Nothing was changed here yet"))
        self._steps[-1].take_back()
        return Done(told("Taken back", self._steps.pop().told))

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: the next key is for the list as it is then."""
        return not self._quick

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event need not wait for what is done to a session."""
        return isinstance(event, events.Key) and event.key == "ctrl+q"

    def _do(self, act: Callable[[], Done], *, is_quick: bool = True) -> None:
        """Do something to the library, which keys wait for if it takes no time worth mentioning."""
        self._quick += is_quick
        self._work(act, is_quick=is_quick)

    @work(group="library")
    async def _work(self, act: Callable[[], Done], *, is_quick: bool) -> None:
        """Do it in a thread, one thing after the other; say what there is."""
        try:
            self._show_done(await self._run(act))
        except PROBLEMS as problem:
            self.update()
            tell(self, failed(sentence_of(problem)))
        finally:
            self._quick -= is_quick

    async def _run(self, act: Callable[[], Done]) -> Done:
        async with self._at_work:
            done = await to_thread(act)
            if done.step is not None:
                self._steps.append(done.step)
            if done.made is not None:
                self._order.put_first(done.made)
        return done

    def _show_done(self, done: Done) -> None:
        self.update()
        if done.told is not None:
            tell(self, done.told)

    def action_settings(self) -> None:
        """Show the settings of the app."""
        self.post_message(OpenSettings())

    def action_help(self) -> None:
        """Show all keys of the library."""
        self.app.push_screen(HelpScreen(LIBRARY, keys_here(self)))
