"""Watch: who writes what right now, as it grows, and the way into it and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from core import Conversation
from core.storage import Library, MemoryLibrary, Session
from ctxtui.app import CtxtuiApp
from ctxtui.models.watching import Lane
from ctxtui.render.watch.hits import again_words, call_blocks, hit_plot
from ctxtui.render.watch.lane import lane_lines
from ctxtui.render.watch.rows import first_row, second_row, since
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.watch import WatchScreen
from ctxtui.widgets.line_list import LineList
from tests.storage.samples import append
from tests.ui.hostility import HOSTILE
from tests.ui.opening import LONG_AGO, painted, tour
from tests.ui.test_library import wait


@asynccontextmanager
async def watching(
    library: Library, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], WatchScreen]]:
    app = CtxtuiApp(library=library, is_watching=True)
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
        assert "35 messages" in drawn
        assert "TRUNCATE removeFirst 4" in drawn
        assert "3 of 8 measured calls paid for most of the prompt again." in drawn
        call(writer, 8)
        await look(pilot, screen)
        assert "36 messages" in painted(screen)
        assert "9 on this path" in painted(screen)
        writer.close()
        await look(pilot, screen)
        assert "no session is written right now   1 ended" in painted(screen)
        assert "nobody writes it any more" in painted(screen)


async def test_enter_opens_and_follows_and_the_way_back_leads_here() -> None:
    library = MemoryLibrary()
    writer = at_work("coder", library)
    async with watching(library) as (pilot, _):
        await pilot.press("enter")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.live is not None
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
        lanes = screen.query_one(LineList)
        await pilot.press("j")
        assert screen.lane is not None
        assert screen.lane.session.title == "first"
        first.execute(append("newer"))
        await look(pilot, screen)
        assert [one.session.title for one in screen.watching.lanes] == ["second", "first"]
        at_work("third", library)
        await look(pilot, screen)
        titles = [one.session.title for one in screen.watching.lanes]
        assert titles == ["third", "second", "first"]
        assert (lanes.cursor, screen.lane.session.title) == (2, "first")
        second.abandon()


async def test_nothing_written_is_said_in_words() -> None:
    async with watching(MemoryLibrary()) as (pilot, screen):
        assert "no session is written right now" in painted(screen)
        assert "Nobody writes a session of this library" in painted(screen)
        await pilot.press("enter", "j", "G")
        assert pilot.app.screen is screen


async def test_a_folder_that_is_no_library_is_told(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    async with watching(Library(tmp_path)) as (_, screen):
        assert "is not a library" in (screen.watching.problem or "")
        assert "letters.txt" in painted(screen)


@pytest.mark.parametrize("width", [8, 30, 44, 60, 100])
@pytest.mark.parametrize("title", ["coder", HOSTILE, ""])
def test_rows_have_exactly_their_width(width: int, title: str) -> None:
    library = MemoryLibrary()
    lane = Lane(library.open(at_work(title or "x", library).id, read_only=True), "agent.py")
    drawn = [first_row(lane, LONG_AGO + 5_000, width), second_row(lane, width)]
    if width > 40:
        assert {cell_len("".join(piece.text for piece in line)) for line in drawn} == {width}
    for line in lane_lines(lane, width, 30):
        assert cell_len("".join(piece.text for piece in line)) <= width


@pytest.mark.parametrize(
    ("apart", "said"),
    [(0, "now"), (999, "now"), (2_000, "2 s"), (59_999, "59 s"), (60_000, "1 min"), (-5, "now")],
)
def test_how_long_ago_is_told_to_the_second(apart: int, said: str) -> None:
    assert since(1_000_000, 1_000_000 + apart) == said


def test_blocks_and_plot_show_what_was_cached() -> None:
    calls = list(at_work().conversation.calls)
    blocks = call_blocks(calls, 20)
    assert "".join(piece.text for piece in blocks) == "▁▇▇▁▇▇▁▇"
    assert [piece.kind for piece in blocks][:2] == ["error", "ok"]
    assert "".join(piece.text for piece in call_blocks(calls, 3)) == "▇▁▇"
    plot = hit_plot(calls, 40, 4)
    assert len(plot) == 4
    assert "".join(piece.text for piece in plot[-1]).startswith("▂██▂██▂█")
    assert hit_plot([], 40, 4) == []
    assert again_words([]) == ""
