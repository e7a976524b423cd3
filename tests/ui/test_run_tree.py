"""Threads as a tree, told call by call: models without a screen."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary, Session, ThreadPlace
from ctxtui.text.lines import Line
from ctxtui.watch.drawing import (
    BatchSource,
    CallSource,
    ThreadSource,
    Where,
    again_words,
    bar_line,
    call_blocks,
    explained_lines,
    hit_plot,
    plot_lines,
    sent_line,
    since,
    totals_line,
)
from ctxtui.watch.models import (
    QUIET_AFTER,
    CallCursor,
    RunHead,
    SideNode,
    ThreadCalls,
    ThreadNode,
    WatchedSheet,
    WatchedThread,
    Watching,
    run_tree,
    totals_of,
)
from tests.core.requests.traffic import said
from tests.ui.hostility import HOSTILE
from tests.ui.opening import LONG_AGO
from tests.ui.recorded_threads import (
    SYSTEM,
    TOOLS,
    Talk,
    Writer,
    cut_talk,
    measured,
    run_with_agents,
)


def watched(library: Library) -> Watching:
    watching = Watching(library)
    watching.read()
    while watching.take():
        pass
    return watching


def text_of(line: Line) -> str:
    return "".join(piece.text for piece in line)


def told(library: Library, *opened: int) -> list[str]:
    """Return the lines of a tree: how deep each is, and what it is called."""
    lines = []
    for node in run_tree(watched(library).threads, opened):
        if isinstance(node, RunHead):
            lines.append(f"# {node.name}")
        elif isinstance(node, SideNode):
            lines.append(f"{'  ' * node.depth}({node.calls}: {node.about})")
        else:
            lines.append(f"{'  ' * node.depth}{node.thread.title}")
    return lines


TREE = [
    "# coder.py",
    "coder",
    "  Find every place where the retry limit is written down.",
    "  (2: 1 token count, 1 attempt)",
    "triage",
]


class TestTree:
    def test_agents_stand_below_who_called_them_and_side_calls_are_folded(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        assert told(library) == TREE

    def test_side_calls_can_be_shown_one_by_one(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        nodes = run_tree(watched(library).threads)
        (side,) = (node.key for node in nodes if isinstance(node, SideNode))
        shown = told(library, side)
        assert shown[3:6] == [TREE[3], "    attempts that came to nothing", "    token counts"]

    def test_runs_stand_apart_the_newest_first_and_other_sessions_last(self) -> None:
        times = iter(range(1_000, 10_000_000, 1_000))
        library = MemoryLibrary(clock=lambda: next(times))
        Talk(Writer(library, "old.py", "one"), "hello").go_on(1)
        Talk(Writer(library, "new.py", "two"), "good day").go_on(1)
        library.create(Conversation([said("user", "alone")]), title="alone")
        assert told(library) == [
            *("# new.py", "good day", "# old.py", "hello", "# other sessions", "alone"),
        ]

    def test_sessions_of_no_run_have_no_heading(self) -> None:
        library = MemoryLibrary()
        library.create(Conversation([said("user", "alone")]), title="alone")
        assert told(library) == ["alone"]

    def test_a_run_that_has_ended_is_still_shown(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library).close()
        assert told(library) == TREE
        assert watched(library).written == 0

    def test_threads_that_stand_below_each_other_are_all_shown(self) -> None:
        library = MemoryLibrary()
        made = [
            library.create(
                Conversation([said("user", "x")]),
                title=str(thread),
                thread=ThreadPlace("r", "p", thread, "agent", parent),
            )
            for thread, parent in ((0, 1), (1, 0), (2, 2), (3, 9))
        ]
        assert sorted(told(library)) == ["# p", "0", "1", "2", "3"]
        assert len(made) == 4

    def test_who_stands_beside_a_merged_thread_stands_beside_what_it_became(self) -> None:
        library = MemoryLibrary()
        for thread, also in ((0, (5,)), (7, ())):
            place = ThreadPlace(
                "r", "p", thread, "agent" if thread else "main", 5 if thread else None
            )
            talk = Conversation([said("user", "x")])
            library.create(talk, title=str(thread), thread=place._replace(also=also))
        assert told(library) == ["# p", "0", "  7"]

    def test_how_it_is_with_a_thread_is_told_by_when_it_changed_and_who_writes_it(self) -> None:
        library = MemoryLibrary()
        writer = run_with_agents(library)
        threads = watched(library).threads
        nodes = [node for node in run_tree(threads) if isinstance(node, ThreadNode)]
        now = nodes[0].thread.figures.changed
        states = [node.state(now + QUIET_AFTER - 1) for node in nodes]
        assert states == ["running", "done", "running"]
        assert nodes[0].state(now + QUIET_AFTER) == "waiting"
        writer.close()
        assert watched(library).threads[0].state(now) == "done"

    def test_all_is_counted(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        totals = totals_of(watched(library).threads)
        assert totals == (2, 5, 12, 1, 0, 0)
        line = text_of(totals_line(totals, 100))
        assert "2 conversations   5 threads   12 requests" in line
        assert "▲ 1 broke the cache" in line

    def test_the_cursor_never_stands_on_a_heading(self) -> None:
        library = MemoryLibrary()
        run_with_agents(library)
        source = ThreadSource(run_tree(watched(library).threads), LONG_AGO)
        assert [source.stop(at, way) for at in (0, 1) for way in (1, -1)] == [1, 1, 1, 1]
        assert ThreadSource([], LONG_AGO).stop(0, 1) == 0


def thread_of(session: Session, library: Library) -> WatchedThread:
    return WatchedThread(library.open(session.id, read_only=True), "agent.py")


def coder(title: str = "coder") -> WatchedThread:
    """Return the thread of a conversation that was trimmed once."""
    library = MemoryLibrary()
    talk = cut_talk(library, 4, 1)
    talk.go_on(1)
    session = talk.writer.sessions[0]
    session.describe(title=title)
    return thread_of(session, library)


class TestStory:
    def test_each_call_is_told_once_and_batches_know_their_calls(self) -> None:
        thread = coder()
        story = thread.story
        assert [one.number for one in story.calls] == [1, 2, 3, 4, 5, 6]
        assert {batch: len(calls) for batch, calls in story.by_batch.items()} == {0: 4, 1: 2}
        assert (story.broken, story.refused, story.measured, story.again) == (1, 0, 5, 1)
        assert story.calls[4].explained[0].operation == "TRUNCATE"
        before = list(story.calls)
        story.catch_up()
        assert all(one is two for one, two in zip(before, story.calls, strict=True))

    def test_what_has_come_is_told_without_looking_at_what_was_there(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "Make the retry limit a setting.")
        talk.go_on(5)
        thread = thread_of(writer.sessions[0], library)
        told: list[int] = []
        whole = ThreadCalls._add

        def counted(story: ThreadCalls, *call: Any) -> None:
            told.append(len(story.calls) + 1)
            whole(story, *call)

        monkeypatch.setattr(ThreadCalls, "_add", counted)
        talk.go_on(1)
        thread.follower.look()
        thread.settle()
        thread.settle()
        assert told == [6]
        assert thread.figures.calls == 6

    def test_lint_is_of_what_was_sent(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        lost = {"role": "tool", "tool_call_id": "nobody", "content": "found"}
        writer.send(SYSTEM, said("user", "hello"), response=measured("yes", 0), tools=TOOLS)
        writer.send(
            SYSTEM,
            said("user", "hello"),
            said("assistant", "yes"),
            lost,
            response=None,
            tools=TOOLS,
        )
        thread = thread_of(writer.sessions[0], library)
        assert [one.errors for one in thread.story.calls] == [0, 1]
        sheet = WatchedSheet(thread.story.calls[1])
        assert [finding.rule for finding, _ in sheet.errors] == ["G1"]
        drawn = "\n".join(map(text_of, explained_lines(sheet, None, 80)))
        assert "✖ G1" in drawn

    def test_another_profile_judges_all_calls_anew(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        Talk(writer, "hello").go_on(2)
        conversation = writer.sessions[0].conversation
        story = ThreadCalls(conversation)
        story.catch_up()
        first = story.calls[0]
        conversation.execute({"operation": "CONFIGURE", "profile": "anthropic"})
        story.catch_up()
        assert len(story.calls) == 2
        assert story.calls[0] is not first


class TestGaze:
    def test_the_newest_call_is_followed_until_another_is_looked_at(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "hello")
        talk.go_on(3)
        thread, cursor = thread_of(writer.sessions[0], library), CallCursor()

        def seen() -> tuple[int, bool, int]:
            told = cursor.call(thread)
            assert told is not None
            return told.number, cursor.is_past(thread), cursor.news(thread)

        def more() -> None:
            talk.go_on(1)
            thread.follower.look()
            thread.settle()

        assert seen() == (3, False, 0)
        more()
        assert seen() == (4, False, 0)
        cursor.step(thread, -2)
        assert seen() == (2, True, 0)
        more()
        more()
        cursor.step(thread, -5)
        assert seen() == (1, True, 2)
        cursor.step(thread, 99)
        assert seen() == (6, False, 0)
        cursor.step(thread, -1)
        cursor.follow(thread)
        assert seen() == (6, False, 0)

    def test_a_thread_with_one_call_has_no_past(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        Talk(writer, "hello").go_on(1)
        thread, cursor = thread_of(writer.sessions[0], library), CallCursor()
        cursor.step(thread, -1)
        assert not cursor.is_past(thread)

    def test_a_session_without_calls_has_nothing_to_look_at(self) -> None:
        library = MemoryLibrary()
        made = library.create(Conversation([said("user", "alone")]))
        thread, cursor = thread_of(made, library), CallCursor()
        cursor.step(thread, -1)
        assert cursor.call(thread) is None


class TestPage:
    def test_a_cut_is_explained_with_its_cache(self) -> None:
        thread = coder()
        sheet = WatchedSheet(thread.story.calls[4])
        broke = sheet.cache.broke
        assert (broke.kind, broke.position, broke.was, broke.now) == ("message", 1, 1, 4)
        assert (sheet.cache.cached, sheet.cache.input) == (70, 1_000)
        assert sheet.one.waited == 1_000
        assert sheet.first_change == 1
        drawn = [text_of(line) for line in explained_lines(sheet, None, 80)]
        assert drawn[0].split() == ["TRUNCATE", "removeFirst", "3,", "keepSystem", "likely"]
        assert any("message 1 changed: the cache breaks there" in line for line in drawn)
        assert any("it was raw 1 in call 4 and is raw 4 now." in line for line in drawn)
        assert any("70 of 1,000" in line and "7 % measured" in line for line in drawn)

    def test_what_is_kept_of_another_call_than_the_last_says_of_which(self) -> None:
        conversation = Conversation([said("user", "hello")])
        for place in (None, 0, 0, 1, 7):
            cache = {"messages": 1, "tokens": 39, "total": 140, "call": place}
            conversation.record_call(
                wire={"cache": {**cache, "cause": "tools came: the cache breaks at 0"}}
            )
        story = ThreadCalls(conversation)
        story.catch_up()
        sheets = [WatchedSheet(one) for one in story.calls]
        assert [sheet.cache.source for sheet in sheets] == [None, None, 1, 2, None]
        drawn = [text_of(line) for line in explained_lines(sheets[2], None, 80)]
        (at,) = (row for row, line in enumerate(drawn) if "39 of 140" in line)
        assert drawn[at + 1].strip() == "What is kept began call 1 in the same way."

    def test_tools_that_vanish_are_named(self) -> None:
        library = MemoryLibrary()
        writer = Writer(library)
        talk = Talk(writer, "hello")
        talk.go_on(1)
        writer.send(*talk.rows, tools=TOOLS[:1], response=None, temperature=1)
        thread = thread_of(writer.sessions[0], library)
        sheet = WatchedSheet(thread.story.calls[1])
        assert (sheet.tools.before, sheet.tools.now) == (2, 1)
        assert sheet.tools.names("vanished") == ["agent"]
        drawn = "\n".join(map(text_of, explained_lines(sheet, None, 60)))
        assert "▲ tools  2 → 1, agent vanished" in drawn
        assert "▲ asked  temperature changed" in drawn

    def test_a_call_that_nobody_explained_says_what_was_done(self) -> None:
        conversation = Conversation([said("user", "hello")])
        odd = {"cache": {"tokens": "x", "changed": 5}, "noticed": 7, "explained": "?"}
        conversation.record_call(wire=odd)
        conversation.execute({"operation": "TRUNCATE", "keepLast": 0})
        conversation.record_call()
        conversation.record_call(outcome="cut")
        story = ThreadCalls(conversation)
        story.catch_up()
        assert [one.done for one in story.calls] == [
            *("START", "TRUNCATE keepLast 0", "the same messages as before"),
        ]
        for one in story.calls:
            assert explained_lines(WatchedSheet(one), "it is gone", 40)


@pytest.mark.parametrize("width", [8, 30, 54, 80, 150])
@pytest.mark.parametrize("title", ["coder", HOSTILE[:150]])
def test_everything_fits_its_width(width: int, title: str) -> None:
    thread = coder("x")
    thread.session._details = thread.session._details._replace(title=title)
    told = thread.story.calls[4]
    sheet = WatchedSheet(told)
    threads = ThreadSource(run_tree([thread]), LONG_AGO + 5_000)
    calls, batches = CallSource(thread.story, 5), BatchSource(thread.story, thread.look, 1)
    where = Where(title, 5, 6, True, 3)
    exact = [
        *(threads.line(at, width) for at in range(len(threads))),
        *threads.below(1, width),
        *(calls.line(at, width) for at in range(len(calls))),
        *(batches.line(at, width) for at in range(len(batches))),
        bar_line(where, width),
        bar_line(where._replace(is_past=False), width),
        bar_line(where._replace(merging=title), width),
        sent_line(sheet.look, width),
    ]
    if width > 50:
        assert {cell_len(text_of(line)) for line in exact} == {width}
    for line in (*explained_lines(sheet, None, width), *plot_lines(thread.story, title, 5, width)):
        assert cell_len(text_of(line)) <= max(width, 12)


@pytest.mark.parametrize(
    ("apart", "said"),
    [(0, "now"), (999, "now"), (2_000, "2 s"), (59_999, "59 s"), (60_000, "1 min"), (-5, "now")],
)
def test_how_long_ago_is_told_to_the_second(apart: int, said: str) -> None:
    assert since(1_000_000, 1_000_000 + apart) == said


def test_blocks_and_plot_show_what_was_cached() -> None:
    story = coder().story
    calls = story.calls
    assert text_of(call_blocks(calls, 20)) == "▇ ▇ ▇ ▇ ▁ ▇ "
    assert text_of(call_blocks(calls, 8)) == "▇▇▇▇▁▇"
    assert text_of(call_blocks(calls, 3)) == "▇▁▇"
    plot = hit_plot(story.calls, 40, 4, 5)
    assert len(plot) == 5
    assert text_of(plot[-2]).startswith("████████████▂▂▂███")
    assert text_of(plot[-1]).rstrip() == "1            ┴5  6"
    assert hit_plot([], 40, 4) == []
    assert again_words(story) == "1 of 5 calls re-sent most of their prompt uncached."


def test_a_long_run_is_plotted_around_the_call_that_is_looked_at() -> None:
    library = MemoryLibrary()
    writer = Writer(library)
    Talk(writer, "hello").go_on(40)
    story = thread_of(writer.sessions[0], library).story
    newest = text_of(hit_plot(story.calls, 26, 3)[-1]).split()
    assert newest == ["21", "40"]
    assert text_of(hit_plot(story.calls, 26, 3, 10)[-1]).split() == ["1", "┴10", "20"]


def test_the_bar_says_what_is_looked_at_and_what_came_meanwhile() -> None:
    where = Where("coder", 38, 41, True, 3)
    words = " ".join(text_of(bar_line(where, 90)).split())
    assert words == "● VIEWING CALL 38 OF 41 coder, read-only 3 new f follow esc to 41"
    assert "3 new" in text_of(bar_line(where, 30))
    assert "RECORDING THE CALLS AGAIN" in text_of(bar_line(where._replace(is_busy=True), 60))
    assert "call 41, the newest" in text_of(bar_line(where._replace(is_past=False), 60))
