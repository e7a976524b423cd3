"""The side of what-if that sweeps a number: the plot, the table, and what one takes along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.core import Conversation
from ctxtui.core.formats import dump_json
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy
from ctxtui.files.policies import check_text, list_policies, load_policy
from ctxtui.files.preferences import FOLDER
from ctxtui.text.lines import Line, line_width, on_background
from ctxtui.what_if.drawing.sweep import (
    PriceAxis,
    Series,
    SweepPlot,
    facts_lines,
    heights,
    series_of,
    ship_lines,
    verdict,
)
from ctxtui.what_if.keys import SWEEP
from ctxtui.what_if.models.comparison import StrategyComparison
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor
from ctxtui.what_if.sweep import SweepScreen
from tests.ui.opening import painted, refusal, toasts
from tests.ui.runs import CAREFUL, IDLE, WINDOW, run, saved
from tests.ui.sides import Bare, policies, wait
from tests.ui.test_footers import told as keys_told

SIZES = [(80, 24), (120, 40), (200, 60)]
RANGE = "keepLast=4:14:2"
PRICES = "input=3,cached=0.3,output=15"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep policies in a folder of this test's own, and two of them there."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    saved(a_window=WINDOW, b_careful=CAREFUL)
    return tmp_path


@asynccontextmanager
async def sweeping(
    conversation: Conversation | None = None,
    size: tuple[int, int] = (140, 42),
    text: str = RANGE,
    count: int = 2,
) -> AsyncIterator[tuple[Pilot[str], SweepScreen, list[bool | None]]]:
    """Show this side alone, with a sweep of which everything is known."""
    app, ends = Bare(), list[bool | None]()
    app.animation_level = "none"
    comparison = StrategyComparison(conversation or run(), "a run", policies(count))
    async with app.run_test(size=size) as pilot:
        cursor = SweepCursor(PolicySweep(comparison))
        screen = SweepScreen(cursor)
        if text:
            cursor.sweep.ask(text)
        await app.push_screen(screen, ends.append)
        await wait(pilot)
        yield pilot, screen, ends


def shown(lines: list[Line]) -> str:
    return "\n".join("".join(piece.text for piece in line) for line in lines)


# Waiting


async def test_what_acts_on_a_setting_waits_until_all_are_known() -> None:
    async with sweeping() as (pilot, screen, _):
        save, move, leave = (events.Key(name, None) for name in ("S", "left", "escape"))
        assert screen.accepts_key(save)
        screen.sweep.family = None
        assert screen.accepts_key(save), (
            "nothing is being found out, so there is nothing to wait for"
        )
        screen.find_out()
        assert not screen.accepts_key(save)
        assert screen.accepts_key(move)
        assert screen.skips_queue(leave)
        await pilot.press("comma")
        assert screen.accepts_key(save)  # A letter of what is typed.


# Drawing


def test_twice_as_dear_is_as_far_everywhere() -> None:
    axis = PriceAxis([1, 2, 4, 8], 31, is_money=True)
    assert [axis.cell(price) for price in (0, 1, 2, 4, 8)] == [0, 0, 10, 20, 30]
    assert [axis.text(price) for price in axis.ticks()] == ["$1.00", "$2.00", "$5.00"]
    assert PriceAxis([3, 3], 31, is_money=False).cell(3) == 15
    assert PriceAxis([0], 31, is_money=False).cell(0) == 15


async def test_settings_are_drawn_where_they_belong() -> None:
    async with sweeping() as (_, screen, _ends):
        series = series_of(screen.cursor)
        plot = SweepPlot(series, 24, (90, 30), is_money=False, must="rule")
        assert [one.letter for one in series] == ["B", "A"]
        for size in ((30, 9), (60, 16), (90, 30)):
            drawn = SweepPlot(series, 24, size, is_money=False, must="rule")
            lines = drawn.lines(screen.cursor.setting, screen.cursor.rival_setting)
            assert all(line_width(line) <= size[0] for line in lines)
            assert len(lines) == size[1]
            told = shown(lines)
            assert "✖" in told
            assert "★" in told
            assert "●" in told or "○" in told
        for (column, row), setting in plot.places.items():
            failing = setting.figures.failing
            assert (row == plot.rows - 1) == (not failing)
            assert plot.setting_at(column + 6, row) is setting
        assert plot.setting_at(0, 0) is None
        assert "calls that fail against tokens outside the prefix" in painted(screen)


async def test_signs_tell_what_fails_and_how_much_room_is_left() -> None:
    async with sweeping() as (_, screen, _ends):
        window, careful = (screen.sweep.settings(one) for one in screen.sweep.swept)
        signs = {piece.text for one in window for _, piece in heights(one)}
        assert signs == {"✖", "★"}
        rooms = [heights(one)[0][1] for one in careful if not one.figures.failing]
        limit = screen.comparison.limit
        assert limit is not None
        for piece, one in zip(rooms, careful, strict=False):
            over = one.figures.peak > limit
            assert piece.text == ("○" if over else "●")
            assert piece.kind == ("ok" if one.has_room else "warn")


def test_a_sweep_of_nothing_is_drawn_too() -> None:
    plot = SweepPlot([Series("A", "a", (), True)], 0, (40, 12), is_money=True, must="")
    assert len(plot.lines(None, None)) == 12


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_setting_to_ship_is_in_sight_at_any_size(size: tuple[int, int]) -> None:
    async with sweeping(size=size) as (pilot, screen, _):
        told = painted(screen)
        assert "You would ship this" in told
        assert screen.cursor.setting is not None
        assert f"keepLast {screen.cursor.setting.value}" in told
        assert "sweep keepLast=4:14:2" in told
        if size == (80, 24):
            await pilot.press("space")
            await pilot.pause()
            told = painted(screen)
        assert "peak" in told
        assert "To ship: the widest on the front" in " ".join(told.split())


async def test_the_policy_its_neighbours_and_the_rules_are_told() -> None:
    async with sweeping() as (pilot, screen, _):
        before = screen.cursor.key
        screen.comparison.ask_prices(PRICES)
        screen.refill()
        assert screen.cursor.key == before
        await wait(pilot)
        for width in (60, 120):
            lines = ship_lines(screen.cursor, 7, width)
            assert all(line_width(line) <= width for line in lines)
        told = shown(ship_lines(screen.cursor, 12, 130))
        assert '"keepPairs": "drop"' in told
        setting = screen.cursor.setting
        assert setting is not None
        pieces = [piece for line in ship_lines(screen.cursor, 12, 130) for piece in line]
        (lit,) = [piece.text for piece in pieces if piece.kind == on_background("key", "opened")]
        assert lit == str(setting.value)
        assert f'"keepLast": {lit}' in told
        assert any(f"{verb} $" in told for verb in ("costs", "saves"))
        assert "✓ 0 broken" in told
        facts = " ".join(shown(facts_lines(screen.cursor, 44)).split())
        assert facts.startswith("A: no value is without a failing call. B:")
        assert facts.endswith("peak at most 80 % of the limit.")


# Moving


async def test_the_cursor_goes_along_settings_policies_and_the_front() -> None:
    async with sweeping() as (pilot, screen, _):
        cursor = screen.cursor
        start = cursor.key
        for key, value in (("g", 4), ("right", 6), ("l", 8), ("h", 6), ("G", 14), ("left", 12)):
            await pilot.press(key)
            assert cursor.key is not None
            assert cursor.key[1] == value, key
        assert "This setting" in painted(screen)
        assert "would be shipped; press K" in painted(screen)
        await pilot.press("k")
        assert cursor.strategy is screen.sweep.swept[0]
        await pilot.press("K")
        assert (cursor.key, cursor.is_shipped) == (start, True)
        await pilot.press("g", "n")
        assert cursor.setting is not None
        assert screen.sweep.is_front(cursor.setting)
        await pilot.press(*["n"] * 12)
        assert "No later setting is on the front" in toasts(pilot)


async def test_the_mouse_chooses_a_setting() -> None:
    async with sweeping() as (pilot, screen, _):
        rows = painted(screen).splitlines()
        y = next(at for at, row in enumerate(rows) if "Settings" in row)
        await pilot.click("#settings", offset=(6, 3))
        await pilot.pause()
        assert screen.cursor.key is not None
        assert (y, screen.cursor.key[1]) == (2, 6)
        plot = screen.query_one("#settings-plot")
        drawn = screen.plot(*plot.size)
        (column, row), setting = next(iter(drawn.places.items()))
        await pilot.click("#settings-plot", offset=(column + 6 + 2, row + 1))
        await pilot.pause()
        assert screen.cursor.setting is setting


# Asking


async def test_another_range_is_swept_and_a_wrong_one_refused() -> None:
    async with sweeping() as (pilot, screen, _):
        await pilot.press("comma")
        screen.query_one("#ask", Input).value = "window=1:5"
        await pilot.press("enter")
        assert "keepLast" in refusal(screen)
        screen.query_one("#ask", Input).value = "keepLast=4:8:2"
        await pilot.press("enter")
        await wait(pilot)
        assert screen.sweep.progress == (6, 6)
        assert screen.cursor.key is not None
        assert screen.cursor.key[1] in (4, 6, 8)


async def test_a_sweep_begins_by_itself() -> None:
    async with sweeping(text="") as (_, screen, _ends):
        assert str(screen.sweep.sweep) == "keepLast=1:20:1"
        assert screen.sweep.family is not None


async def test_prices_change_what_it_is_drawn_against() -> None:
    async with sweeping() as (pilot, screen, _):
        await pilot.press("dollar_sign")
        screen.query_one("#ask", Input).value = PRICES
        await pilot.press("enter")
        await wait(pilot)
        assert "against cost" in painted(screen)
        assert screen.sweep.family is not None


async def test_what_cannot_be_swept_is_said() -> None:
    none = Conversation([{"role": "user", "content": "hi"}])
    async with sweeping(none) as (pilot, screen, ends):
        assert "No assistant message" in painted(screen)
        await pilot.press("n", "w", "enter", "S", "e", "j", "right", "g")
        assert "This setting is not known yet" in toasts(pilot)
        assert ends == []
    for file in list_policies():
        if file.origin == "saved":
            file.path.unlink()
    saved(c_idle={"do": [{"operation": "CLEAR"}]})
    async with sweeping(text="", count=1) as (_, screen, _ends):
        assert "None of the policies has a number" in painted(screen)
    saved(b_other=IDLE)
    async with sweeping(count=1) as (_, screen, _ends):
        assert "None of the policies has keepLast" in painted(screen)


# Taking along


async def test_enter_plays_the_setting_through_the_run() -> None:
    async with sweeping() as (pilot, screen, ends):
        await pilot.press("g", "enter")
        await wait(pilot)
        assert ends == [False]
        assert not screen.comparison.is_now
        current = screen.comparison.current
        assert current is not None
        assert current.name == "b_careful, keepLast 4"
        assert screen.comparison.strategy_count == 3


async def test_the_setting_is_saved_as_a_policy_that_does_the_same() -> None:
    async with sweeping() as (pilot, screen, _):
        setting = screen.cursor.setting
        assert setting is not None
        await pilot.press("S", "enter")
        await wait(pilot)
        assert "Saved as" in toasts(pilot)
        file = next(one for one in list_policies() if one.origin == "saved" and "-" in one.name)
        policy = load_policy(file.path)
        assert policy.name == f"b_careful, keepLast {setting.value}"
        assert policy.stages == setting.policy.stages


async def test_a_check_for_ci_is_written_and_nothing_over_it_unless_asked_twice(
    folder: Path,
) -> None:
    async with sweeping() as (pilot, screen, _):
        (folder / "check.sh").write_text("mine", encoding="utf-8")
        await pilot.press("e", *"check.sh", "enter")
        await wait(pilot)
        assert "exists. Press enter again" in refusal(screen)
        assert (folder / "check.sh").read_text(encoding="utf-8") == "mine"
        await pilot.press("enter")
        await wait(pilot)
        assert "Written to check.sh" in toasts(pilot)
        written = (folder / "check.sh").read_text(encoding="utf-8")
        assert written.startswith("#!/bin/sh\n")
        assert "--expect broken=0 withoutMarked=0" in written
        await pilot.press("e", "enter")
        await wait(pilot)
        assert list(folder.glob("check-b_careful*.sh"))


async def test_the_check_passes_for_this_policy_and_fails_for_a_worse_run(folder: Path) -> None:
    async with sweeping() as (_, screen, _ends):
        setting, question = screen.cursor.setting, screen.comparison.question
    assert setting is not None
    assert question is not None
    for name, rounds in (("a run.json", 12), ("long.json", 20)):
        text = dump_json(run(rounds).to_dict())
        (folder / name).write_text(text, encoding="utf-8")
    check = check_text("a run.json", setting.policy, setting.figures, question.required_labels)
    (folder / "check.sh").write_text(check, encoding="utf-8")
    shims = folder / "bin"
    shims.mkdir()
    shim = shims / "ctxtui"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ctxtui "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    root = str(Path(__file__).parents[2])
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": root}
    codes = [
        subprocess.run(
            ["sh", "check.sh", *more], cwd=folder, env=environment, capture_output=True, check=False
        ).returncode
        for more in ([], ["long.json"])
    ]
    assert codes == [0, 1]


def test_a_check_quotes_whatever_names_hold() -> None:
    name = "it's $(rm) `x` \n POLICY"
    policy = Policy({"name": name, **WINDOW})
    figures = run_policy(SimulationConfig.about(run_of(run())), policy).figures
    text = check_text("my 'run'.json", policy, figures, ["a b", "it's"])
    assert "run='my '\"'\"'run'\"'\"'.json'" in text
    assert "--must 'a b' 'it'\"'\"'s'" in text
    inside = text.split("<<'POLICY'\n")[1].split("\nPOLICY\n")[0]
    assert json.loads(inside)["name"] == name


# Everything else


async def test_every_command_has_its_action_and_ascii_signs_are_drawn() -> None:
    async with sweeping() as (pilot, screen, _):
        for command in SWEEP:
            owner = pilot.app if command.action.startswith("app.") else screen
            name = command.action.removeprefix("app.").split("(")[0]
            assert callable(getattr(owner, f"action_{name}")), command
        assert verdict(screen.cursor)[0] == "You would ship this"
        for key in (
            "← → setting",
            "↑ ↓ policy",
            "S save",
            "e export",
            "tab strategies",
        ):
            assert key in keys_told(screen)
        assert "K offer" not in keys_told(screen)
        await pilot.app.run_action("ascii")
        await pilot.pause()
        await pilot.pause()
        assert painted(screen).isascii()
        await pilot.app.run_action("ascii")
        await pilot.pause()


@pytest.mark.parametrize(("key", "is_over"), [("escape", True), ("q", True), ("tab", False)])
async def test_escape_leaves_what_if_and_tab_goes_back_to_it(key: str, is_over: bool) -> None:
    async with sweeping() as (pilot, _, ends):
        await pilot.press(key)
        await wait(pilot)
        assert ends == [is_over]
