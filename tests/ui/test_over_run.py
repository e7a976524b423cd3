"""What-if over the run: keys, what they show, what they open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.files.preferences import FOLDER, load_preferences
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.what_if.picker import StrategyPicker
from ctxtui.what_if.screen import WhatIfScreen
from ctxtui.what_if.sweep import SweepScreen
from tests.ui.opening import painted, refusal, toasts
from tests.ui.runs import CAREFUL, REFUSED, WINDOW, run, saved, written
from tests.ui.sides import Bare, policies, wait
from tests.ui.test_footers import told

SIZES = [(80, 24), (120, 40), (200, 60)]
RULE = 1


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep policies in a folder of this test's own, and two of them there."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    saved(a_window=WINDOW, b_careful=CAREFUL)
    return tmp_path


@asynccontextmanager
async def alone(
    conversation: Conversation | None = None, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], WhatIfScreen]]:
    """Show the screen at the calls of a run, with five policies and everything found out."""
    app = Bare()
    app.animation_level = "none"
    session = MemoryLibrary().create(conversation or run(), title="a run")
    async with app.run_test(size=size) as pilot:
        screen = WhatIfScreen(session, policies(5))
        await app.push_screen(screen)
        await wait(pilot)
        await pilot.press("w")
        yield pilot, screen


@asynccontextmanager
async def over_run(
    conversation: Conversation | None = None, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], WhatIfScreen]]:
    """Open the app on a run, and go to its calls with everything found out."""
    library = MemoryLibrary()
    app = CtxtuiApp(library.create(conversation or run(), title="a run"), library)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("w")
        await wait(pilot)
        await pilot.press("w")
        assert isinstance(app.screen, WhatIfScreen)
        yield pilot, app.screen


def chosen(screen: WhatIfScreen) -> str:
    current = screen.comparison.current
    return "" if current is None else current.name


# Looking


async def test_every_policy_is_walked_and_the_cursor_is_where_the_first_one_fails() -> None:
    conversation = run()
    before = conversation.copy()
    async with alone(conversation) as (_, screen):
        comparison = screen.comparison
        assert [one.name for one in comparison.strategies][:2] == ["a_window", "b_careful"]
        assert all(one.figures is not None for one in comparison.strategies)
        seen = painted(screen)
        assert "Tokens per call" in seen
        assert "5 strategies" in seen
        assert "must stay ★ rule" in seen
        first = next(one for one in comparison.per_call if one.fails)
        assert f"Call {first.call} " in seen
        assert "keepLast 5, before every" in seen
    assert conversation == before


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_table_plot_strips_and_call_are_in_sight_at_any_size(size: tuple[int, int]) -> None:
    async with alone(size=size) as (pilot, screen):
        seen = painted(screen)
        for words in ("a_window", "b_careful", "limit", "tokens", "✖", "★", "▆"):
            assert words in seen, words
        if size == (80, 24):
            await pilot.press("space")
            await pilot.pause()
            assert "open it as a session" not in painted(screen)
            await pilot.press("greater_than_sign", "greater_than_sign")
            await pilot.pause()
            assert "open it as a session" in painted(screen)
            await pilot.press("space")
            await pilot.pause()
        assert "Last sent in call" in seen or size == (80, 24) or "broken" in seen


async def test_the_cursor_goes_along_the_calls() -> None:
    async with alone() as (pilot, screen):
        comparison = screen.comparison
        calls = comparison.calls
        for key, call in (
            ("g", 1),
            ("left", 1),
            ("right", 2),
            ("l", 3),
            ("h", 2),
            ("pagedown", 12),
            ("pageup", 2),
            ("G", calls),
            ("home", 1),
            ("end", calls),
        ):
            await pilot.press(key)
            assert comparison.call == call, key
        assert f"Call {calls} " in painted(screen)


async def test_n_goes_from_one_failing_call_to_the_next_and_says_when_there_is_none() -> None:
    async with alone() as (pilot, screen):
        comparison = screen.comparison
        fails = [one.call for one in comparison.per_call if one.fails]
        await pilot.press("g")
        seen = []
        for _ in fails:
            await pilot.press("n")
            seen.append(comparison.call)
        assert seen == fails
        await pilot.press("n")
        assert "No later call fails" in toasts(pilot)
        await pilot.press("N")
        assert comparison.call == fails[-2]


async def test_brackets_go_to_where_the_policy_acts() -> None:
    async with alone() as (pilot, screen):
        comparison = screen.comparison
        await pilot.press("b", "g", "right_square_bracket")
        acts = [one.call for one in comparison.per_call if one.acted]
        assert comparison.call == acts[0]
        await pilot.press("right_square_bracket", "left_square_bracket")
        assert comparison.call == acts[0]


async def test_letters_arrows_and_the_mouse_choose_a_policy() -> None:
    async with alone() as (pilot, screen):
        for key, name in (
            ("b", "b_careful"),
            ("a", "a_window"),
            ("down", "b_careful"),
            ("k", "a_window"),
            ("f", "a_window"),
        ):
            await pilot.press(key)
            assert chosen(screen) == name, key
        await pilot.click("#strategies", offset=(10, 3))
        await pilot.pause()
        assert chosen(screen) == "b_careful"
        await pilot.click("#run-calls", offset=(30, 5))
        await pilot.pause()
        size = screen.query_one("#run-calls").size
        assert screen.comparison.call == screen.picture(*size).call_at(28)


async def test_the_history_is_compared_too() -> None:
    conversation = run()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 4})
    conversation.append("assistant", "Done.")
    async with alone(conversation) as (pilot, screen):
        assert "(recorded)" in painted(screen)
        await pilot.press("b", "r")
        assert chosen(screen) == "(recorded)"
        await pilot.press("delete")
        assert "The recorded run can't be removed" in toasts(pilot)


# What there is to say when there is nothing to show


async def test_now_follows_the_last_call_and_w_goes_back_and_forth() -> None:
    async with alone() as (pilot, screen):
        comparison = screen.comparison
        await pilot.press("G", "right")
        assert comparison.is_now
        assert "Who keeps what" in painted(screen)
        await pilot.press("left")
        assert (comparison.is_now, comparison.call) == (False, comparison.calls)
        await pilot.press("w")
        assert comparison.is_now
        await pilot.press("n")
        assert (comparison.is_now, comparison.per_call[comparison.call - 1].fails) == (False, True)


async def test_a_recipe_is_played_before_every_call_when_asked(folder: Path) -> None:
    file = written(folder, "mine", WINDOW["do"])
    async with alone() as (pilot, screen):
        screen.comparison.add_file(file)
        screen.find_out()
        await wait(pilot)
        assert "p plays it before every call" in painted(screen)
        assert "It is tried on the state now only." in painted(screen)
        await pilot.press("enter")
        assert "A recipe is tried on the state now" in toasts(pilot)
        await pilot.press("p")
        await wait(pilot)
        assert "p plays it before every call" not in painted(screen)
        assert len(screen.comparison.per_call) == screen.comparison.calls
        await pilot.press("p")
        assert "Only a recipe" in toasts(pilot)


async def test_a_policy_is_applied_to_the_state_now_from_any_call() -> None:
    conversation = run()
    async with over_run(conversation) as (pilot, screen):
        await pilot.press("g", "ctrl+s")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert len(inspector.conversation.view) == 5
        assert "Policy a_window opened batch" in toasts(pilot)
        await pilot.press("u")
        assert len(inspector.conversation.view) == len(conversation.log)
    assert screen.comparison.current is not None


async def test_a_run_without_calls_says_so() -> None:
    quiet = Conversation([{"role": "user", "content": "hi"}])
    async with over_run(quiet) as (pilot, _):
        assert "No assistant message: nothing was asked of a model." in toasts(pilot)
        await pilot.press("right", "n", "enter", "L", "tab")
        await wait(pilot)
        assert "No assistant message" in painted(pilot.app.screen)


async def test_without_a_policy_one_can_be_added(folder: Path) -> None:
    other = written(folder, "other", WINDOW)
    async with alone() as (pilot, screen):
        await pilot.press(*["delete"] * 5)
        assert screen.comparison.strategies == []
        assert "No strategy yet. i adds one." in painted(screen)
        await pilot.press("enter", "n", "L", "i")
        await wait(pilot)
        picker = pilot.app.screen
        assert isinstance(picker, StrategyPicker)
        assert "a_window" in painted(picker)
        await pilot.press("G", "enter")
        picker.query_one("#ask", Input).value = str(folder / "nowhere.json")
        await pilot.press("enter")
        await wait(pilot)
        assert "there is no such file" in refusal(picker)
        picker.query_one("#ask", Input).value = str(other.path)
        await pilot.press("enter")
        await wait(pilot)
        assert pilot.app.screen is screen
        assert [one.name for one in screen.comparison.strategies] == ["other"]
        assert screen.comparison.strategies[0].figures is not None


async def test_policies_that_cannot_be_read_or_are_refused_say_why(folder: Path) -> None:
    written(folder / "config" / "policies", "a0", {"stages": []})
    saved(a1=REFUSED)
    async with alone() as (pilot, screen):
        seen = painted(screen)
        assert "✖" in seen
        assert "stages" in seen
        await pilot.press("a", "enter")
        assert "stages" in toasts(pilot)
        assert pilot.app.screen is screen
        await pilot.press("b")
        assert "refused" in painted(screen)


async def test_six_strategies_are_all_there_is_room_for() -> None:
    async with alone() as (pilot, screen):
        await pilot.press("i")
        await wait(pilot)
        picker = pilot.app.screen
        assert isinstance(picker, StrategyPicker)
        shown = {one.file.path for one in screen.comparison.strategies if one.file}
        free = next(at for at, file in enumerate(picker.files) if file.path not in shown)
        await pilot.press(*["j"] * free, "enter")
        await wait(pilot)
        assert screen.comparison.strategy_count == 6
        await pilot.press("i")
        assert pilot.app.screen is screen
        assert "6 strategies are compared" in toasts(pilot)


# Asking


async def test_prices_are_asked_for_shown_and_remembered() -> None:
    async with over_run() as (pilot, screen):
        assert "cost" not in painted(screen)
        await pilot.press("dollar_sign", *"3", "enter")
        assert "price" in refusal(screen)
        screen.query_one("#ask", Input).value = "input=3,cached=0.3,output=15"
        await pilot.press("enter")
        await pilot.pause()
        assert "cost" in painted(screen)
        assert "$3 in" in painted(screen)
        assert load_preferences().prices == "input=3,cached=0.3,output=15"
    async with over_run() as (pilot, screen):
        assert "$3 in" in painted(screen)
        await pilot.press("dollar_sign")
        screen.query_one("#ask", Input).value = ""
        await pilot.press("enter")
        assert screen.comparison.prices is None
    assert load_preferences().prices == ""


async def test_other_labels_may_have_to_stay() -> None:
    conversation = run()
    conversation.execute({"operation": "MARK", "indices": [0], "label": "head"})
    async with alone(conversation) as (pilot, screen):
        await pilot.press("b")
        before = screen.comparison.per_call[-1].marks_missing
        await pilot.press("asterisk", *"tail", "enter")
        assert "head, rule" in refusal(screen)
        screen.query_one("#ask", Input).value = "rule"
        await pilot.press("enter")
        await wait(pilot)
        assert "must stay ★ rule" in painted(screen)
        assert (before, screen.comparison.per_call[-1].marks_missing) == (0, 0)
        assert screen.comparison.question is not None
        assert screen.comparison.question.required_labels == ("rule",)


# Turning, leaving


async def test_tab_goes_round_the_sides_and_nothing_is_walked_twice() -> None:
    async with over_run() as (pilot, screen):
        runs = [one.run for one in screen.comparison.strategies]
        await pilot.press("b", "G")
        for key, side in (
            ("tab", SweepScreen),
            ("tab", WhatIfScreen),
            ("shift+tab", SweepScreen),
            ("shift+tab", WhatIfScreen),
        ):
            await pilot.press(key)
            await wait(pilot)
            assert type(pilot.app.screen) is side
        again = pilot.app.screen
        assert isinstance(again, WhatIfScreen)
        assert all(
            one.run is old for one, old in zip(again.comparison.strategies, runs, strict=True)
        )
        assert (chosen(again), again.comparison.call) == ("b_careful", again.comparison.calls)


async def test_a_click_on_a_tab_turns_to_that_side() -> None:
    async with over_run(run(25)) as (pilot, screen):
        at = painted(screen).splitlines()[0].index("Sweep")
        await pilot.click("#side-head", offset=(at, 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, SweepScreen)


@pytest.mark.parametrize("keys", [("escape",), ("tab", "escape"), ("q",)], ids=str)
async def test_escape_leaves_what_if_from_any_side_with_nothing_changed(
    keys: tuple[str, ...],
) -> None:
    conversation = run()
    before = conversation.copy()
    async with over_run(conversation) as (pilot, _):
        await pilot.press(*keys)
        await wait(pilot)
        assert isinstance(pilot.app.screen, InspectorScreen)
        assert pilot.app.screen.conversation == before


async def test_typing_in_a_prompt_turns_to_no_other_side() -> None:
    async with over_run() as (pilot, screen):
        await pilot.press("dollar_sign", "tab", "a", "escape")
        assert pilot.app.screen is screen
        assert not screen.prompt.is_open


# Opening


async def test_enter_opens_what_the_policy_sends_there_as_a_session() -> None:
    async with over_run() as (pilot, screen):
        await pilot.press("G")
        current = screen.comparison.current
        assert current is not None
        assert current.run is not None
        sent = current.run.at(screen.comparison.calls)
        await pilot.press("enter")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.session.title == "a run · a_window, call 24"
        assert list(inspector.conversation.view) == list(sent.view)
        assert list(inspector.conversation.visible) == list(sent.visible)
        assert inspector.session.is_saved
        assert "Simulated: a_window at call 24 of 24" in toasts(pilot)
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        assert {entry.title for entry in app.library.list()} == {"a run", inspector.session.title}


async def test_why_leads_to_the_finding_in_lint() -> None:
    async with over_run() as (pilot, screen):
        comparison = screen.comparison
        comparison.go_to(next(one.call for one in comparison.per_call if one.errors))
        facts = comparison.facts()
        assert facts is not None
        finding = facts.errors[0]
        await pilot.press("L")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.explorer.views.current == "lint-view"
        found = inspector.explorer.views.lint.finding
        assert found is not None
        assert (found.rule, found.raw_index) == (finding.rule, finding.raw_index)


async def test_why_leads_to_what_is_lacking_where_nothing_is_broken() -> None:
    async with over_run() as (pilot, screen):
        comparison = screen.comparison
        calls = comparison.per_call
        comparison.go_to(next(one.call for one in calls if one.marks_missing and not one.errors))
        await pilot.press("L")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert (inspector.explorer.raw, inspector.explorer.pane) == (RULE, "raw")
        assert inspector.look.blame(RULE) is not None


async def test_there_is_no_why_where_nothing_is_wrong() -> None:
    async with over_run() as (pilot, screen):
        await pilot.press("b", "L")
        assert pilot.app.screen is screen
        assert "Nothing is wrong with this call" in toasts(pilot)


async def test_what_was_recorded_is_looked_at_in_the_session_itself() -> None:
    conversation = run()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 4})
    conversation.append("assistant", "Done.")
    conversation.execute({"operation": "CLEAR"})
    before = conversation.copy()
    async with over_run(conversation) as (pilot, screen):
        await pilot.press("r", "G")
        asked = screen.comparison.question
        assert asked is not None
        batch = asked.run.calls[-1].batch
        await pilot.press("enter")
        await wait(pilot)
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.look.batch.number == batch == 1
        assert inspector.conversation == before


# Everything else


async def test_the_line_of_keys_shows_what_can_be_done() -> None:
    async with alone(size=(200, 60)) as (pilot, screen):
        line = told(screen)
        for key in ("← → call", "n N next failing", "↑ ↓ strategy", "enter open", "L lint"):
            assert key in line
        assert "tab sweep" not in line
        await pilot.press("b")
        lead = [one.split(" ")[0] for one in told(screen)]
        assert not {"n", "L", "space"} & set(lead)
    async with alone(size=(80, 24)) as (_, screen):
        assert "space the call" in told(screen)


@pytest.mark.parametrize(("rounds", "is_offered"), [(24, False), (25, True)])
async def test_a_sweep_is_offered_from_fifty_calls_on(rounds: int, is_offered: bool) -> None:
    async with over_run(run(rounds)) as (_, screen):
        assert screen.comparison.calls == 2 * rounds
        assert ("tab sweep" in told(screen)) == is_offered
        assert ("Sweep" in painted(screen).splitlines()[0]) == is_offered


async def test_the_question_mark_shows_the_keys() -> None:
    async with alone() as (pilot, _):
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_everything_is_drawn_with_ascii_signs_where_that_is_asked_for() -> None:
    async with alone() as (pilot, screen):
        await pilot.app.run_action("ascii")
        await pilot.pause()
        await pilot.pause()
        assert painted(screen).isascii()
        await pilot.app.run_action("ascii")
        await pilot.pause()
