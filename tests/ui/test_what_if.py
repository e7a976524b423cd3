"""What-if now: strategies tried on the state now, and one of them opened as a branch."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.policies.simulation import StillWanted
from ctxtui.core.storage import MemoryLibrary, Session
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.policies import RecipeFile, first_strategies, list_recipes, save_recipe
from ctxtui.files.preferences import FOLDER
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.models.search import Spot
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.models.comparison import Answer, StrategyComparison, scaled_recipes
from ctxtui.what_if.picker import StrategyPicker
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


def drawn_line(screen: Screen[Any], name: str) -> str:
    return screen.query_one(name).render_line(0).text


def names(screen: WhatIfScreen) -> list[str]:
    return [strategy.name for strategy in screen.comparison.strategies]


def told(pilot: Pilot[str]) -> str:
    return toasts(pilot)


# Looking


async def test_it_opens_with_strategies_tried_on_the_state_now_and_nothing_changed() -> None:
    session = kept(tour())
    before = session.conversation.copy()
    async with shown(session=session) as (_, screen, _results):
        read = [strategy.name.replace(" ", "-") for strategy in screen.comparison.strategies[4:]]
        assert read == [file.name for file in first_strategies(3)]
        assert all(strategy.outcome is not None for strategy in screen.comparison.strategies)
        assert "messages" in drawn(screen, "#call")
        assert "TRUNCATE" in drawn(screen, "#call")
        assert "6 strategies" in drawn(screen, "#side-head")
        assert "Now, batch 3" in str(screen.query_one("#call").border_title)
    assert session.conversation == before


async def test_w_typed_while_the_run_is_read_shows_the_calls_once_they_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_read, answers = threading.Event(), StrategyComparison.answers

    def slowly(self: StrategyComparison, wanted: StillWanted) -> Iterator[Answer]:
        may_read.wait()
        yield from answers(self, wanted)

    monkeypatch.setattr(StrategyComparison, "answers", slowly)
    async with opened() as (pilot, _):
        await pilot.press("w", "w")
        screen = pilot.app.screen
        assert isinstance(screen, WhatIfScreen)
        was_now = screen.comparison.is_now
        may_read.set()
        await wait(pilot)
        assert (was_now, screen.comparison.is_now) == (True, False)
        assert toasts(pilot) == ""


async def test_arrows_move_the_cursor_in_table_ribbons_and_panel() -> None:
    async with shown(list_recipes()) as (pilot, screen, _):
        for key, letter in (("up", "R"), ("down", "A"), ("j", "B"), ("k", "A"), ("d", "D")):
            await pilot.press(key)
            current = screen.comparison.current
            assert current is not None
            assert screen.comparison.letter(current) == letter
        assert "▏D" in drawn(screen, "#strategies")
        assert "token-budget: 16 → 14" in drawn(screen, "#run-calls")
        assert "maxTokens 250" in drawn(screen, "#call")


async def test_the_mouse_chooses_in_the_table_and_among_the_ribbons() -> None:
    async with shown(list_recipes()) as (pilot, screen, _):
        await pilot.click("#strategies", offset=(10, 5))
        await pilot.pause()
        assert screen.comparison.chosen == 3
        await pilot.click("#run-calls", offset=(10, 4))
        await pilot.pause()
        assert screen.comparison.chosen == 2
        await pilot.click("#run-calls", offset=(10, 2))
        await pilot.pause()
        assert screen.comparison.chosen == 2
        assert "▏B" in drawn(screen, "#strategies")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_figure_and_ribbon_is_in_sight_at_any_size(size: tuple[int, int]) -> None:
    for name in ("five", "six"):
        save_recipe(name, [WINDOW])
    async with shown(list_recipes(), size=size) as (pilot, screen, _results):
        assert screen.comparison.strategy_count == 6
        ribbons = drawn(screen, "#run-calls").splitlines()
        letters = [line[0] for line in ribbons if line[1:3] == "  " and line[0].isalpha()]
        assert letters == list("ABCDEF")
        assert "".join(ribbons).strip().endswith("sent as now.")
        if size == (80, 24):
            await pilot.press("space")
            await wait(pilot)
        panel = drawn(screen, "#call")
        for row in ("messages", "tokens", "of the limit", "lint", "marks lost", "sent again"):
            assert row in panel


async def test_refused_and_unreadable_recipes_say_why(folder: Path) -> None:
    broken = folder / "broken.json"
    broken.write_text("{", encoding="utf-8")
    files = [recipe(folder, "gone", GONE), RecipeFile(broken, "file")]
    async with shown(files) as (pilot, screen, results):
        assert "✖ refused" in drawn(screen, "#call")
        assert "indices 999 is outside" in " ".join(drawn(screen, "#call").split())
        assert "✖ refused" in drawn(screen, "#strategies")
        await pilot.press("enter")
        assert "gone can't be opened here" in told(pilot)
        await pilot.press("b")
        assert "✖ can't be read" in drawn(screen, "#call")
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
        text = "".join(drawn(screen, name) for name in ("#strategies", "#call", "#run-calls"))
        await pilot.press("b", "enter", "i")
        await wait(pilot)
        text += "".join(drawn(screen, name) for name in ("#strategies", "#call", "#run-calls"))
        assert not any(sign in text for sign in "\x1b\u202e")
        assert "[/b]" in text
        assert "[b] ␛[31m" in text


async def test_everything_is_drawn_with_ascii_signs_where_that_is_asked_for() -> None:
    async with shown() as (pilot, screen, _):
        await pilot.app.run_action("ascii")
        await pilot.pause()
        await pilot.pause()
        panes = ("#strategies", "#call", "#run-calls", "#side-head")
        assert "".join(drawn(screen, name) for name in panes).isascii()
        await pilot.app.run_action("ascii")
        await pilot.pause()


# Opening one


def test_recipes_are_in_the_measure_of_the_session_and_keep_pairs_whole() -> None:
    c = tour()
    size, total = len(c.view), c.tokens.total
    assert c.settings.token_limit == 1_000
    assert total < 500
    cuts = [(one.name, one.recipe[0].to_dict()) for one in scaled_recipes(c) if one.recipe]
    assert [name for name, _ in cuts] == [
        "half the messages",
        "50 % of the tokens",
        "80 % of the tokens",
    ]
    assert [cut.get("keepLast", cut.get("maxTokens")) for _, cut in cuts] == [
        size // 2,
        total // 2,
        total * 80 // 100,
    ]
    assert all(cut["keepPairs"] is True and cut["keepSystem"] for _, cut in cuts)
    c.execute({"operation": "CONFIGURE", "tokenLimit": total})
    near = [
        (one.name, one.recipe[0].to_dict()["maxTokens"])
        for one in scaled_recipes(c)[1:]
        if one.recipe
    ]
    assert near == [("50 % of the limit", total // 2), ("80 % of the limit", total * 80 // 100)]
    was = scaled_recipes(c, c.revisions[0].id)
    assert was[0].name == "half the messages"


async def test_enter_shows_what_a_recipe_changes_and_changes_nothing(folder: Path) -> None:
    session = kept(tour())
    before = session.conversation.copy()
    async with shown([recipe(folder, "window", WINDOW)], session) as (pilot, screen, results):
        await pilot.press("enter")
        await wait(pilot)
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen)
        assert len(diff.wanted.right.view) == 7
        assert "window" in drawn_line(diff, "#diff-title")
        await pilot.press("escape")
        assert (pilot.app.screen, results) == (screen, [])
        assert screen.comparison.chosen == 1
    assert session.conversation == before


async def test_ctrl_s_applies_the_recipe_as_a_branch_that_one_undo_takes_back(folder: Path) -> None:
    session = kept(tour())
    before = list(session.conversation.view)
    twice = recipe(folder, "twice", WINDOW, {"operation": "TRUNCATE", "keepLast": 3})
    async with shown([twice], session) as (pilot, screen, results):
        expected = screen.comparison.strategies[1].outcome
        await pilot.press("ctrl+s")
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
        await pilot.press("ctrl+s")
        await wait(pilot)
        assert pilot.app.screen is inspector
        size = len(inspector.look.view)
        assert size < 16
        assert f"Recipe half the messages opened batch 4. 16 → {size} messages" in told(pilot)
        assert "✓ saved" in lines(inspector, "tabs")[0]
        await pilot.press("u")
        assert list(inspector.conversation.view) == before


async def test_a_double_click_in_the_table_shows_what_a_recipe_changes(folder: Path) -> None:
    files = [recipe(folder, "a", GONE), recipe(folder, "b", WINDOW)]
    async with shown(files) as (pilot, screen, results):
        await pilot.click("#strategies", offset=(10, 4), times=2)
        await wait(pilot)
        assert isinstance(pilot.app.screen, DiffScreen)
        assert screen.session.conversation.batch.number == 3
    assert results == []


async def test_a_session_that_is_read_only_is_not_changed(folder: Path) -> None:
    library = MemoryLibrary()
    library.create(tour()).close()
    session = library.open(library.list()[0].id, read_only=True)
    size = len(session.conversation.view)
    async with shown([recipe(folder, "window", WINDOW)], session) as (pilot, screen, results):
        await pilot.press("ctrl+s")
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
        await pilot.press("b", "delete")
        assert (names(screen), screen.comparison.chosen) == (["(recorded)", "a", "c"], 2)
        await pilot.press("delete", "delete")
        await pilot.pause()
        assert names(screen) == ["(recorded)"]
        await pilot.press("delete", "down", "enter")
        assert "The recorded run can't be removed" in told(pilot)
        assert results == []
    assert all(file.path.exists() for file in files)


async def test_plus_picks_a_recorded_recipe_from_the_list(folder: Path) -> None:
    save_recipe("mine", [WINDOW])
    async with shown([recipe(folder, "first", GONE)]) as (pilot, screen, _):
        await pilot.press("i")
        await wait(pilot)
        picker = pilot.app.screen
        assert isinstance(picker, StrategyPicker)
        lines = [picker.query_one("#picks").render_line(y).text for y in range(6)]
        assert any("mine" in one and "recorded" in one and "keepLast 7" in one for one in lines)
        at = [file.name for file in picker.files].index("mine")
        await pilot.press(*["j"] * at, "enter")
        await wait(pilot)
        assert (names(screen), screen.comparison.chosen) == (["(recorded)", "first", "mine"], 2)
        outcome = screen.comparison.strategies[2].outcome
        assert outcome is not None
        assert outcome.messages == 7


async def test_a_recipe_that_is_shown_already_is_only_chosen() -> None:
    async with shown(list_recipes()) as (pilot, screen, _):
        before = names(screen)
        await pilot.press("i")
        await wait(pilot)
        await pilot.press("j", "j", "enter")
        await wait(pilot)
        assert (names(screen), screen.comparison.chosen) == (before, 3)


async def test_a_recipe_comes_from_any_file_and_a_wrong_path_is_said_at_once(folder: Path) -> None:
    other = recipe(folder, "other", WINDOW)
    async with shown([]) as (pilot, screen, _):
        await pilot.press("i")
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
        assert [strategy.file for strategy in screen.comparison.strategies] == [None, other]


async def test_escape_leaves_first_the_line_and_then_the_list() -> None:
    async with shown([]) as (pilot, screen, results):
        await pilot.press("i")
        await wait(pilot)
        picker = pilot.app.screen
        await pilot.press("G", "enter")
        await pilot.pause()
        await pilot.press("q", "escape")
        await pilot.pause()
        assert pilot.app.screen is picker
        await pilot.press("escape")
        await pilot.pause()
        assert (pilot.app.screen, names(screen), results) == (screen, ["(recorded)"], [])


async def test_six_strategies_are_all_there_is_room_for(folder: Path) -> None:
    files = [recipe(folder, name, WINDOW) for name in "abcdefg"]
    async with shown(files) as (pilot, screen, _):
        assert names(screen) == ["(recorded)", *"abcdef"]
        await pilot.press("i")
        await pilot.pause()
        assert pilot.app.screen is screen
        assert "6 strategies are compared" in told(pilot)


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
        assert all(strategy.outcome is not None for strategy in screen.comparison.strategies)
        assert "the same would be sent as now" in drawn(screen, "#run-calls")
