"""Keys in one burst, and answers that come too late: each does its work once, or nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from textual import events
from textual.command import CommandPalette
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.core.storage.disk import MemoryDisk
from ctxtui.diff.screen import DiffScreen
from ctxtui.forms.screen import FormScreen
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.messages import OpenLibrary
from ctxtui.opening import LoadingScreen
from ctxtui.progress import TaskProgress
from ctxtui.what_if.screen import WhatIfScreen
from tests.storage.failing import FailingDisk
from tests.ui.opening import kept, opened, painted, tour
from tests.ui.test_library import answer, filled, shown, told, wait


async def burst(pilot: Pilot[str], *keys: str) -> None:
    """Press keys faster than anything can answer."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await wait(pilot)


async def test_enter_twice_applies_a_form_once() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("t", "tab", "4")
        await wait(pilot)
        before = len(screen.conversation.journal)
        await burst(pilot, "enter", "enter")
        assert len(screen.conversation.journal) == before + 1
        assert screen.is_current
        await pilot.press("t")
        await burst(pilot, "escape", "escape")
        assert screen.is_current


async def test_a_key_typed_twice_leaves_the_diff_and_the_what_if_screen_once() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("equals_sign")
        await wait(pilot)
        seen = [type(pilot.app.screen)]
        await burst(pilot, "enter", "enter", "escape")
        seen.append(type(pilot.app.screen))
        assert seen == [DiffScreen, InspectorScreen]
        before = len(screen.conversation.journal)
        await pilot.press("w")
        await wait(pilot)
        assert type(pilot.app.screen) is WhatIfScreen
        await burst(pilot, "down", "enter", "enter")
        top: object = pilot.app.screen
        if isinstance(top, DiffScreen):  # The second came before the diff was there.
            await pilot.press("escape")
            await wait(pilot)
        assert type(pilot.app.screen) is WhatIfScreen
        assert len(screen.conversation.journal) == before
        await burst(pilot, "ctrl+s", "ctrl+s")
        assert screen.is_current
        assert len(screen.conversation.journal) == before + 1


async def test_enter_twice_opens_a_session_once() -> None:
    async with shown(filled("one", "two")) as (pilot, app):
        await burst(pilot, "enter", "enter")
        inspectors = [one for one in app.screen_stack if isinstance(one, InspectorScreen)]
        assert len(inspectors) == 1
        assert not inspectors[0].session.read_only


async def test_a_search_that_ends_after_its_screen_has_gone_is_no_trouble() -> None:
    many = Conversation([{"role": "user", "content": f"m {i}"} for i in range(20_000)])
    library = MemoryLibrary()
    app = CtxtuiApp(library.create(many), library)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        screen.explorer.searching._search("zzz")
        screen.post_message(OpenLibrary())
        await wait(pilot)
        assert screen.session.is_open is False


async def test_a_culprit_found_on_a_path_that_has_changed_is_no_trouble() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("B", *"error")
        await burst(pilot, "enter", "u", "u")
        assert screen.is_running


async def test_a_filter_that_looks_like_markup_is_shown() -> None:
    hostile = Conversation([{"role": "user", "content": "a [/foo] b"}])
    async with opened(hostile) as (pilot, screen):
        await pilot.press("&")
        await answer(pilot, "[/foo]")
        assert "[/foo]" in str(screen.query_one("#visible").border_subtitle)
        await pilot.press("&", "escape")
        assert "[/foo]" in str(screen.query_one("#visible").border_subtitle)


async def test_the_palette_asked_for_while_a_file_is_read_comes_up_over_it() -> None:
    may_go = threading.Event()

    def read(_: TaskProgress) -> Session:
        assert may_go.wait(timeout=60)
        return kept(tour())

    app = CtxtuiApp(read, None, "big")
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+p")
        await pilot.pause()
        may_go.set()
        await wait(pilot)
        assert isinstance(app.screen, CommandPalette)
        assert isinstance(app.screen_stack[-2], InspectorScreen)
        assert not any(isinstance(one, LoadingScreen) for one in app.screen_stack)


async def test_giving_up_returns_to_the_library() -> None:
    library = filled("one")
    async with shown(library) as (pilot, app):
        may_go = threading.Event()

        def read(_: TaskProgress) -> Session:
            assert may_go.wait(timeout=60)
            return kept(tour())

        app._open(read, "slow")
        await pilot.press("escape")
        may_go.set()
        await wait(pilot)
        assert isinstance(app.screen, LibraryScreen)


async def test_the_cursor_of_the_library_stays_on_its_session() -> None:
    library = filled("one", "two", "three")
    async with shown(library) as (pilot, app):
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        await pilot.press("j", "j", "t", "x", "enter")
        await wait(pilot)
        assert screen.entry is not None
        assert (screen.entry.title, screen.entry.tags) == ("three", ("x",))
        await pilot.press("d")
        await wait(pilot)
        assert sorted(entry.title for entry in library.list()) == ["one", "two"]


async def test_a_locked_session_is_not_said_to_be_deleted(tmp_path: Path) -> None:
    holder = Library(tmp_path).create(tour(), title="busy")
    async with shown(Library(tmp_path)) as (pilot, _):
        await pilot.press("d")
        await wait(pilot)
        assert "in the trash" not in told(pilot)
        assert "busy" in told(pilot)
        await pilot.press("u")
        await wait(pilot)
        assert "Nothing was changed" in told(pilot)
    holder.close()


async def test_a_library_that_can_not_be_written_says_so() -> None:
    disk = FailingDisk(MemoryDisk())
    async with shown(Library("memory", disk=disk)) as (pilot, app):
        disk.fail(0, lasting=True)
        await pilot.press("n")
        await wait(pilot)
        assert "the disk is full" in told(pilot)
        for key in ("D", "plus"):
            await pilot.press(key)
            await wait(pilot)
        assert app.is_running


async def test_each_session_is_warned_of_and_let_go_when_left() -> None:
    disk = FailingDisk(MemoryDisk())
    library = Library("memory", disk=disk)
    for title in ("one", "two"):
        library.create(tour(), title=title).close()
    async with shown(library) as (pilot, app):
        for at in ("g", "G"):
            await pilot.press(at, "enter")
            await wait(pilot)
            screen = app.screen
            assert isinstance(screen, InspectorScreen)
            disk.fail(0, lasting=True)
            screen.change({"operation": "CLEAR"}, "Cleared")
            await wait(pilot)
            await pilot.press("O")
            await wait(pilot)
            assert app.screen is screen, "it was left without a warning"
            await pilot.press("O")
            await wait(pilot)
            disk.recover()
            assert isinstance(app.screen, LibraryScreen)
        for entry in library.list():
            with library.open(entry.id):
                pass  # Nobody holds it any more.


async def test_toasts_show_hostile_titles_as_symbols() -> None:
    library = filled("one")
    with library.open(library.list()[0].id) as session:
        session.describe(title="a\x1b[2J\u202e[/b]")
    async with shown(library) as (pilot, _):
        await pilot.press("d")
        await wait(pilot)
        assert not set("\x1b\u202e") & set(painted(pilot.app.screen))
        assert "[/b] is in the trash" in painted(pilot.app.screen)


async def test_a_form_over_a_form_is_not_opened() -> None:
    async with opened() as (pilot, _):
        await burst(pilot, "c", "c")
        assert sum(isinstance(one, FormScreen) for one in pilot.app.screen_stack) == 1


async def test_enter_twice_asks_and_runs_once() -> None:
    async with opened() as (pilot, screen):
        before = len(screen.conversation.journal)
        await pilot.press("m", "k")
        await burst(pilot, "enter", "enter")
        assert len(screen.conversation.journal) == before + 1
        await burst(pilot, "C", *"Undo", "enter", "enter", "enter")
        assert screen in pilot.app.screen_stack
        assert len(screen.conversation.journal) <= before + 2
