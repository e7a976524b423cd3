"""Identical sessions in the app: two verdicts on them are told, and their group has one number."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.files.library_position import load_position
from ctxtui.library.screen import LibraryScreen
from tests.ui.test_library import answer, shown, told, wait
from tests.ui.test_library_order import here, order, press, statuses
from tests.ui.test_review import on_disk, open_title


def twins(*texts: str) -> MemoryLibrary:
    """Return a library with two sessions of each text, ``a1`` and ``a2``, the first the newest."""
    times = iter(range(1, 1_000_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times))
    for text in reversed(texts):
        for number in (2, 1):
            conversation = Conversation([{"role": "user", "content": text}], clock=lambda: 1)
            with library.create(conversation, title=f"{text}{number}"):
                pass
    return library


@asynccontextmanager
async def looked_into(library: Library) -> AsyncIterator[tuple[Pilot[str], CtxtuiApp]]:
    """Show a library, and wait until it is known what is in each session."""
    async with shown(library) as (pilot, app):
        while any(row.digest is None for row in app.library_state.order.known.values()):
            await wait(pilot)
        yield pilot, app


async def test_two_verdicts_on_identical_sessions_are_told_when_the_second_is_given() -> None:
    async with looked_into(twins("a", "b")) as (pilot, app):
        await press(pilot, "plus")
        assert "Two verdicts" not in told(pilot)
        assert here(app) == "a2"
        await press(pilot, "minus")
        assert "Two verdicts on the same: a1 is accepted." in told(pilot)
        assert "a2, identical with it, is rejected." in told(pilot)
        assert here(app) == "b1"
        await press(pilot, "plus", "asterisk", "exclamation_mark")
        assert "identical with sessions of another verdict" not in told(pilot)


async def test_several_that_others_contradict_are_counted() -> None:
    async with looked_into(twins("a", "b")) as (pilot, app):
        await press(pilot, "plus", "j", "plus")
        assert order(app) == ["a1", "a2", "b1", "b2"]
        await press(pilot, "ampersand")
        await answer(pilot, "status:new")
        await press(pilot, "asterisk", "minus")
        assert "2 are identical with sessions of another verdict." in told(pilot)


async def test_two_verdicts_are_told_in_the_inspector_too() -> None:
    library = twins("a")
    async with looked_into(library) as (pilot, app):
        await press(pilot, "enter", "plus", "minus")
        assert "Two verdicts on the same: a1 is accepted." in told(pilot)
        await press(pilot, "O", "u")
        assert statuses(library) == {"a1": "accepted", "a2": "new"}
        assert isinstance(app.screen, LibraryScreen)


async def test_a_session_that_is_opened_alone_knows_its_twin() -> None:
    library = twins("a", "b")
    with library.open(library.find("a2")) as session:
        session.describe(status="rejected")
    app = CtxtuiApp(library.open(library.find("a1")), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await press(pilot, "plus")
        assert "Two verdicts on the same: a2 is rejected." in told(pilot)
        assert open_title(app) == "b1"


async def test_groups_have_the_numbers_that_commands_tell() -> None:
    library = twins("a", "b", "c")
    with Catalog(library) as catalog:
        catalog.learn()
        numbers = {row.entry.title: row.duplicate and row.duplicate.group for row in catalog.rows()}
    async with looked_into(library) as (pilot, app):
        for number in range(3):
            await press(pilot, "ampersand")
            await answer(pilot, f"dup:{number + 1}")
            assert [numbers[title] for title in order(app)] == [number, number]


async def test_u_goes_back_over_a_verdict_that_a_session_had_already() -> None:
    library = twins("a", "b")
    with library.open(library.find("a2")) as session:
        session.describe(status="accepted")
    async with looked_into(library) as (pilot, app):
        await press(pilot, "j", "plus")
        assert here(app) == "b1"
        await press(pilot, "u")
        assert here(app) == "a2"
        assert "a2 is accepted, as before." in told(pilot)
        await press(pilot, "enter", "plus")
        assert open_title(app) == "b1"
        await press(pilot, "u")
        assert open_title(app) == "a2"
        assert statuses(library) == {"a1": "new", "a2": "accepted", "b1": "new", "b2": "new"}


async def test_the_place_is_kept_at_each_step_of_a_review_in_the_inspector(tmp_path: Path) -> None:
    on_disk(tmp_path, "a", "b", "c", "d")
    library = Library(tmp_path)
    titles = {entry.id: entry.title for entry in library.list()}
    async with looked_into(library) as (pilot, app):
        await press(pilot, "enter")
        assert titles[load_position(tmp_path).session] == "a"
        await press(pilot, "plus", "minus")
        assert open_title(app) == titles[load_position(tmp_path).session] == "c"
        await press(pilot, "greater_than_sign")
        assert titles[load_position(tmp_path).session] == "d"
        await press(pilot, "less_than_sign", "plus", "u")
        assert open_title(app) == titles[load_position(tmp_path).session] == "c"
