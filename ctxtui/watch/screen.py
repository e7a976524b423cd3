"""Watch: the threads that other programs are writing right now, and one of them call by call."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import ClassVar, NamedTuple, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from ctxtui.calls.models.call import took
from ctxtui.calls.models.findings import ThreadFindings, thread_findings
from ctxtui.calls.models.sheet import waited_text
from ctxtui.calls.seen import FindingSource
from ctxtui.clipboard import copy_text
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.core.storage import Library
from ctxtui.core.values.times import milliseconds
from ctxtui.files.sessions import library_folder, shown_folder
from ctxtui.inspector.drawing.lists import VisibleSource
from ctxtui.library.drawing.sessions import problem_lines
from ctxtui.library.models.library import Done, UndoStep, describe
from ctxtui.messages import OpenLibrary, OpenSession
from ctxtui.notify import notify
from ctxtui.text.line_source import Nothing
from ctxtui.text.lines import Line, Piece
from ctxtui.text.numbers import time_of_day
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable
from ctxtui.text.toast import Toast, done, failed, note
from ctxtui.watch.drawing import (
    AGAIN,
    CACHED,
    LATER,
    BatchSource,
    CallSource,
    ThreadSource,
    Where,
    bar_line,
    explained_lines,
    flying_words,
    pending_lines,
    plot_lines,
    sent_line,
    totals_line,
    uncalled_lines,
    waiting_lines,
    watch_head,
)
from ctxtui.watch.keys import WATCH
from ctxtui.watch.models import (
    CallCursor,
    Node,
    PendingCall,
    PendingNode,
    SideNode,
    ThreadEdit,
    ThreadNode,
    WatchedCall,
    WatchedSheet,
    WatchedThread,
    Watching,
    merge,
    run_tree,
    split,
    totals_of,
    unlisted,
)
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Later, Prompt

# One thread on the screen that watches them: its batches and calls, and one call explained.

BLOCKS: Line = [
    Piece("a block is a call  ", "faint"),
    Piece(CACHED, "text"),
    Piece(" cached  ", "faint"),
    Piece(AGAIN, "muted"),
    Piece(" not  ", "faint"),
    Piece(AGAIN, "error"),
    Piece(" broke the cache ", "faint"),
]
ENTER: Line = [Piece(" enter", "key"), Piece(" the whole call ", "text")]
Shown = tuple[int, int | None, int, str | None, bool]
"""What is shown of a thread: which one, at which call, how far it is, what is wrong with it, and
whether as its model saw it."""
LEAST_ROWS = 5
FRAME, INSET = 2, 5
"""Rows and columns that a pane needs around its lines."""


class OneThread(Vertical):
    """Shows a thread at the call that is selected; while that stays the same, nothing moves."""

    def __init__(self, command: str) -> None:
        super().__init__(id="one-thread")
        self._command = command
        self._sheet: WatchedSheet | None = None
        self._shown: Shown | None = None
        self._problem: str | None = None

    def compose(self) -> ComposeResult:
        yield LineBox(id="watch-bar")
        yield LineBox(id="watch-ribbon")
        yield LineList(id="watch-batches", is_quiet=True)
        yield LineList(id="watch-calls", empty="No call is recorded.")
        yield TextPane(id="explained")
        yield LineList(id="sent", is_quiet=True)

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def _pane(self) -> TextPane:
        return self.query_one("#explained", TextPane)

    # What is shown

    def show_nothing(
        self, problem: str | None, pending: PendingCall | None = None, now: int = 0
    ) -> None:
        """Show that no session is written, a problem of the library, or an unfinished call."""
        self._sheet, self._shown = None, None
        for name in ("watch-batches", "watch-calls", "sent"):
            self._list(name).show(Nothing())
        for name in ("watch-bar", "watch-ribbon"):
            self.query_one(f"#{name}", LineBox).show()
        self.query_one("#watch-bar").remove_class("-past")
        self._pane.frame("Watch" if pending is None else "3 In flight", [])
        if pending is not None and problem is None:
            self._pane.show(partial(pending_lines, pending, now), top=False)
            return
        waiting = partial(waiting_lines, self._command)
        self._pane.show(waiting if problem is None else partial(problem_lines, problem))

    def show(self, thread: WatchedThread, cursor: CallCursor, *, is_seen: bool = False) -> None:
        """Show a thread; ``is_seen`` shows what was sent in its call as the model saw it."""
        recorded = cursor.call(thread)
        number = None if recorded is None else recorded.number
        size = len(thread.session.conversation.journal)
        shown = (thread.key, number, size, thread.follower.problem, is_seen)
        if shown == self._shown:
            return
        is_other = self._shown is None or shown[:2] != self._shown[:2]
        is_reread = self._shown is not None and is_seen != self._shown[-1]
        self._shown, self._problem = shown, thread.follower.problem
        self._show_lists(thread, recorded)
        if recorded is None:
            self._show_uncalled(thread)
        elif is_other or is_reread or self._sheet is None:
            self._sheet = WatchedSheet(recorded)
            self._sheet.reads_seen = is_seen
            self._show_sheet(self._sheet)
        if self._sheet is not None:
            self._pane.show(self._explained(self._sheet), top=is_other)
        ribbon = () if self._sheet is None else (partial(sent_line, self._sheet.shown_look),)
        self.query_one("#watch-ribbon", LineBox).show(*ribbon)
        self.share_room()

    def _explained(self, sheet: WatchedSheet) -> Callable[[int], list[Line]]:
        return partial(explained_lines, sheet, self._problem)

    def on_resize(self) -> None:
        self.call_after_refresh(self.share_room)

    def share_room(self) -> None:
        """Give each pane the rows that it needs, as far as there is room; the last has the rest."""
        if not self.is_attached or self._shown is None:
            return
        sheet, width = self._sheet, self.size.width
        lines = [] if sheet is None else self._explained(sheet)(max(1, width - INSET))
        needs = {
            "explained": len(lines) + FRAME,
            "watch-batches": len(self._list("watch-batches").source) + 1 + FRAME,
            "watch-calls": len(self._list("watch-calls").source) + FRAME,
        }
        names = [name for name in needs if self.query_one(f"#{name}").display]
        bars = sum(self.query_one(f"#watch-{name}").display for name in ("bar", "ribbon"))
        left = self.size.height - bars - LEAST_ROWS * len(names)
        left -= 2 * LEAST_ROWS * self._list("sent").display
        for name in names:
            more = max(0, min(needs[name] - LEAST_ROWS, left))
            self.query_one(f"#{name}").styles.height = min(LEAST_ROWS, needs[name]) + more
            left -= more
        if names and not self._list("sent").display and left > 0:
            self._pane.styles.height = "1fr"

    def show_flying(self, thread: WatchedThread, now: int) -> None:
        flying = flying_words(thread.pending, now)
        calls = plural(len(thread.story.calls), "call")
        about = [Piece(f"{calls}, " if flying else f"{calls} ", "muted")]
        about += [Piece(f"{flying} ", "bright")] if flying else []
        self._list("watch-calls").frame("5 Calls", about)

    def show_bar(
        self,
        thread: WatchedThread,
        cursor: CallCursor,
        merging: WatchedThread | None = None,
        *,
        is_busy: bool = False,
    ) -> None:
        """Say what is shown; ``merging`` is a thread that is about to become part of this one."""
        bar, is_past = self.query_one("#watch-bar", LineBox), cursor.is_past(thread)
        bar.set_class(is_past or merging is not None or is_busy, "-past")
        recorded = cursor.call(thread)
        where = Where(
            thread.title,
            0 if recorded is None else recorded.number,
            len(thread.story.calls),
            is_past,
            cursor.news(thread),
            None if merging is None else merging.title,
            is_busy,
        )
        bar.show(partial(bar_line, where))

    def _show_lists(self, thread: WatchedThread, recorded: WatchedCall | None) -> None:
        batches, calls = self._list("watch-batches"), self._list("watch-calls")
        batches.show(
            BatchSource(thread.story, thread.look, None if recorded is None else recorded.batch)
        )
        batches.frame("4 Timeline", BLOCKS)
        calls.show(CallSource(thread.story, None if recorded is None else recorded.number))
        if recorded is not None:
            batches.go_to(recorded.batch)
            calls.go_to(recorded.number)

    def _show_sheet(self, sheet: WatchedSheet) -> None:
        recorded, sent = sheet.one, self._list("sent")
        model = printable(recorded.call.model or "", 30)
        about = [Piece(f"{model}  " if model else "", "muted")]
        about.append(Piece(f"{time_of_day(recorded.call.time)} ", "muted"))
        if (times := took(recorded.call)) is not None:
            about.append(Piece(f" {waited_text(times.whole)} ", "muted"))
        self._pane.frame(f"3 Call {recorded.number:,} explained", about, lambda: ENTER)
        look = sheet.shown_look
        sent.show(VisibleSource(look))
        words = Piece(f"what was sent in call {recorded.number:,} ", "faint")
        if look.is_seen:
            sure = recorded.seen.certainty
            words = Piece(f"what the model saw of call {recorded.number:,} ({sure}) ", "key")
        sent.frame("2 Visible", [words, Piece(f"{len(look.view):,} ", "muted")])
        change = look.change.hidden[:1] if look.is_seen and look.change else ()
        first = next(iter(change), sheet.first_change)
        if first is not None:
            sent.go_to(first, 1)

    def _show_uncalled(self, thread: WatchedThread) -> None:
        """Show a session of which no call is recorded: the end of what is visible in it."""
        sent = self._list("sent")
        self._sheet = None
        self._pane.frame("3 No call", [])
        self._pane.show(partial(uncalled_lines, thread.follower.problem))
        sent.show(VisibleSource(thread.look))
        sent.frame("2 Visible", [Piece(f"{len(thread.look.view):,} ", "muted")])
        if len(sent.source):
            sent.go_to(sent.source.key(len(sent.source) - 1))


# The list of threads: the screen, not the list, shows what is folded.


class ThreadList(LineList):
    """A list that asks its screen to fold lines."""

    @dataclass
    class Folded(Message):
        """What is below a line should be shown, or folded away again."""

        key: int
        is_open: bool

    def action_fold(self, is_open: bool) -> None:
        if self.key is not None:
            self.post_message(self.Folded(self.key, is_open))


T = TypeVar("T")

READ_THREADS, EDIT = "read the threads", "change the threads"
FIND = "look for findings"
LOOK_SECONDS = 1.0
QUEUE = "threads"
"""In which threads are read and changed, one thing after the other."""


class _Step(NamedTuple):
    """Something that was done: how to take it back, what is said then, and what is shown again."""

    undo: UndoStep
    away: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class WatchScreen(BaseScreen[None]):
    """Lists who writes what, and shows the thread under the cursor at one of its calls."""

    AUTO_FOCUS = "#threads"
    CSS_PATH = "watch.tcss"
    HOME = "watch"
    HELP_COMMANDS = (*WATCH, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(WATCH)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012 - Textual's own

    def __init__(self, library: Library, clock: Callable[[], int] = milliseconds) -> None:
        super().__init__()
        self.library = library
        self.watching = Watching(library)
        self.cursor = CallCursor()
        self._steps: list[_Step] = []
        self.is_busy = False
        self._goal: str | None = None
        """The session that is shown when something was done."""
        self.merging: WatchedThread | None = None
        """The thread that is about to be merged into another, which is being picked."""
        self._clock = clock
        self._has_looked = False
        self._problem = ""
        self._opened: set[int] = set()
        self._findings: dict[int, ThreadFindings] = {}

    def compose(self) -> ComposeResult:
        yield LineBox(id="watch-head")
        with Horizontal():
            with Vertical(id="all-threads"):
                yield ThreadList(
                    id="threads", empty="No program is writing a session of this library."
                )
                yield LineList(id="watch-findings")
                yield TextPane(id="cache-hits")
            yield OneThread(self.command)
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#cache-hits", TextPane).can_focus = False
        self.show()
        self.set_interval(LOOK_SECONDS, self.look)
        self.look()

    def on_screen_resume(self) -> None:
        if self._has_looked:
            self.look()

    @property
    def command(self) -> str:
        """Return what records an agent in this library."""
        folder = None if self.library.folder == library_folder(None) else shown_folder(self.library)
        chosen = "" if folder is None else f"--library {quote(folder)} "
        return f"ctxtui capture {chosen}-- python agent.py"

    # Looking

    def look(self) -> None:
        """Read who writes what, unless that is being read already."""
        if not self.background.is_running(READ_THREADS, EDIT) and self.app.screen is self:
            self.read(lambda: None)

    def read(self, then: Callable[[], None]) -> None:
        """Read in a thread what has come, and show it, some of it at a time.

        The first key waits for that, and so do keys after a change.
        """

        async def show(_: None) -> None:
            self._has_looked = True
            while self._take():
                await sleep(0)
            if self.watching.is_filling:
                self.read(then)
            else:
                self._problem = ""
                then()

        def complain(sentence: str) -> None:
            self._has_looked = True
            if sentence != self._problem:  # It is read again every second.
                self.background.complain(sentence)
            self._problem = sentence
            then()

        self.background.run(
            READ_THREADS,
            lambda _: self.watching.read(),
            show,
            failed=complain,
            queue=QUEUE,
            holds_keys=self.is_busy or not self._has_looked,
        )

    def _take(self) -> bool:
        """Show what was read; a call that is being read stays."""
        thread = (
            self.thread
            if self.focused is not None and self.focused.id in ("explained", "sent")
            else None
        )
        recorded = None if thread is None else self.cursor.call(thread)
        is_more = self.watching.take()
        if thread is not None and recorded is not None:
            self.cursor.hold(thread, recorded.number)
        self.show()
        return is_more

    def show(self) -> None:
        watching = self.watching
        threads, totals = watching.threads, totals_of(watching.threads, watching.pending)
        head = partial(
            watch_head,
            shown_folder(self.library),
            watching.written,
            totals.flying,
            is_seen=self._reads_seen,
        )
        self.query_one("#watch-head", LineBox).show(head, partial(totals_line, totals))
        listed, now = self.query_one("#threads", LineList), self._clock()
        source = listed.source
        nodes = [*unlisted(watching.pending, threads), *run_tree(threads, self._opened)]
        if isinstance(source, ThreadSource) and source.renew(nodes, now):
            listed.refresh()  # A list scrolled away from its cursor stays there.
        else:
            listed.show(ThreadSource(nodes, now))
            listed.frame("1 Threads", [Piece("newest run first ", "muted")])
        self._show_thread()

    @on(LineList.Moved, "#threads")
    def _show_thread(self) -> None:
        thread, one, hits = (
            self.thread,
            self.query_one(OneThread),
            self.query_one("#cache-hits", TextPane),
        )
        if thread is None:
            pending = self.node.pending if isinstance(self.node, PendingNode) else None
            self.set_class(pending is None, "-waiting")
            self._list_findings(None)
            one.show_nothing(self.watching.problem, pending, self._clock())
            hits.show(lambda _: [])
        else:
            self.remove_class("-waiting")
            self._look_into(thread)
            one.show(thread, self.cursor, is_seen=self._reads_seen)
            one.show_flying(thread, self._clock())
            one.show_bar(thread, self.cursor, self.merging, is_busy=self.is_busy)
            recorded = self.cursor.call(thread)
            number = (
                recorded.number if recorded is not None and self.cursor.is_past(thread) else None
            )
            hits.show(partial(plot_lines, thread.story, thread.title, number), top=False)
        self.refresh_bindings()

    # Findings, and what was seen

    def reading_changed(self) -> None:
        self.show()

    @property
    def _known_findings(self) -> ThreadFindings | None:
        """Return what was found out about the calls of the thread that is shown, if it was."""
        return None if self.thread is None else self._findings.get(self.thread.key)

    @property
    def _reads_seen(self) -> bool:
        """Return whether the call is shown as its model saw it; that has to be read first."""
        known, thread = self._known_findings, self.thread
        if not self.shows_seen or known is None or thread is None:
            return False
        return known.is_managed and known.calls == len(thread.story.calls)

    def _look_into(self, thread: WatchedThread) -> None:
        """Find out, in a thread, what went wrong in the calls, if there are new ones."""
        known, calls = self._findings.get(thread.key), len(thread.story.calls)
        self._list_findings(known)
        if (known is None or known.calls != calls) and not self.background.is_running(FIND):
            conversation = thread.session.conversation
            self.background.run(
                FIND,
                lambda _: thread_findings(conversation),
                partial(self._findings_read, thread.key),
                failed=partial(self._findings_failed, thread.key, calls),
            )

    def _findings_failed(self, key: int, calls: int, sentence: str) -> None:
        self._findings[key] = ThreadFindings(calls, False, [])  # Not tried again each second.
        self.background.complain(sentence)

    def _findings_read(self, key: int, found: ThreadFindings) -> None:
        self._findings[key] = found
        if self.thread is not None:
            self._show_thread()

    def _list_findings(self, known: ThreadFindings | None) -> None:
        listed, thread = self.query_one("#watch-findings", LineList), self.thread
        findings = [] if known is None else known.findings
        recorded = None if thread is None else self.cursor.call(thread)
        listed.display = bool(findings)
        listed.show(FindingSource(findings, None if recorded is None else recorded.number))
        listed.frame("6 Findings", [Piece(f"{len(findings):,} ", "muted")])

    @on(LineList.Moved, "#watch-findings")
    def _finding_selected(self, event: LineList.Moved) -> None:
        """Select the call of a finding."""
        known, thread = self._known_findings, self.thread
        if known is not None and thread is not None and event.list.has_focus:
            self.cursor.look_at(thread, known.findings[event.key].number)
            self._show_thread()

    def go_to(self, id: str | None) -> None:
        if id is not None and self.query_one("#threads", LineList).go_to(int(id, 36)):
            self._show_thread()

    @property
    def node(self) -> Node | None:
        listed = self.query_one("#threads", LineList)
        source, at = listed.source, listed.cursor
        return source.nodes[at] if isinstance(source, ThreadSource) and at < len(source) else None

    @property
    def thread(self) -> WatchedThread | None:
        """Return the thread that is shown; of side calls, the one with the newest."""
        return self.node.thread if isinstance(self.node, ThreadNode | SideNode) else None

    @property
    def chosen(self) -> WatchedThread | None:
        return self.node.thread if isinstance(self.node, ThreadNode) else None

    def key_conditions(self) -> Conditions:
        thread, threads = self.thread, self.watching.threads
        is_merging = self.merging is not None
        return {
            "session": bool(threads),
            "several": len(threads) > 1,
            "calls": thread is not None and bool(thread.story.calls),
            "past": not is_merging and thread is not None and self.cursor.is_past(thread),
            "newest": "" if thread is None else f"{len(thread.story.calls):,}",
            "waiting": self.has_class("-waiting"),
            "aside": isinstance(self.node, SideNode),
            "ended": not is_merging and self.chosen is not None and self.chosen.holder is None,
            "merging": is_merging,
            "undo": bool(self._steps),
            "list": isinstance(self.focused, LineList),
            "text": isinstance(self.focused, TextPane),
            "seen": self._known_findings is not None and self._known_findings.is_managed,
        }

    # The past

    @on(LineList.Moved, "#watch-calls")
    def _call_chosen(self, event: LineList.Moved) -> None:
        thread = self.thread
        recorded = None if thread is None else self.cursor.call(thread)
        if thread is not None and recorded is not None and recorded.number != event.key:
            self.cursor.look_at(thread, event.key)
            self._show_thread()

    @on(LineList.Moved, "#watch-batches")
    def _batch_chosen(self, event: LineList.Moved) -> None:
        """Select the call that opened the batch, unless one of its calls is selected."""
        thread = self.thread
        recorded = None if thread is None else self.cursor.call(thread)
        calls = [] if thread is None else thread.story.by_batch.get(event.key, [])
        if thread is not None and recorded is not None and calls and recorded.batch != event.key:
            self.cursor.look_at(thread, calls[0].number)
            self._show_thread()

    def action_step(self, by: int) -> None:
        if self.thread is not None:
            self.cursor.step(self.thread, by)
            self._show_thread()

    def action_follow(self) -> None:
        if self.thread is not None:
            self.cursor.follow(self.thread)
            self._show_thread()

    @on(LineBox.Clicked, "#watch-bar")
    def _bar_clicked(self) -> None:
        """Leave what the bar says: the past, or a merge."""
        if self.merging is not None:
            self._leave_merge()
        else:
            self.action_follow()

    def action_back(self) -> None:
        if self.merging is not None:
            self._leave_merge()
        elif self.thread is not None and self.cursor.is_past(self.thread):
            self.action_follow()
        else:
            self.action_library()

    # Opening

    @on(LineList.Opened)
    def _list_opened(self, event: LineList.Opened) -> None:
        thread, node = self.thread, self.node
        is_thread = event.list.id == "threads"
        if is_thread and self.merging is not None and self.chosen is not None:
            self._picked(self.chosen)
        elif is_thread and isinstance(node, SideNode):
            self._fold(node.key, not node.is_open)
        elif isinstance(node, PendingNode):
            notify(self, note("This call has not finished yet", LATER))
        elif thread is not None:
            raw = event.key if event.list.id == "sent" else None
            spot = self.cursor.spot(thread, raw, is_whole=not is_thread and raw is None)
            self.post_message(OpenSession(thread.entry, spot))

    def action_whole_call(self) -> None:
        if self.thread is not None and not isinstance(self.node, PendingNode):
            spot = self.cursor.spot(self.thread, None, is_whole=True)
            self.post_message(OpenSession(self.thread.entry, spot))

    @on(ThreadList.Folded)
    def _folded(self, event: ThreadList.Folded) -> None:
        if isinstance(self.node, SideNode):
            self._fold(event.key, event.is_open)

    def _fold(self, key: int, is_open: bool) -> None:
        self._opened = self._opened | {key} if is_open else self._opened - {key}
        self.show()

    # Going elsewhere

    def action_bill(self) -> None:
        from ctxtui.what_if.bill import BillScreen
        from ctxtui.what_if.models.comparison import compare_session

        if self.thread is not None:
            self.app.push_screen(BillScreen(compare_session(self.thread.session)))

    def action_pane(self, name: str) -> None:
        pane = self.query_one(f"#{name}")
        if pane.is_on_screen and pane.focusable:
            self.set_focus(pane)

    def action_next_pane(self, by: int) -> None:
        (self.focus_next if by > 0 else self.focus_previous)()

    def action_library(self) -> None:
        self.post_message(OpenLibrary())

    def action_copy(self) -> None:
        notify(self, copy_text(self.app, "the command", self.command))

    # Changing

    def action_edit(self, way: str) -> None:
        ways = {"rename": self._ask, "merge": self._pick, "split": self._cut, "undo": self._undo}
        ways[way]()

    def skips_queue(self, event: events.Event) -> bool:
        """Return whether an event need not wait for what is read or done to a thread."""
        is_leaving = isinstance(event, events.Key) and event.key in ("q", "escape")
        return super().skips_queue(event) or (is_leaving and not self._has_looked)

    # Asking

    def _ask(self) -> None:
        thread = self._free_thread("renamed")
        if thread is not None:
            self.query_one(Prompt).ask(
                "rename",
                "the thread's new name",
                partial(self._rename, thread),
                verb="rename it",
                value=thread.title,
                takes_nothing=True,
            )

    def _pick(self) -> None:
        """Let the thread into which this one is merged be picked."""
        thread = self._free_thread("merged")
        if thread is not None:
            self.merging = thread
            self.show()

    def _leave_merge(self) -> None:
        self.merging = None
        self.show()

    def _picked(self, into: WatchedThread) -> None:
        thread = self.merging
        if thread is None or self._is_written(into, "merged"):
            return
        if into is thread:
            notify(self, note("This is the thread itself", "Go to another one."))
            return
        self.merging = None
        act = partial(merge, self.library, into.session.id, [thread.session.id])
        self._do(act, partial(self._merged, thread, into))

    def _cut(self) -> None:
        thread = self._free_thread("split")
        if thread is None:
            return
        recorded = self.cursor.call(thread)
        if recorded is None or recorded.number == 1 or not self.cursor.is_past(thread):
            which = "first" if recorded and recorded.number == 1 else "newest"
            said = f"The {which} call is selected" if recorded else "There is no call"
            notify(self, note(said, "[ and ] go to the call where the new thread begins."))
            return
        act = partial(split, self.library, thread.session.id, recorded.number)
        self._do(act, partial(self._split, thread, recorded.number))

    def _undo(self) -> None:
        if self._steps:
            self._do(self._steps[-1].undo.take_back, self._taken_back)
        else:
            notify(self, note("Nothing was changed here yet"))

    def _free_thread(self, word: str) -> WatchedThread | None:
        """Return the thread under the cursor, if it can be changed; else say why not."""
        thread = self.chosen
        if thread is None:
            if self.thread is not None:
                notify(self, note("Several threads are folded", "enter shows them one by one."))
            return None
        return None if self._is_written(thread, word) else thread

    def _is_written(self, thread: WatchedThread, word: str) -> bool:
        if thread.holder is None:
            return False
        said = f"{thread.title} is being written by {thread.holder}"
        notify(self, note(said, f"It can be {word} when that has ended."))
        return True

    # Doing

    def _rename(self, thread: WatchedThread, text: str) -> Later:
        library = self.library
        act = partial(describe, library, [thread.entry], {"title": text.strip()})
        return Later(lambda _: act(), self._renamed, QUEUE)

    def _renamed(self, finished: Done) -> None:
        if finished.step is not None:
            self._steps.append(_Step(finished.step))
        if finished.toast is not None:
            notify(self, finished.toast)
        self.look()

    def _merged(self, thread: WatchedThread, into: WatchedThread, edit: ThreadEdit) -> Toast:
        said = f"{plural(edit.made[0].calls, 'call')}; the old sessions are in the trash."
        back = f"{thread.title} and {into.title} are two threads again."
        return self._done(edit, f"Merged: {thread.title} into {into.title}", said, back)

    def _split(self, thread: WatchedThread, number: int, edit: ThreadEdit) -> Toast:
        first, second = edit.made
        said = f"{plural(first.calls, 'call')} and {plural(second.calls, 'call')}."
        back = f"{thread.title} is one thread again."
        return self._done(edit, f"Split: {thread.title} at call {number:,}", said, back)

    def _done(self, edit: ThreadEdit, title: str, said: str, back: str) -> Toast:
        made = tuple(one.id for one in edit.made)

        def take_back() -> Done:
            edit.take_back()
            return Done(must_list=True)

        self._steps.append(_Step(UndoStep(take_back, back), made, edit.gone))
        self.watching.replace(edit.gone, made)
        self._goal = made[-1]
        return done(title, said, ("u", "undoes it"))

    def _taken_back(self, _: Done) -> Toast:
        step = self._steps.pop()
        self.watching.replace(step.away, step.back)
        self._goal = step.back[-1] if step.back else None
        return done("Undone", step.undo.restored)

    def _do(self, act: Callable[[], T], then: Callable[[T], Toast]) -> None:
        """Do it in a thread while no thread is read, then read them and say what came of it."""
        self.is_busy = True
        self.show()

        def finish(toast: Toast) -> None:
            self.is_busy = False
            self.go_to(self._goal)
            self.show()
            notify(self, toast)

        def give_up(sentence: str) -> None:
            self.is_busy = False
            self.show()
            notify(self, failed(sentence, "Nothing was changed."))

        self.background.run(
            EDIT,
            lambda _: act(),
            lambda result: self.read(partial(finish, then(result))),
            failed=give_up,
            queue=QUEUE,
            holds_keys=True,
        )
