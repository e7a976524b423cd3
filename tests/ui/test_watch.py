"""Watch: who writes what right now, as it grows, and the way into it and back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

import ctxtui
from ctxtui.app import CtxtuiApp
from ctxtui.calls.screen import CallScreen
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.watch.models import RunHead, ThreadNode, run_tree
from ctxtui.watch.screen import WatchScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from tests.core.requests.traffic import answer, called, result, said
from tests.storage.samples import append
from tests.ui.hostility import HOSTILE
from tests.ui.opening import LONG_AGO, painted, tour
from tests.ui.recorded_threads import SYSTEM, TOOLS, Talk, Writer, cut_talk, run_with_agents
from tests.ui.test_library import wait
from tests.ui.test_library_choosing import screen_of

TIMELINE = "#watch-batches"


@asynccontextmanager
async def watching(
    library: Library, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], WatchScreen]]:
    app = CtxtuiApp(library=library, home="watch")
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await wait(pilot)
        assert isinstance(app.screen, WatchScreen)
        yield pilot, app.screen


def at_work(title: str = "coder", library: Library | None = None, clock: int = LONG_AGO) -> Session:
    """Return a session that is being written, with calls of which every third is not cached."""
    conversation = Conversation(tour().log, clock=lambda: clock)
    session = (library or MemoryLibrary()).create(conversation, title=title)
    for number in range(7):
        call(session, number)
    session.execute({"operation": "TRUNCATE", "removeFirst": 4, "keepSystem": True})
    call(session, 7)
    return session


def call(session: Session, number: int) -> None:
    usage = {"input": 1_000, "cached": 50 if number % 3 == 0 else 930}
    session.conversation.record_call(model="qwen3", usage=usage)
    session.execute(append(f"after call {number}"))


async def look(pilot: Pilot[str], screen: WatchScreen) -> None:
    screen.look()
    await wait(pilot)


async def test_what_is_written_is_listed_with_its_figures_and_followed() -> None:
    library = MemoryLibrary()
    writer = at_work("coder", library)
    library.create(tour(), title="nobody writes this").close()
    async with watching(library) as (pilot, screen):
        drawn = painted(screen)
        assert "● live  1 session written" in drawn
        assert "coder" in drawn
        assert "nobody writes this" not in drawn
        assert "TRUNCATE" in drawn
        assert "calls re-sent most of their" in drawn
        call(writer, 8)
        await look(pilot, screen)
        assert "9 calls" in painted(screen)
        writer.close()
        await look(pilot, screen)
        assert "no session is written right now" in painted(screen)
        assert "○ coder" in painted(screen)


async def test_enter_opens_and_follows_and_the_way_back_leads_here() -> None:
    library = MemoryLibrary()
    writer = at_work("coder", library)
    async with watching(library) as (pilot, _):
        await pilot.press("enter")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.live is not None
        assert "esc watch" in painted(inspector)
        writer.execute(append("while it is followed"))
        inspector.live.look()
        await wait(pilot)
        assert "while it is followed" in painted(inspector)
        seen: list[object] = []
        for key in ("O", "O", "W", "escape"):
            await pilot.press(key)
            await wait(pilot)
            seen.append(type(pilot.app.screen))
        assert seen == [WatchScreen, LibraryScreen, WatchScreen, LibraryScreen]


async def test_no_row_moves_as_sessions_grow_and_new_ones_come_on_top() -> None:
    times = iter(range(1_000, 10_000_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times))
    first, second = at_work("first", library), at_work("second", library)
    async with watching(library) as (pilot, screen):
        threads = screen.query_one("#threads", LineList)
        await pilot.press("j")
        assert screen.thread is not None
        assert screen.thread.session.title == "first"
        first.execute(append("newer"))
        await look(pilot, screen)
        assert shown(screen) == ["second", "first"]
        at_work("third", library)
        await look(pilot, screen)
        assert shown(screen) == ["third", "second", "first"]
        assert (threads.cursor, screen.thread.session.title) == (2, "first")
        second.abandon()


async def test_nothing_written_is_said_in_words() -> None:
    async with watching(MemoryLibrary()) as (pilot, screen):
        assert "no session is written right now" in painted(screen)
        assert "No program is writing a session" in painted(screen)
        await pilot.press("enter", "j", "G")
        assert pilot.app.screen is screen


async def test_a_folder_that_is_no_library_is_told(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    async with watching(Library(tmp_path)) as (_, screen):
        assert "is not a library" in (screen.watching.problem or "")
        assert "letters.txt" in painted(screen)


# One thread, call by call


def shown(screen: WatchScreen) -> list[str]:
    """Return what the list of threads says, without figures."""
    told = []
    for node in run_tree(screen.watching.threads, screen._opened):
        told.append(node.name if isinstance(node, RunHead) else node.thread.title)
    return told


async def press(pilot: Pilot[str], *keys: str) -> None:
    await pilot.press(*keys)
    await wait(pilot)


def looked_at(screen: WatchScreen) -> int:
    assert screen.thread is not None
    told = screen.cursor.call(screen.thread)
    assert told is not None
    return told.number


async def test_threads_are_a_tree_and_side_calls_are_one_line_that_opens() -> None:
    library = MemoryLibrary()
    run_with_agents(library)
    async with watching(library) as (pilot, screen):
        drawn = painted(screen)
        for said in ("coder.py", "└─ ┄ 2 side calls  1 token count, 1 attempt", "├─ ○ Find every"):
            assert said in drawn
        assert "2 conversations   5 threads   12 requests" in drawn
        threads = screen.query_one("#threads", LineList)
        assert threads.cursor == 1
        await press(pilot, "k", "g")
        assert threads.cursor == 1
        await press(pilot, "j", "j", "enter")
        assert "attempts that came to nothing" in painted(screen)
        await press(pilot, "j")
        assert screen.chosen is not None
        assert screen.chosen.title == "attempts that came to nothing"
        await press(pilot, "k", "left")
        assert "attempts that came to nothing" not in painted(screen)
        await press(pilot, "right")
        assert "attempts that came to nothing" in painted(screen)


async def test_a_list_that_was_scrolled_stays_where_it_is_while_threads_grow() -> None:
    library = MemoryLibrary()
    writer = Writer(library)
    talks = [Talk(writer, f"Do {name}.", tag=name) for name in "abcdefghijkl"]
    for talk in talks:
        talk.go_on(1)
    async with watching(library) as (pilot, screen):
        threads = screen.query_one("#threads", LineList)
        threads.scroll_to(y=9, animate=False, force=True)
        await pilot.pause()
        talks[0].go_on(2)
        await look(pilot, screen)
        assert screen.thread is not None
        assert (threads.scroll_offset.y, screen.thread.figures.calls) == (9, 3)


async def test_an_agent_that_is_found_out_later_moves_below_its_caller() -> None:
    library = MemoryLibrary()
    writer = Writer(library)
    calls = called("c1", '{"task": 5}', name="agent")
    rows = [SYSTEM, said("user", "Where is the limit?")]
    found = "It is in settings.py and in retry.py, and nowhere else."
    writer.send(*rows, response=answer(calls), tools=TOOLS, tag="coder")
    writer.send(said("user", "Find the limit."), response=answer(found))
    async with watching(library) as (pilot, screen):
        await press(pilot, "j")
        node = screen.node
        assert isinstance(node, ThreadNode)
        assert (node.thread.title, node.depth) == ("Find the limit.", 0)
        writer.send(*rows, calls, result("c1", found), response=None, tools=TOOLS, tag="coder")
        await look(pilot, screen)
        node = screen.node
        assert isinstance(node, ThreadNode)
        assert (node.thread.title, node.depth, node.state(0)) == ("Find the limit.", 1, "done")


async def test_a_merge_that_fails_oddly_is_told_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        monkeypatch.setattr("ctxtui.watch.models.merge_threads", failing)
        await press(pilot, "m", "j", "enter")
        assert "Failed to change the threads: ZeroDivisionError" in painted(screen)
        assert shown(screen) == ["coder.py", "one", "two"]
        assert not screen.is_busy


async def test_the_past_stays_in_sight_while_news_come_and_the_end_follows_again() -> None:
    library = MemoryLibrary()
    talk = cut_talk(library, 4, 3)
    async with watching(library) as (pilot, screen):
        assert looked_at(screen) == 7
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert "VIEWING CALL 5 OF 7" in painted(screen)
        assert "TRUNCATE" in painted(screen)
        sent = screen.query_one("#sent", LineList)
        before = (sent.source, sent.cursor, sent.scroll_offset)
        talk.go_on(2)
        await look(pilot, screen)
        assert "VIEWING CALL 5 OF 9" in painted(screen)
        assert "2 new" in painted(screen)
        assert (sent.source, sent.cursor, sent.scroll_offset) == before
        await press(pilot, "f")
        assert looked_at(screen) == 9
        assert "call 9, the newest" in painted(screen)
        await press(pilot, "5", "k", "k")
        assert looked_at(screen) == 7
        await press(pilot, "G")
        talk.go_on(1)
        await look(pilot, screen)
        assert looked_at(screen) == 10
        await press(pilot, "h", "escape")
        assert (type(pilot.app.screen), looked_at(screen)) == (WatchScreen, 10)
        await press(pilot, "escape")
        assert type(pilot.app.screen) is LibraryScreen


async def test_who_reads_the_newest_call_goes_on_reading_it() -> None:
    library = MemoryLibrary()
    talk = cut_talk(library, 2, 2)
    async with watching(library) as (pilot, screen):
        await press(pilot, "2")
        talk.go_on(3)
        await look(pilot, screen)
        assert looked_at(screen) == 4
        assert "VIEWING CALL 4 OF 7" in painted(screen)
        assert "3 new" in painted(screen)
        await press(pilot, "f", "1")
        talk.go_on(1)
        await look(pilot, screen)
        assert looked_at(screen) == 8


async def test_the_timeline_leads_to_the_call_that_opened_a_batch() -> None:
    library = MemoryLibrary()
    cut_talk(library, 3, 2)
    async with watching(library) as (pilot, screen):
        await press(pilot, "4")
        assert screen.query_one(TIMELINE, LineList).has_focus
        assert looked_at(screen) == 5
        await press(pilot, "k")
        assert looked_at(screen) == 1
        await press(pilot, "j")
        assert looked_at(screen) == 4
        assert "3 Call 4 explained" in painted(screen)


async def test_enter_opens_a_thread_at_the_call_that_is_looked_at() -> None:
    library = MemoryLibrary()
    talk = cut_talk(library, 3, 2)
    async with watching(library) as (pilot, _):
        await press(pilot, "5", "g", "enter")
        call = pilot.app.screen
        assert isinstance(call, CallScreen)
        assert call.sheet.number == 1
        await press(pilot, "enter")
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert not inspector.look.is_live
        assert inspector.look.batch.number == 0
        talk.go_on(1)
        assert inspector.live is not None
        inspector.live.look()
        await wait(pilot)
        assert inspector.look.batch.number == 0


@pytest.mark.parametrize("keys", ["5 G enter", "3 enter"], ids=["among calls", "explained"])
async def test_enter_shows_the_newest_call_whole_too(keys: str) -> None:
    library = MemoryLibrary()
    cut_talk(library, 3, 2)
    async with watching(library) as (pilot, _):
        await press(pilot, *keys.split())
        call = pilot.app.screen
        assert isinstance(call, CallScreen)
        assert call.sheet.number == 5
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, WatchScreen)


def two_threads(library: Library) -> None:
    """Record two conversations of a run that has ended."""
    writer = Writer(library)
    one, two = (Talk(writer, f"Do {name}.", tag=name) for name in ("one", "two"))
    one.go_on(2)
    two.go_on(3)
    one.go_on(2)
    writer.close()


async def test_threads_are_merged_by_picking_and_that_is_taken_back() -> None:
    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        assert shown(screen) == ["coder.py", "one", "two"]
        await press(pilot, "m")
        assert "MERGE one INTO one" in painted(screen)
        await press(pilot, "enter")
        assert "This is the thread itself" in painted(screen)
        await press(pilot, "j", "enter")
        assert shown(screen) == ["coder.py", "two"]
        assert screen.thread is not None
        assert (screen.thread.title, screen.thread.figures.calls) == ("two", 7)
        assert "Merged: one into two" in painted(screen)
        assert {entry.title for entry in library.list()} == {"two"}
        await press(pilot, "u")
        assert shown(screen) == ["coder.py", "one", "two"]
        assert sorted(thread.figures.calls for thread in screen.watching.threads) == [3, 4]
        await press(pilot, "m", "escape", "u")
        assert shown(screen) == ["coder.py", "one", "two"]
        assert "Nothing was changed here yet" in painted(screen)


async def test_a_thread_is_split_at_the_call_that_is_looked_at_and_that_is_taken_back() -> None:
    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        await press(pilot, "u")
        assert "Nothing was changed here yet" in painted(screen)
        await press(pilot, "s")
        assert "The newest call is selected" in painted(screen)
        assert len(library.list()) == 2
        await press(pilot, "5", "g", "s")
        assert "The first call is selected" in painted(screen)
        await press(pilot, "j", "j", "s")
        assert shown(screen) == ["coder.py", "one", "two", "one from call 3"]
        assert screen.thread is not None
        assert screen.thread.title == "one from call 3"
        assert sorted(thread.figures.calls for thread in screen.watching.threads) == [2, 2, 3]
        await press(pilot, "u")
        assert shown(screen) == ["coder.py", "one", "two"]
        assert len(library.list()) == 2


async def test_a_thread_is_renamed_and_that_is_taken_back() -> None:
    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        await press(pilot, "r", "ctrl+u", *"tea [/b]", "enter")
        await look(pilot, screen)
        assert shown(screen) == ["coder.py", "tea [/b]", "two"]
        assert "tea [/b]" in painted(screen)
        await press(pilot, "u")
        assert shown(screen) == ["coder.py", "one", "two"]


@pytest.mark.parametrize("key", ["m", "s", "r"])
async def test_what_another_program_writes_is_not_changed(key: str) -> None:
    library = MemoryLibrary()
    Talk(Writer(library), "hello", tag="one").go_on(3)
    async with watching(library) as (pilot, screen):
        await press(pilot, "h", key)
        assert "one is being written by" in painted(screen)
        assert screen.merging is None
        assert not screen.query_one(Prompt).is_open


async def test_a_session_that_somebody_opens_meanwhile_is_refused_and_stays() -> None:
    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        await press(pilot, "m", "j")
        held = library.open(screen.watching.threads[0].session.id)
        await press(pilot, "enter")
        shown = painted(screen)  # The watcher may have seen the other program before the key.
        assert "is open in" in shown or "is being written by" in shown
        held.close()
        assert len(library.list()) == 2
        assert library.trash.ids() == []


async def test_keys_in_a_burst_do_one_after_the_other() -> None:
    library = MemoryLibrary()
    two_threads(library)
    async with watching(library) as (pilot, screen):
        await press(pilot, *"mj", "enter", *"um", "escape", *"hhs")
        assert shown(screen) == ["coder.py", "one", "two", "one from call 2"]


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 12)])
async def test_hostile_names_are_only_shown(size: tuple[int, int]) -> None:
    library = MemoryLibrary()
    writer = Writer(library, program=HOSTILE[:120])
    Talk(writer, HOSTILE, model=HOSTILE[:60]).go_on(2)
    async with watching(library, size) as (pilot, screen):
        await press(pilot, "h", "tab", "tab", "tab", "tab", "tab")
        drawn = painted(screen)
        assert "\x1b" not in drawn
        assert pilot.app.screen is screen


# Room, the way back, and nothing to watch


async def test_escape_in_a_call_returns_to_watch_and_the_timeline_outlives_resizing() -> None:
    library = MemoryLibrary()
    at_work("coder", library)
    async with watching(library) as (pilot, screen):
        await press(pilot, "5", "enter")
        await wait(pilot)
        assert isinstance(pilot.app.screen, CallScreen)
        await pilot.resize_terminal(80, 24)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, WatchScreen)
        await pilot.resize_terminal(140, 42)
        await wait(pilot)
        assert screen.query_one(TIMELINE).region.height
        assert "TRUNCATE" in painted(screen)


async def test_lists_are_as_tall_as_what_they_show_up_to_their_share() -> None:
    library = MemoryLibrary()
    at_work("coder", library)
    async with watching(library) as (pilot, screen):
        threads, batches = (screen.query_one(name, LineList) for name in ("#threads", TIMELINE))
        small = threads.region.height
        assert batches.region.height == len(batches.source) + 3
        for number in range(20):
            at_work(f"other {number}", library)
        await look(pilot, screen)
        assert threads.region.height > small
        assert screen.query_one("#cache-hits").region.bottom <= screen.query_one(KeyFooter).region.y


async def test_an_empty_watch_says_what_to_run_and_copies_it() -> None:
    async with watching(MemoryLibrary()) as (pilot, screen):
        assert screen.command in painted(screen)
        assert painted(screen).count("library │") == 1  # The way back, once.
        await press(pilot, "y")
        assert pilot.app.clipboard == screen.command
        assert screen.command.startswith("ctxtui capture ")
        at_work("coder", library=screen.library)
        await look(pilot, screen)
        assert "4 Timeline" in painted(screen)
        assert screen.command not in painted(screen)


def test_no_id_is_styled_by_the_sheets_of_two_screens() -> None:
    sheets: dict[str, set[str]] = {}
    for path in Path(ctxtui.__file__).parent.rglob("*.tcss"):
        for selector in re.findall(r"([^{}]+)\{", path.read_text(encoding="utf-8")):
            for one in selector.split(","):
                if not re.match(r"\s*(.-ascii )?([A-Z]\w*Screen|#bulk-)", one):
                    for id in re.findall(r"#([\w-]+)", one):
                        sheets.setdefault(id, set()).add(path.name)
    shared = {id for id, names in sheets.items() if len(names - {"styles.tcss"}) > 1}
    assert not shared


def test_no_rule_of_a_feature_is_for_the_classes_of_all_screens() -> None:
    """A rule for a class alone would be for every screen that ever uses the name."""
    for path in Path(ctxtui.__file__).parent.glob("*/*.tcss"):
        sheet = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        depth = 0
        for selector, end in re.findall(r"([^{}]*)([{}])", sheet):
            if end == "{" and not depth:
                for one in selector.split(","):
                    assert re.search(r"#[a-z]|\b[A-Z]\w+", one), f"{path.name}: {one.strip()}"
            depth += 1 if end == "{" else -1


async def test_coming_back_restores_cursor_and_scroll_of_the_library_and_of_watch() -> None:
    library = MemoryLibrary()
    for number in range(60):
        at_work(f"session {number}", library)
    app = CtxtuiApp(library=library)
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        home = screen_of(app)
        await press(pilot, *"G", *"k" * 20)
        place = (home.listed.key, home.listed.scroll_y)
        assert place[1] > 0
        await press(pilot, "W")
        await wait(pilot)
        await press(pilot, *"jjj")
        there = app.screen.query_one("#threads", LineList).key
        await press(pilot, "escape")
        await wait(pilot)
        listed = screen_of(app).listed
        assert (listed.key, listed.scroll_y) == place
        await press(pilot, "W")
        await wait(pilot)
        assert app.screen.query_one("#threads", LineList).key == there
