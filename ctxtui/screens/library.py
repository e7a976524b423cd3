"""The library: all sessions in a list, and what is known of the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen

from core import Conversation, Refused
from core.conversation import milliseconds
from core.storage import Entry, Library, StorageError
from ctxtui.commands import LIBRARY
from ctxtui.files import Unreadable
from ctxtui.lists.sessions import SampleSource, SessionSource, key_of
from ctxtui.messages import OpenSession, OpenTarget
from ctxtui.palette import LibraryProvider
from ctxtui.places import read_path
from ctxtui.render.entry import entry_lines, welcome_lines
from ctxtui.render.lines import Line, Piece
from ctxtui.render.symbols import visible
from ctxtui.samples import Sample, load_samples
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.targets import open_target
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane

ASKS = {
    "import": "the path of a conversation, such as ~/chat.json",
    "rename": "the session's new title",
    "tags": "tags, with commas between them; nothing takes all away",
    "filter": "text that titles or tags must hold; nothing shows all",
}


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
        self._wanted = ""
        self._deleted: str | None = None
        self._at_work = Lock()

    def compose(self) -> ComposeResult:
        """Lay out the list and what is known of one session."""
        yield LineBox(id="library-head")
        yield TextPane(id="welcome")
        with Horizontal():
            yield LineList(id="sessions", empty="No session matches. & shows all.")
            yield TextPane(id="entry")
        yield Prompt()
        yield KeyLine(LIBRARY)

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(LineBox).show(self._head)

    def on_screen_resume(self) -> None:
        """Fill the list: at first, and whenever a session was closed."""
        self.refill()

    def refill(self) -> None:
        """Show the sessions as they are on disk now."""
        try:
            found = self.library.list()
        except StorageError as error:
            found = []
            self.notify(str(error), severity="error", markup=False)
        self.entries = [one for one in found if self._matches(one)]
        sessions = self.query_one("#sessions", LineList)
        is_first = not self.entries and not self._wanted
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
            sessions.show(SessionSource(self.entries, self._clock()))
            sessions.border_title = "Sessions"
            only = f" with '{visible(self._wanted, 20)}', esc shows all" if self._wanted else ""
            sessions.border_subtitle = Content(f"{len(self.entries)}{only}")
        self._show_entry()

    def _matches(self, entry: Entry) -> bool:
        wanted = self._wanted.casefold()
        return any(wanted in text.casefold() for text in (entry.title, *entry.tags))

    def _head(self, width: int) -> Line:
        where = str(self.library.folder)
        return [
            Piece(" ctxtui  ", "bright"),
            Piece(" Library ", "chip"),
            Piece(f"  {where}".rjust(max(0, width - 20)), "muted"),
        ]

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

    # Opening

    @on(LineList.Opened, "#sessions")
    def _opened(self, event: LineList.Opened) -> None:
        entry = next((one for one in self.entries if key_of(one) == event.key), None)
        if entry is not None:
            self.post_message(OpenSession(entry))
        elif not self.entries and event.key < len(self.samples):
            self.post_message(OpenTarget(str(self.samples[event.key].path)))

    def action_new(self) -> None:
        """Start a session without messages."""
        self._do(self._make_new)

    def _make_new(self) -> str:
        session = self.library.create(Conversation(), title="untitled")
        if not session.is_saved:
            session.abandon()
            raise StorageError(session.problem or "it can't be saved", field="session")
        session.close()
        return ""

    def action_back(self) -> None:
        """Show all sessions again."""
        self._wanted = ""
        self.refill()

    # Changing

    def action_ask(self, what: str) -> None:
        """Ask for something to do with the session under the cursor."""
        entry, start = self.entry, ""
        if entry is not None and what in ("rename", "tags"):
            start = entry.title if what == "rename" else ", ".join(entry.tags)
        take = {
            "import": self._import,
            "rename": lambda text: self._describe(title=text.strip()),
            "tags": self._tag,
            "filter": self._filter,
        }[what]
        prompt = self.query_one(Prompt)
        prompt.ask(what, ASKS[what], take, value=start, takes_nothing=what in ("tags", "filter"))

    def _tag(self, text: str) -> None:
        self._describe(tags=[tag.strip() for tag in text.split(",") if tag.strip()])

    def _filter(self, text: str) -> None:
        self._wanted = text.strip()
        self.refill()

    def action_status(self, status: str) -> None:
        """Set the review status of the session."""
        self._describe(status=status)

    def _describe(self, **news: object) -> None:
        entry = self.entry
        if entry is None:
            return

        def describe() -> str:
            with self.library.open(entry.id) as session:
                if session.id != entry.id:
                    raise StorageError(session.notes[0], field="session", value=entry.id)
                session.describe(**news)
            return ""

        self._do(describe)

    def _import(self, path: str) -> None:
        def make() -> str:
            known = {entry.id for entry in self.library.list()}
            with open_target(self.library, str(read_path(path))) as session:
                word = "There already" if session.id in known else "Imported"
                return "\n".join([f"{word}: {session.title}.", *session.notes[:3]])

        self._do(make)

    def action_duplicate(self) -> None:
        """Make a session with the same history."""
        entry = self.entry
        if entry is None:
            return

        def duplicate() -> str:
            with self.library.duplicate(entry.id) as session:
                return "\n".join(session.notes[:3])

        self._do(duplicate)

    def action_delete(self) -> None:
        """Put the session into the trash."""
        entry = self.entry
        if entry is None:
            return

        def delete() -> str:
            self.library.delete(entry.id)
            self._deleted = entry.id
            return f"{entry.title} is in the trash. u puts it back."

        self._do(delete)

    def action_put_back(self) -> None:
        """Take the session that was deleted last out of the trash."""
        deleted = self._deleted
        if deleted is None:
            self.notify("Nothing was deleted here.", markup=False)
            return

        def put_back() -> str:
            self.library.restore(deleted)
            self._deleted = None
            return ""

        self._do(put_back)

    @work(thread=True, group="library")
    def _do(self, act: Callable[[], str]) -> None:
        """Do something to the library in a thread, then show it as it is; say what there is."""
        with self._at_work:
            try:
                said, severity = act(), "information"
            except (Refused, Unreadable) as problem:
                said, severity = str(problem), "error"
        self.from_thread(self.refill)
        if said:
            self.from_thread(self.notify, said, severity=severity, markup=False)

    def action_help(self) -> None:
        """Show all keys of the library."""
        self.app.push_screen(HelpScreen(LIBRARY))
