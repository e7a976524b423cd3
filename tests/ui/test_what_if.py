"""The what-if screen: recipes tried side by side, and one of them opened as a branch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary, Session
from ctxtui.files.policies import RecipeFile, list_recipes, save_recipe
from ctxtui.files.preferences import FOLDER
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.models.search import Spot
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.lists import RecipeColumn
from ctxtui.what_if.pickers import RecipePicker
from ctxtui.what_if.screen import Branch, WhatIfScreen
from tests.ui.opening import kept, lines, opened, refusal, toasts, tour

SIZES = [(80, 24), (120, 40), (200, 60)]
HOSTILE = "[b] \x1b[31m \u202e 标题 [red]"
WINDOW = {"operation": "TRUNCATE", "keepLast": 7}
GONE = {"operation": "DELETE", "indices": [999]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep recipes in a folder of this test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    return tmp_path


def recipe(folder: Path, name: str, *operations: dict[str, Any]) -> RecipeFile:
    """Return a recipe in a file of that name."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(operations), encoding="utf-8")
    return RecipeFile(path, "file")


async def wait(pilot: Pilot[str]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


class Bare(CtxtuiApp):
    """The app without a screen of its own below the one that is tested."""

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        event.prevent_default()


@asynccontextmanager
async def shown(
    recipes: Sequence[RecipeFile] | None = None,
    session: Session | None = None,
    size: tuple[int, int] = (140, 42),
) -> AsyncIterator[tuple[Pilot[str], WhatIfScreen, list[Branch | Spot | None]]]:
    """Open the screen over the app, and note what it ends with."""
    session = session or kept(tour())
    app = Bare(session)
    app.animation_level = "none"
    results: list[Branch | Spot | None] = []
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = WhatIfScreen(session, recipes)
        await app.push_screen(screen, results.append)
        await wait(pilot)
        yield pilot, screen, results


def drawn(screen: WhatIfScreen, name: str) -> str:
    widget = screen.query_one(name)
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


def names(screen: WhatIfScreen) -> list[str]:
    return [candidate.name for candidate in screen.candidates]


def told(pilot: Pilot[str]) -> str:
    return toasts(pilot)


# Looking


async def test_it_opens_with_the_bundled_recipes_tried_and_nothing_changed() -> None:
    session = kept(tour())
    before = session.conversation.copy()
    async with shown(session=session) as (_, screen, _results):
        assert names(screen) == [file.name for file in list_recipes()]
        assert all(candidate.outcome is not None for candidate in screen.candidates)
        assert "messages" in drawn(screen, "#now")
        assert "TRUNCATE" in drawn(screen, "#column-1")
        assert "4 recipes" in drawn(screen, "#what-if-head")
    assert session.conversation == before


async def test_arrows_move_the_cursor_in_columns_ribbons_and_sentence() -> None:
    async with shown() as (pilot, screen, _):
        for key, at in (("left", 0), ("right", 1), ("l", 2), ("h", 1), ("right", 2), ("right", 3)):
            await pilot.press(key)
            assert screen.chosen == at
            assert screen.focused is screen.query_one(f"#column-{at}")
        await pilot.press("right")
        await pilot.pause()
        assert screen.chosen == 3
        assert drawn(screen, "#in-short").strip().startswith(names(screen)[3])
        assert "▏D" in drawn(screen, "#ribbons")


async def test_keys_pressed_in_a_row_end_where_they_should() -> None:
    async with shown() as (pilot, screen, _):
        await pilot.press("right", "right", "right", "left")
        await pilot.pause()
        assert screen.chosen == 2


async def test_the_mouse_chooses_a_column_or_a_ribbon() -> None:
    async with shown() as (pilot, screen, _):
        await pilot.click("#column-2")
        await pilot.pause()
        assert screen.chosen == 2
        await pilot.click("#ribbons", offset=(10, 3))
        await pilot.pause()
        assert screen.chosen == 0
        await pilot.click("#ribbons", offset=(10, 2))
        await pilot.pause()
        assert screen.chosen == 0
        assert "▏A" in drawn(screen, "#ribbons")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_row_and_ribbon_is_in_sight_at_any_size(size: tuple[int, int]) -> None:
    for name in ("five", "six"):
        save_recipe(name, [WINDOW])
    async with shown(size=size) as (_, screen, _results):
        assert len(screen.candidates) == 6
        now = drawn(screen, "#now")
        for row in ("recipe", "messages", "tokens", "of the limit", "lint", "marks lost"):
            assert row in now
        assert "sent again" in now
        ribbons = drawn(screen, "#ribbons").splitlines()
        assert [line[1] for line in ribbons if line[1:2].isalpha()] == list("ABCDEF")
        assert drawn(screen, "#in-short").strip().endswith(".")


async def test_a_column_that_does_not_fit_comes_into_sight_with_the_cursor() -> None:
    for name in ("five", "six"):
        save_recipe(name, [WINDOW])
    async with shown(size=(80, 24)) as (pilot, screen, _):
        await pilot.press(*["right"] * 5)
        await wait(pilot)
        assert screen.query_one("#column-5", RecipeColumn).region.right <= 80
        assert "TRUNCATE" in drawn(screen, "#column-5")


async def test_a_smaller_screen_is_used_at_once() -> None:
    async with shown(size=(140, 42)) as (pilot, screen, _):
        tall = drawn(screen, "#now").splitlines()
        await pilot.resize_terminal(80, 24)
        await wait(pilot)
        tight = drawn(screen, "#now").splitlines()
        assert sum(not line.strip() for line in tight) < sum(not line.strip() for line in tall)
        assert any("sent again" in line for line in tight)


async def test_refused_and_unreadable_recipes_say_why_in_their_column(folder: Path) -> None:
    broken = folder / "broken.json"
    broken.write_text("{", encoding="utf-8")
    files = [recipe(folder, "gone", GONE), RecipeFile(broken, "file")]
    async with shown(files) as (pilot, screen, results):
        assert "✖ refused" in drawn(screen, "#column-0")
        assert "indices 999 is outside 0…26" in drawn(screen, "#column-0")
        assert "✖ can't be read" in drawn(screen, "#column-1")
        await pilot.press("enter")
        assert "gone can't be opened here" in told(pilot)
        assert (results, pilot.app.screen) == ([], screen)


async def test_hostile_names_labels_and_reasons_reach_no_terminal_and_no_markup(
    folder: Path,
) -> None:
    c = tour()
    c.execute({"operation": "MARK", "indices": [10], "label": "[/b][red] 标"})
    said = {"operation": "FILTER", "contentContains": ["[/b]\x1b\u202e"]}
    bad = {"operation": HOSTILE}
    files = [recipe(folder, HOSTILE, said), recipe(folder, f"2{HOSTILE}", bad)]
    async with shown(files, kept(c)) as (pilot, screen, _):
        await pilot.press("right", "enter", "plus")
        await wait(pilot)
        text = "".join(
            drawn(screen, name) for name in ("#column-0", "#column-1", "#ribbons", "#in-short")
        )
        assert not any(sign in text for sign in "\x1b\u202e")
        assert "[/b]" in text
        assert "[b] ␛[31m · 标题 [red]" in str(screen.query_one("#column-0")._border_title)


async def test_everything_is_drawn_with_ascii_signs_where_that_is_asked_for() -> None:
    async with shown() as (pilot, screen, _):
        await pilot.press("A")
        await pilot.pause()
        panes = ("#now", "#column-0", "#column-1", "#ribbons", "#in-short", "#what-if-head")
        assert "".join(drawn(screen, name) for name in panes).isascii()
        await pilot.press("A")


# Opening one


async def test_enter_opens_the_recipe_as_a_branch_that_one_undo_takes_back(folder: Path) -> None:
    session = kept(tour())
    before = list(session.conversation.view)
    twice = recipe(folder, "twice", WINDOW, {"operation": "TRUNCATE", "keepLast": 3})
    async with shown([twice], session) as (pilot, screen, results):
        expected = screen.candidates[0].outcome
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen is not screen
    assert expected is not None
    branches = [one for one in results if isinstance(one, Branch)]
    assert [(one.result.affected_batch_index, one.word) for one in branches] == [
        (5, "Recipe twice")
    ]
    assert len(session.conversation.view) == expected.messages == 3
    assert session.conversation.tokens.total == expected.tokens
    session.change({"operation": "UNDO"})
    assert list(session.conversation.view) == before


async def test_the_inspector_shows_the_branch_says_so_and_takes_it_back() -> None:
    async with opened() as (pilot, inspector):
        before = list(inspector.conversation.view)
        await pilot.press("w")
        await wait(pilot)
        await pilot.press("right", "enter")
        await wait(pilot)
        assert pilot.app.screen is inspector
        assert len(inspector.look.view) == 7
        assert "Recipe plain-window opened batch 4. 16 → 7 messages" in told(pilot)
        assert "✓ saved" in lines(inspector, "tabs")[0]
        await pilot.press("u")
        assert list(inspector.conversation.view) == before


async def test_a_double_click_on_a_ribbon_opens_its_recipe(folder: Path) -> None:
    files = [recipe(folder, "a", GONE), recipe(folder, "b", WINDOW)]
    async with shown(files) as (pilot, screen, results):
        await pilot.click("#ribbons", offset=(10, 4), times=2)
        await pilot.pause()
        assert screen.session.conversation.batch.number == 4
    assert [one is not None for one in results] == [True]


async def test_a_session_that_is_read_only_is_not_changed(folder: Path) -> None:
    library = MemoryLibrary()
    library.create(tour()).close()
    session = library.open(library.list()[0].id, read_only=True)
    size = len(session.conversation.view)
    async with shown([recipe(folder, "window", WINDOW)], session) as (pilot, screen, results):
        await pilot.press("enter")
        await pilot.pause()
        assert "Read-only" in told(pilot)
        assert (pilot.app.screen, results) == (screen, [])
    assert len(session.conversation.view) == size


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_leaving_keeps_projection(key: str) -> None:
    session = kept(tour())
    before = session.conversation.copy()
    async with shown(session=session) as (pilot, screen, results):
        await pilot.press(key)
        await pilot.pause()
        assert (results, pilot.app.screen is screen) == ([None], False)
    assert session.conversation == before


# Which recipes


async def test_minus_takes_recipes_out_until_there_is_none(folder: Path) -> None:
    files = [recipe(folder, name, WINDOW) for name in "abc"]
    async with shown(files) as (pilot, screen, results):
        await pilot.press("right", "minus")
        assert (names(screen), screen.chosen) == (["a", "c"], 1)
        await pilot.press("minus", "minus")
        await pilot.pause()
        assert names(screen) == []
        assert "No recipe yet. + adds one." in drawn(screen, "#no-recipe")
        await pilot.press("minus", "right", "enter")
        assert results == []
    assert all(file.path.exists() for file in files)


async def test_plus_picks_a_recorded_recipe_from_the_list(folder: Path) -> None:
    save_recipe("mine", [WINDOW])
    async with shown([recipe(folder, "first", GONE)]) as (pilot, screen, _):
        await pilot.press("plus")
        await wait(pilot)
        picker = pilot.app.screen
        assert isinstance(picker, RecipePicker)
        lines = [picker.query_one("#picks").render_line(y).text for y in range(6)]
        assert any("mine" in one and "recorded" in one and "keepLast 7" in one for one in lines)
        at = [file.name for file in picker.files].index("mine")
        await pilot.press(*["j"] * at, "enter")
        await wait(pilot)
        assert (names(screen), screen.chosen) == (["first", "mine"], 1)
        assert screen.candidates[1].outcome is not None
        assert screen.candidates[1].outcome.messages == 7


async def test_a_recipe_that_is_shown_already_is_only_chosen() -> None:
    async with shown() as (pilot, screen, _):
        before = names(screen)
        await pilot.press("plus")
        await wait(pilot)
        await pilot.press("j", "j", "enter")
        await wait(pilot)
        assert (names(screen), screen.chosen) == (before, 2)


async def test_a_recipe_comes_from_any_file_and_a_wrong_path_is_said_at_once(folder: Path) -> None:
    other = recipe(folder, "other", WINDOW)
    async with shown([]) as (pilot, screen, _):
        await pilot.press("plus")
        await wait(pilot)
        await pilot.press("G", "enter")
        picker = pilot.app.screen
        for text, why in (
            (str(folder / "nothing.json"), "nothing.json: there is no such file"),
            ("~nobody-of-this-name/x", "no such home folder"),
            (str(other.path), ""),
        ):
            picker.query_one("#ask", Input).value = text
            await pilot.press("enter")
            await wait(pilot)
            if why:
                assert why in refusal(picker)
        assert pilot.app.screen is screen
        assert [candidate.file for candidate in screen.candidates] == [other]


async def test_escape_leaves_first_the_line_and_then_the_list() -> None:
    async with shown([]) as (pilot, screen, results):
        await pilot.press("plus")
        await wait(pilot)
        picker = pilot.app.screen
        await pilot.press("G", "enter")
        await pilot.pause()
        await pilot.press("q", "escape")
        await pilot.pause()
        assert pilot.app.screen is picker
        await pilot.press("escape")
        await pilot.pause()
        assert (pilot.app.screen, names(screen), results) == (screen, [], [])


async def test_six_recipes_are_all_there_is_room_for(folder: Path) -> None:
    files = [recipe(folder, name, WINDOW) for name in "abcdefg"]
    async with shown(files) as (pilot, screen, _):
        assert names(screen) == list("abcdef")
        await pilot.press("plus")
        await pilot.pause()
        assert pilot.app.screen is screen
        assert "6 recipes are compared" in told(pilot)


async def test_every_command_has_its_action_and_help_tells_of_it() -> None:
    async with shown() as (pilot, screen, _):
        for command in WHAT_IF:
            owner = pilot.app if command.action.startswith("app.") else screen
            name = command.action.removeprefix("app.").split("(")[0]
            assert callable(getattr(owner, f"action_{name}")), command
        await pilot.press("question_mark")
        await pilot.pause()
        assert [type(one) for one in pilot.app.screen_stack[-2:]] == [WhatIfScreen, HelpScreen]
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is screen


async def test_an_empty_conversation_is_no_trouble() -> None:
    async with shown(session=kept(Conversation())) as (pilot, screen, _):
        await pilot.press("right")
        assert all(candidate.outcome is not None for candidate in screen.candidates)
        assert "the same would be sent as now" in drawn(screen, "#in-short")
