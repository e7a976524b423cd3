"""The library in the app: sessions listed, opened, described, deleted; and always saved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.core.storage.disk import MemoryDisk
from ctxtui.files.samples import load_samples
from ctxtui.files.writing import usual_name
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.choosers import WRITABLE
from ctxtui.library.panes import SampleSource
from ctxtui.library.screen import LibraryScreen
from ctxtui.opening import ProblemScreen
from ctxtui.widgets.panes import TextPane
from ctxtui.widgets.prompt import Prompt
from tests.storage.failing import FailingDisk
from tests.ui.opening import lines, listed, opened, painted, refusal, toasts, tour

MOST_TURNS = 1_000
HOSTILE = "[/b] \x1b[31m \u202e 标题 \ud800"
MARKUP = "[/b] 标题 👩\u200d👧"


@asynccontextmanager
async def shown(
    library: Library, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], CtxtuiApp]]:
    app = CtxtuiApp(library=library)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, LibraryScreen)
        yield pilot, app


def filled(*titles: str) -> MemoryLibrary:
    """Return a library whose first title is the newest."""
    times = iter(range(1, 1_000_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times))
    for title in reversed(titles):
        messages = [{"role": "user", "content": title}]
        with library.create(Conversation(messages, clock=lambda: 1), title=title):
            pass
    return library


def titles(library: Library) -> list[str]:
    return [entry.title for entry in library.list()]


def is_on_its_way(app: CtxtuiApp) -> bool:
    """Tell whether a verdict, or what comes after it, leads to another session."""
    screen = app.screen
    return isinstance(screen, InspectorScreen) and screen.review.is_at_work


async def wait(pilot: Pilot[str]) -> None:
    """Wait for all work, and for keys that waited for some of it in their turn."""
    app = pilot.app
    assert isinstance(app, CtxtuiApp)
    for _ in range(MOST_TURNS):
        await pilot.pause()
        is_last = app.type_ahead.is_empty and not is_on_its_way(app)
        await app.workers.wait_for_complete()
        await pilot.pause()
        if is_last and all(worker.is_finished for worker in app.workers):
            return  # What was done in the background has led to nothing more.
        await asyncio.sleep(0)


def told(pilot: Pilot[str]) -> str:
    return toasts(pilot)


async def answer(pilot: Pilot[str], text: str) -> None:
    pilot.app.screen.query_one("#ask", Input).value = text
    await pilot.press("enter")
    await wait(pilot)


async def test_an_empty_library_offers_the_samples_and_opens_one() -> None:
    library = MemoryLibrary()
    async with shown(library) as (pilot, app):
        screen = app.screen
        assert screen.has_class("-first-run")
        listed_lines = "\n".join(
            screen.query_one("#sessions").render_line(y).text for y in range(9)
        )
        assert "fix-flaky-upload" in listed_lines
        await pilot.press("enter")
        await wait(pilot)
        assert isinstance(app.screen, InspectorScreen)
        assert len(app.screen.conversation.log) == 32
        await pilot.press("O")
        await wait(pilot)
        assert isinstance(app.screen, LibraryScreen)
        assert not app.screen.has_class("-first-run")
    assert titles(library) == ["fix-flaky-upload"]


async def test_a_session_is_opened_changed_and_there_again() -> None:
    library = filled("one", "two")
    async with shown(library) as (pilot, app):
        await pilot.press("j", "enter")
        await wait(pilot)
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        assert screen.session.title == "two"
        screen.change({"operation": "CLEAR"}, "Cleared")
        await wait(pilot)
        assert "✓ saved" in lines(screen, "tabs")[0]
        await pilot.press("O")
        await wait(pilot)
        await pilot.press("enter")
        await wait(pilot)
        again = app.screen
        assert isinstance(again, InspectorScreen)
        assert (again.session.title, len(again.conversation.view)) == ("two", 0)
        await pilot.press("u")
        assert len(again.conversation.view) == 1


async def test_sessions_are_described_duplicated_deleted_and_put_back() -> None:
    library = filled("one", "two")
    async with shown(library) as (pilot, _):
        await pilot.press("r")
        await answer(pilot, MARKUP)
        assert titles(library)[0] == MARKUP
        await pilot.press("t")
        await answer(pilot, "good, 好 ,")
        assert library.list()[0].tags == ("good", "好")
        await pilot.press("plus")
        await wait(pilot)
        assert library.list()[0].status == "accepted"
        await pilot.press("D")
        await wait(pilot)
        assert len(library.list()) == 3
        await pilot.press("g", "d")
        await wait(pilot)
        assert len(library.list()) == 2
        assert "trash" in told(pilot)
        await pilot.press("u")
        await wait(pilot)
        assert len(library.list()) == 3
        await pilot.press("n")
        await wait(pilot)
        assert "untitled" in titles(library)


async def test_a_filter_shows_some_and_an_empty_one_all() -> None:
    async with shown(filled("apple", "pear", "plum")) as (pilot, app):
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        await pilot.press("&")
        await answer(pilot, "P")
        assert len(screen.entries) == 3
        await pilot.press("&")
        await answer(pilot, "lum")
        assert [entry.title for entry in screen.entries] == ["plum"]
        await pilot.press("&", "escape")
        assert len(screen.entries) == 1
        await pilot.press("&")
        await answer(pilot, "")
        assert len(screen.entries) == 3


async def test_a_filter_acts_while_it_is_typed_and_earlier_ones_come_back() -> None:
    async with shown(filled("apple", "pear", "plum")) as (pilot, app):
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        prompt = screen.query_one(Prompt)

        def found() -> list[str]:
            return [entry.title for entry in screen.entries]

        await pilot.press("&", "p", "l")
        assert set(found()) == {"apple", "plum"}
        assert "2 of 3" in str(prompt.line.border_subtitle)
        await pilot.press("u")
        assert found() == ["plum"]
        await pilot.press("escape")
        assert len(found()) == 3  # Leaving takes it back.
        await pilot.press("&")
        prompt.line.value = "lint:"
        await pilot.pause()
        assert len(found()) == 3  # What can't be read yet changes nothing.
        await pilot.press("escape", "&", "e", "a", "r", "enter", "&")
        assert found() == ["pear"]
        prompt.line.value = ""
        await pilot.press("up")
        assert prompt.line.value == "ear"


async def test_a_long_title_takes_the_room_of_the_preview_and_leaves_the_count() -> None:
    title = "A conversation whose title is longer than thirty cells, but not much"
    for size in ((80, 24), (140, 42)):
        async with shown(filled(title), size=size) as (_, app):
            border = Content.from_markup(
                str(app.screen.query_one("#entry", TextPane).border_title)
            ).plain.rstrip()
            assert border.endswith("1 of 1")
            assert border.startswith(f" {title[: 55 if size[0] == 80 else 20]}")


async def test_a_file_is_imported_once_and_a_bad_one_says_why(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi"}]), encoding="utf-8")
    library = MemoryLibrary()
    async with shown(library) as (pilot, app):
        for _ in range(2):
            await pilot.press("i")
            await answer(pilot, str(path))
        assert titles(library) == ["chat.json"]
        await pilot.press("i")
        await answer(pilot, str(tmp_path / "no [/b] such.json"))
        assert "there is no such file" in refusal(app.screen)


async def test_a_title_that_is_refused_changes_nothing() -> None:
    library = filled("one")
    async with shown(library) as (pilot, app):
        await pilot.press("r")
        await answer(pilot, "x" * 500)
        assert titles(library) == ["one"]
        assert "1 to 200 are legal" in refusal(app.screen)


async def test_a_damaged_file_is_listed_and_opening_it_says_what_is_wrong(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(Conversation(), title="one") as session:
        pass
    (tmp_path / f"{session.id}.json").write_bytes(b"\x00 nothing")
    async with shown(library) as (pilot, app):
        await pilot.press("enter")
        await wait(pilot)
        assert isinstance(app.screen, ProblemScreen)


async def test_a_full_disk_is_told_and_nothing_is_lost() -> None:
    disk = FailingDisk(MemoryDisk())
    library = Library("memory", disk=disk)
    app = CtxtuiApp(library.create(tour()), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        assert "✓ saved" in lines(screen, "tabs")[0]
        disk.fail(0, lasting=True)
        screen.change({"operation": "CLEAR"}, "Cleared")
        await wait(pilot)
        assert "▲ not saved" in lines(screen, "tabs")[0]
        assert "the disk is full" in told(pilot)
        await pilot.press("q")
        await pilot.pause()
        assert app.is_running
        disk.recover()
        await pilot.press("S")
        await wait(pilot)
        assert "✓ saved" in lines(screen, "tabs")[0]
    assert len(library.open(screen.session.id, read_only=True).conversation.view) == 3


async def test_leaving_twice_leaves_although_nothing_can_be_saved() -> None:
    disk = FailingDisk(MemoryDisk())
    library = Library("memory", disk=disk)
    app = CtxtuiApp(library.create(tour()), library)
    async with app.run_test() as pilot:
        await wait(pilot)
        disk.fail(0, lasting=True)
        assert isinstance(app.screen, InspectorScreen)
        app.screen.change({"operation": "CLEAR"}, "Cleared")
        await wait(pilot)
        await pilot.press("q", "q")
        await pilot.pause()
        assert not app.is_running


async def test_a_session_open_elsewhere_can_be_looked_at_only(tmp_path: Path) -> None:
    library = Library(tmp_path)
    holder = library.create(tour(), title="busy")
    async with shown(Library(tmp_path)) as (pilot, app):
        await pilot.press("enter")
        await wait(pilot)
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        assert "read-only" in lines(screen, "tabs")[0]
        before = len(screen.conversation.journal)
        await pilot.press("u")
        assert len(screen.conversation.journal) == before
        assert "has it open" in told(pilot)
    holder.close()


@pytest.mark.parametrize(("moves", "format"), [(0, "native"), (1, "openai")])
async def test_a_conversation_is_exported(tmp_path: Path, moves: int, format: str) -> None:
    async with opened() as (pilot, screen):

        async def choose() -> None:
            await pilot.press("e", *["j"] * moves, "enter")

        path = tmp_path / "out.json"
        await choose()
        await answer(pilot, str(path))
        data = json.loads(path.read_text(encoding="utf-8"))
        is_native = format == "native"
        assert "format" in data if is_native else len(data) == len(screen.conversation.view)
        await choose()
        await answer(pilot, str(path))
        assert "exists. Press enter again" in refusal(screen)
        before = path.stat().st_mtime_ns
        await pilot.press("enter")
        await wait(pilot)
        assert path.stat().st_mtime_ns > before
        await choose()
        await answer(pilot, str(tmp_path / "no" / "such" / "folder.json"))
        assert "can't be written" in refusal(screen)


async def test_every_format_that_can_be_written_can_be_chosen_and_has_a_usual_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as (pilot, screen):
        for at, known in enumerate(WRITABLE):
            await pilot.press("e", *["j"] * at, "enter")
            await answer(pilot, "")
            assert (tmp_path / usual_name(screen.session.title, known)).exists(), known.name
        await pilot.press("e", "escape")
        assert not pilot.app.screen.query_one("#prompt").display
    for title in ("../../x", "a/b\x1b[31m", "...", ""):
        name = usual_name(title, WRITABLE[0])
        assert "/" not in name
        assert "\x1b" not in name
        assert not name.startswith(".")


async def test_hostile_titles_are_shown_and_do_nothing() -> None:
    library = filled("one")
    with library.open(library.list()[0].id) as session:
        session.describe(title=HOSTILE, note=HOSTILE, tags=["[/i]"])
    async with shown(library) as (pilot, app):
        drawn = [app.screen.query_one("#sessions").render_line(y).text for y in range(5)]
        drawn += [app.screen.query_one("#entry").render_line(y).text for y in range(30)]
        assert "标题" in "".join(drawn)
        assert not set("\x1b\u202e\ud800") & set("".join(drawn))
        await pilot.press("enter")
        await wait(pilot)
        assert isinstance(app.screen, InspectorScreen)
        assert "标题" in lines(app.screen, "tabs")[0]
        assert listed(app.screen, "visible").key == 0


@pytest.mark.parametrize("width", [60, 76, 98, 138])
def test_a_sample_has_its_name_counts_and_whole_ribbon_in_any_width(width: int) -> None:
    source = SampleSource(load_samples())
    for at in range(len(source)):
        line = source.line(at, width)
        assert sum(cell_len(piece.text) for piece in line) < width


@pytest.mark.parametrize("size", [(80, 24), (140, 42)])
async def test_the_first_run_says_what_this_is_three_ways_in_and_five_samples(
    size: tuple[int, int],
) -> None:
    app = CtxtuiApp(library=MemoryLibrary())
    async with app.run_test(size=size) as pilot:
        await wait(pilot)
        screen, drawn = app.screen, painted(app.screen)
        assert isinstance(screen, LibraryScreen)
        assert "which operation hid the rest." in " ".join(drawn.split())
        assert all(way in drawn for way in ("i  Open", "7  Record", "8  Learn"))
        assert len(screen.listed.source) == screen.listed.in_sight[1] == 5
        await pilot.press("6")
        assert len(screen.listed.source) == len(load_samples()) > 5


async def test_review_progress_appears_with_the_first_verdict() -> None:
    async with shown(filled("one", "two")) as (pilot, app):
        assert "REVIEW" not in painted(app.screen)
        assert "+ accept" not in painted(app.screen)
        await pilot.press("plus")
        await wait(pilot)
        assert "1 of 2 reviewed" in painted(app.screen)
        assert "accept" in painted(app.screen)
