"""The library under the hand: rows stay where they are, and u takes back what was done to them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.commands.common import LISTS
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.core.storage.disk import FileVersion, MemoryDisk
from ctxtui.library.keys import LIBRARY
from ctxtui.library.screen import LibraryScreen
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import TextPane
from tests.ui.opening import painted
from tests.ui.test_bursts import burst
from tests.ui.test_library import answer, filled, shown, told, wait

NAMES = [f"s{number}" for number in range(10)]


def order(app: CtxtuiApp) -> list[str]:
    """Return the titles as they stand on the screen."""
    assert isinstance(app.screen, LibraryScreen)
    return [entry.title for entry in app.screen.entries]


def here(app: CtxtuiApp) -> str:
    """Return the title under the cursor."""
    assert isinstance(app.screen, LibraryScreen)
    assert app.screen.entry is not None
    return app.screen.entry.title


def statuses(library: Library) -> dict[str, str]:
    return {entry.title: entry.status for entry in library.list()}


async def press(pilot: Pilot[str], *keys: str) -> None:
    """Press keys, each when what the one before did is done."""
    for key in keys:
        await pilot.press(key)
        await wait(pilot)


async def test_ten_verdicts_judge_ten_sessions() -> None:
    library = filled(*NAMES)
    async with shown(library) as (pilot, app):
        for _ in NAMES:
            await press(pilot, "plus")
        assert set(statuses(library).values()) == {"accepted"}
        assert order(app) == NAMES
        assert "All 10 are reviewed." in told(pilot)


async def test_verdicts_in_one_burst_judge_each_session_once_and_in_order() -> None:
    library = filled(*NAMES)
    async with shown(library) as (pilot, app):
        await burst(pilot, *["plus"] * 4, *["minus"] * 3, *["exclamation_mark"] * 3)
        given = ["accepted"] * 4 + ["rejected"] * 3 + ["needs work"] * 3
        assert [statuses(library)[name] for name in NAMES] == given
        assert order(app) == NAMES


async def test_renames_tags_and_help_leave_every_row_where_it_is() -> None:
    library = filled(*NAMES[:4])
    async with shown(library) as (pilot, app):
        await press(pilot, "j", "j", "r")
        await answer(pilot, "another")
        assert order(app) == ["s0", "s1", "another", "s3"]
        await press(pilot, "t")
        await answer(pilot, "a, b")
        await press(pilot, "question_mark", "escape", "C", "escape")
        assert order(app) == ["s0", "s1", "another", "s3"]
        assert here(app) == "another"
        await press(pilot, "escape")
        assert order(app) == ["s0", "s1", "another", "s3"]
        await press(pilot, "s", "j", "enter")
        assert order(app) == ["another", "s0", "s1", "s3"]
        assert here(app) == "another"


async def test_a_row_that_does_not_match_any_more_stays_until_the_filter_is_asked_for_again() -> (
    None
):
    async with shown(filled("apple", "apricot", "plum")) as (pilot, app):
        await press(pilot, "ampersand")
        await answer(pilot, "ap")
        await press(pilot, "r")
        await answer(pilot, "pear")
        assert order(app) == ["pear", "apricot"]
        assert here(app) == "pear"


async def test_new_sessions_come_on_top_and_the_cursor_stays_on_its_own() -> None:
    library = filled("one", "two")
    async with shown(library) as (pilot, app):
        await press(pilot, "j", "n")
        assert (order(app), here(app)) == (["untitled", "one", "two"], "two")
        await press(pilot, "D")
        assert (order(app), here(app)) == (["two (copy)", "untitled", "one", "two"], "two")


async def test_sessions_that_others_make_are_announced_and_wait_for_escape() -> None:
    library = filled("one", "two")
    async with shown(library) as (pilot, app):
        with library.create(Conversation(), title="theirs"):
            pass
        await press(pilot, "j", "plus")
        assert order(app) == ["one", "two"]
        assert here(app) == "one"
        await press(pilot, "enter", "O")
        assert order(app) == ["one", "two"]
        assert "1 new, esc shows it" in painted(app.screen)
        await press(pilot, "escape")
        assert order(app) == ["theirs", "one", "two"]
        assert here(app) == "one"


async def test_u_takes_back_verdicts_names_tags_and_deletes_newest_first() -> None:
    library = filled("one", "two")
    async with shown(library) as (pilot, app):
        await press(pilot, "plus", "k", "minus", "k", "r")
        await answer(pilot, "uno")
        await press(pilot, "t")
        await answer(pilot, "x, y")
        await press(pilot, "d")
        assert order(app) == ["two"]
        seen = []
        for _ in range(5):
            await press(pilot, "u")
            seen.append(told(pilot).splitlines()[-1])
        assert seen == [
            "Undone. uno is out of the trash again.",
            "Undone. uno has no tags again.",
            "Undone. uno is called one again.",
            "Undone. one is accepted again.",
            "Undone. one is new again.",
        ]
        assert order(app) == ["one", "two"]
        assert set(statuses(library).values()) == {"new"}
        await press(pilot, "u")
        assert "Nothing was changed here yet." in told(pilot)


async def test_what_can_not_be_taken_back_now_can_be_later() -> None:
    library = filled("one")
    async with shown(library) as (pilot, _):
        await press(pilot, "plus")
        holder = library.open(library.list()[0].id)
        await press(pilot, "u")
        assert "is open in" in told(pilot)
        holder.close()
        await press(pilot, "u")
        assert statuses(library) == {"one": "new"}


async def test_a_verdict_that_is_given_already_and_leads_nowhere_is_no_step() -> None:
    library = filled("one")
    async with shown(library) as (pilot, _):
        await press(pilot, "plus", "plus", "u")
        assert statuses(library) == {"one": "new"}
        await press(pilot, "enter", "plus", "plus", "O", "u")
        assert statuses(library) == {"one": "new"}


class Unreadable(MemoryDisk):
    """A disk that can't be read, whatever is asked of it."""

    is_lost = False

    def names(self, folder: Path) -> list[str]:
        """Return names, or refuse."""
        self._lose(folder)
        return super().names(folder)

    def version(self, path: Path) -> FileVersion | None:
        """Return the version of a file, or refuse."""
        self._lose(path)
        return super().version(path)

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        """Return what is in a file, or refuse."""
        self._lose(path)
        return super().read(path, start, size)

    def _lose(self, path: Path) -> None:
        if self.is_lost:
            raise OSError(errno.ELOOP, "Too many levels of symbolic links", str(path))


KEYS = [command.keys.split(",")[0] for command in (*LIBRARY, *LISTS)]


@pytest.mark.parametrize("is_lost_at_first", [True, False])
async def test_no_key_crashes_a_library_that_can_not_be_read(is_lost_at_first: bool) -> None:
    disk = Unreadable()
    library = Library("memory", disk=disk)
    for name in NAMES[:3]:
        with library.create(Conversation(), title=name):
            pass
    disk.is_lost = is_lost_at_first
    async with shown(library) as (pilot, app):
        disk.is_lost = True
        for key in KEYS:
            if key in ("q",):
                continue
            await press(pilot, key)
            for field in app.screen.query("#ask"):
                if field.has_focus:
                    await answer(pilot, "some text")
            while not isinstance(app.screen, LibraryScreen):
                await press(pilot, "escape")
        await press(pilot, "escape")
        assert "it is a link that can't be followed" in told(pilot)
        disk.is_lost = False
        await press(pilot, "escape")
        assert len(order(app)) >= 3


async def test_a_library_that_can_not_be_read_says_so_where_its_sessions_would_be(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "library"
    folder.symlink_to(folder)
    async with shown(Library(folder)) as (pilot, app):
        for key in ("n", "plus", "d", "u", "escape"):
            await press(pilot, key)
        sessions, entry = app.screen.query_one(LineList), app.screen.query_one("#entry", TextPane)
        assert "can't be read" in sessions.render_line(0).text
        drawn = " ".join(entry.render_line(y).text.strip() for y in range(9))
        assert "it is a link that can't be followed" in drawn
        assert not app.screen.has_class("-first-run")


async def test_an_empty_library_is_not_an_unreadable_one() -> None:
    async with shown(MemoryLibrary()) as (_, app):
        assert app.screen.has_class("-first-run")


async def test_a_click_on_a_column_head_sorts_by_it_and_again_the_other_way_round() -> None:
    app = CtxtuiApp(library=filled("b", "c", "a"))
    async with app.run_test(size=(140, 42)) as pilot:
        await wait(pilot)
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        seen = []
        for _ in range(2):
            await pilot.click("#sessions", offset=(8, 1))
            await wait(pilot)
            seen.append("".join(entry.title for entry in screen.entries))
        assert seen == ["abc", "cba"]
        head = "".join(text for text, _ in screen.listed.source.headers(screen.listed.row_width)[0])
        await pilot.click("#sessions", offset=(2 + head.index("tokens"), 1))
        await wait(pilot)
        assert screen.library_state.order.sort.column == "tokens"
        await pilot.click("#sessions", offset=(2 + head.index("in it"), 1))
        await wait(pilot)
        assert screen.library_state.order.sort.column == "tokens"
