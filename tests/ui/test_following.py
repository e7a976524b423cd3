"""A session that somebody else writes moves on under the eyes of a reader, never under the hand."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.following import follow_file
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.screen import InspectorScreen
from tests.core.formats.test_tail import add, rows
from tests.core.requests.traffic import FOLDER, RECORDINGS
from tests.settling import idle
from tests.storage.processes import worker
from tests.storage.samples import append, small
from tests.ui.opening import lines, listed, painted, toasts, tour
from tests.ui.test_bursts import burst
from tests.ui.test_library import wait


@asynccontextmanager
async def following(
    start: Any, size: tuple[int, int] = (140, 42), library: Library | None = None
) -> AsyncIterator[tuple[Pilot[str], InspectorScreen]]:
    app = CtxtuiApp(start, library)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await wait(pilot)
        assert isinstance(app.screen, InspectorScreen)
        assert app.screen.live is not None
        yield pilot, app.screen


def watched(library: Library | None = None) -> tuple[Session, Session]:
    """Return a session of the tour that is being written, and the same one as another sees it."""
    library = MemoryLibrary() if library is None else library
    writer = library.create(tour(), title="tea")
    return writer, library.open(writer.id, read_only=True)


async def look(pilot: Pilot[str], screen: InspectorScreen) -> None:
    """Let the app see what has come, without waiting for its timer."""
    assert screen.live is not None
    await wait(pilot)  # The look of its timer may be under way, and have read too early.
    screen.live.look()
    await wait(pilot)
    await idle(pilot)  # What has come is saved, too.


def head(screen: InspectorScreen) -> str:
    return lines(screen, "tabs")[0]


def keys(screen: InspectorScreen) -> str:
    return lines(screen, "keys")[0]


async def test_panes_move_on_at_the_present_without_a_toast() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        assert "read-only  ● live" in head(screen)
        writer.execute(append("something new"))
        writer.execute({"operation": "TRUNCATE", "keepLast": 3})
        await look(pilot, screen)
        assert screen.conversation == writer.conversation
        assert "something new" in "\n".join(lines(screen, "visible"))
        assert "keepLast 3" in "\n".join(lines(screen, "timeline"))
        assert "batch 4 of 4" in painted(screen)
        assert toasts(pilot) == ""
        assert "new" not in head(screen)


async def test_a_cursor_at_the_end_moves_with_it_and_any_other_stays_on_its_message() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        visible = listed(screen, "visible")
        assert visible.cursor == len(visible.source) - 1
        writer.execute(append("one more"))
        await look(pilot, screen)
        assert visible.cursor == len(visible.source) - 1
        assert screen.explorer.raw == len(writer.conversation.log) - 1
        await pilot.press("k", "k", "space")
        key, selected = visible.key, set(visible.selected)
        top = visible.scroll_offset.y
        writer.execute(append("another", "and another"))
        writer.execute({"operation": "TRUNCATE", "removeFirst": 1})
        await look(pilot, screen)
        assert (visible.key, set(visible.selected), visible.scroll_offset.y) == (key, selected, top)
        assert screen.explorer.raw == key
        await pilot.press("G")
        writer.execute(append("the end"))
        await look(pilot, screen)
        assert visible.cursor == len(visible.source) - 1


async def test_nothing_moves_while_the_past_is_looked_at_and_the_news_are_counted() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        await pilot.press("left_square_bracket", "1", "g", "j")
        rows_before, raw = lines(screen, "raw"), screen.explorer.raw
        for text in ("one", "two", "three"):
            writer.execute(append(text))
        await look(pilot, screen)
        assert lines(screen, "raw") == rows_before
        assert screen.explorer.raw == raw
        assert "3 new  f follow" in lines(screen, "viewing")[0]
        assert "● live  3 new" in head(screen)
        assert "f 3 new" in keys(screen)
        await pilot.press("f")
        assert screen.look.is_live
        assert "three" in "\n".join(lines(screen, "visible"))
        assert "new" not in head(screen)
        assert "new" not in keys(screen)


async def test_escape_and_the_last_batch_lead_back_to_what_is_written() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        for key in ("escape", "right_square_bracket"):
            await pilot.press("left_square_bracket")
            writer.execute(append(f"before {key}"))
            await look(pilot, screen)
            assert screen.explorer.news == 1
            await pilot.press(key)
            assert screen.look.is_live
            assert screen.explorer.news == 0
            assert f"before {key}" in painted(screen)


async def test_the_player_stands_still_and_has_what_came_ahead_of_it() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        await pilot.press("7", "left", "left")
        frame = screen.explorer.views.player.frame
        assert frame is not None
        place, count = frame.place, len(writer.conversation.journal)
        writer.execute(append("one"))
        writer.execute(append("two"))
        await look(pilot, screen)
        player = screen.explorer.views.player
        assert player.frame is not None
        assert player.frame.place == place
        assert "2 new" in head(screen)
        await pilot.press("G")
        assert player.frame.place == count + 1
        assert "new" not in head(screen)


async def test_keys_in_a_burst_take_effect_in_order_while_much_comes() -> None:
    library = MemoryLibrary()
    writer, reader = watched(library)
    stop = threading.Event()

    def write() -> None:
        for number in range(400):
            if stop.is_set():
                return
            writer.execute(append(f"text {number}"))

    async with following(reader) as (pilot, screen):
        thread = threading.Thread(target=write)
        thread.start()
        try:
            for _ in range(5):
                await burst(pilot, "1", "g", "j", "j", "3", "2", "g", "j")
                assert screen.explorer.raw == listed(screen, "visible").source.key(1)
                assert screen.focused is listed(screen, "visible")
                await look(pilot, screen)
                assert screen.explorer.raw == listed(screen, "visible").source.key(1)
                assert screen.focused is listed(screen, "visible")
        finally:
            stop.set()
            thread.join()
        await look(pilot, screen)
        await look(pilot, screen)
        assert screen.conversation == writer.conversation


async def test_another_process_is_followed_and_its_end_is_told(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    with library.create(small(), title="tea") as made:
        id = made.id
    with worker("hold", library.folder, id) as other:
        other.answer()
        async with following(library.open(id, read_only=True)) as (pilot, screen):
            other.ask("from-another-process")
            other.answer()
            await look(pilot, screen)
            assert "from-another-process" in painted(screen)
            assert "● live" in head(screen)
            other.process.kill()
            other.process.wait()
            await look(pilot, screen)
            assert "○ ended" in head(screen)
            assert toasts(pilot) == ""


async def test_what_ends_following_is_told_once(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    writer, reader = watched(library)
    async with following(reader) as (pilot, screen):
        writer.execute(append("one"))
        journal = library.folder / f"{writer.id}.journal"
        journal.write_bytes(journal.read_bytes().replace(b"one", b"ONE"))
        await look(pilot, screen)
        assert toasts(pilot).count("is no longer followed") == 1
        assert "▲ not followed" in head(screen)
        await look(pilot, screen)
        assert len(screen.conversation.log) == len(tour().log)


async def test_nothing_comes_while_another_screen_is_on_top() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        await pilot.press("equals_sign")
        await wait(pilot)
        assert isinstance(pilot.app.screen, DiffScreen)
        before = len(screen.conversation.journal)
        writer.execute(append("one"))
        await look(pilot, screen)
        assert len(screen.conversation.journal) == before
        await pilot.press("escape")
        await look(pilot, screen)
        assert len(screen.conversation.journal) == before + 1


async def test_a_message_that_is_read_stays_where_it_was_scrolled_to() -> None:
    writer, reader = watched()
    async with following(reader) as (pilot, screen):
        writer.execute(append("\n".join(f"line {number}" for number in range(200))))
        await look(pilot, screen)
        await pilot.press("3", "G")
        await pilot.pause()
        message = screen.query_one("#message")
        top = message.scroll_offset.y
        assert top > 0
        writer.execute(append("another"))
        await look(pilot, screen)
        await pilot.pause()
        assert message.scroll_offset.y == top
        assert screen.explorer.raw == len(writer.conversation.log) - 2


async def test_the_key_is_told_only_where_somebody_writes() -> None:
    _, reader = watched()
    async with following(reader) as (pilot, screen):
        assert "f follow" in keys(screen)
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        assert "Go to the newest message" in painted(pilot.app.screen)


async def test_a_growing_file_fills_its_session_which_is_saved(tmp_path: Path) -> None:
    path, library = tmp_path / "chat.jsonl", Library(tmp_path / "library")
    path.write_bytes(rows("one"))
    async with following(follow_file(library, str(path)), library=library) as (pilot, screen):
        assert "read-only  ● live" in head(screen)
        add(path, rows("two"))
        await look(pilot, screen)
        assert [one.text for one in screen.conversation.visible] == ["one", "two"]
        assert screen.session.is_saved
        path.write_bytes(b"")
        await look(pilot, screen)
        assert "is no longer followed: it was cut short" in toasts(pilot)
    assert len(library.open(screen.session.id, read_only=True).conversation.log) == 2


CHAT = rows("one", "two", "three")
REQUESTS = (FOLDER / f"{RECORDINGS[0]}.jsonl").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("given", "more"),
    [(CHAT, rows("four")), (REQUESTS[0], REQUESTS[1])],
    ids=["messages", "requests"],
)
async def test_a_growing_file_is_read_only_and_goes_on_whatever_is_pressed(
    given: bytes, more: bytes, tmp_path: Path
) -> None:
    path, library = tmp_path / "chat.jsonl", Library(tmp_path / "library")
    path.write_bytes(given)
    async with following(follow_file(library, str(path)), library=library) as (pilot, screen):
        offered = keys(screen).split()
        assert not {"append", "insert", "replace", "truncate", "compress", "undo"} & set(offered)
        before = screen.conversation.copy()
        for key in ("d", "a", "t", "u", "S", "w"):
            await pilot.press(key)
            await wait(pilot)
            assert pilot.app.screen is screen
            told = toasts(pilot)
            assert "Read-only: it grows with chat.jsonl; O and then D makes a copy" in told
        await pilot.press("ctrl+s")
        await wait(pilot)
        assert screen.conversation == before
        add(path, more)
        await look(pilot, screen)
        assert screen.conversation != before
        assert "read-only  ● live" in head(screen)


async def test_the_way_to_a_copy_that_a_refusal_names_leads_to_one(tmp_path: Path) -> None:
    path, library = tmp_path / "chat.jsonl", Library(tmp_path / "library")
    path.write_bytes(CHAT)
    async with following(follow_file(library, str(path)), library=library) as (pilot, _):
        for key in ("O", "D"):
            await pilot.press(key)
            await wait(pilot)
    assert [one.title for one in library.list()].count("chat.jsonl (copy)") == 1
