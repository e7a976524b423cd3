"""Pictures of the screens: few, and each after a fact that must hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from ctxtui.app import CtxtuiApp
from ctxtui.calls.screen import CallScreen
from ctxtui.cli.inputs import open_conversation
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.preferences import Preferences, save_preferences
from ctxtui.forms.screen import FormScreen, OperationPicker
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.screen import WhatIfScreen
from ctxtui.what_if.sweep import SweepScreen
from ctxtui.widgets.line_list import LineList
from tests.settling import idle
from tests.ui.opening import LONG_AGO, kept, painted, tour
from tests.ui.recorded_threads import run_with_agents
from tests.ui.sent_calls import coder
from tests.ui.test_library import wait
from tests.ui.test_watch import at_work

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
SHOTS = Path(__file__).parent / "__snapshots__"
Compare = Callable[..., bool]


def app(conversation: Conversation | None = None, theme: str = "ink") -> CtxtuiApp:
    """Return the app on the tour, without anything that moves by itself."""
    made = CtxtuiApp(kept(conversation or tour()))
    made.animation_level = "none"
    made.theme = theme
    return made


def after(*keys: str, batch: int | None = None, view: str = "inspector") -> Any:
    """Return what to do before the shot: press keys, then see that they had their effect."""

    async def run_before(pilot: Pilot[str]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        await idle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, InspectorScreen)
        assert screen.explorer.views.current == view
        assert batch is None or screen.look.batch.number == batch

    return run_before


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (140, 42), (200, 60)], ids=str)
def test_the_inspector_at_each_size(snap_compare: Compare, size: tuple[int, int]) -> None:
    down = after("j", "j", "j", "j", "j", batch=3)
    assert snap_compare(app(), terminal_size=size, run_before=down)


def test_the_inspector_on_paper(snap_compare: Compare) -> None:
    run = after("1", "j", "j", "j", batch=3)
    assert snap_compare(app(theme="paper"), terminal_size=(140, 42), run_before=run)


def test_stepping(snap_compare: Compare) -> None:
    assert snap_compare(app(), terminal_size=(140, 42), run_before=after("[", batch=2))


def test_an_abandoned_branch(snap_compare: Compare) -> None:
    run = after("4", "g", "j", batch=1)
    assert snap_compare(app(), terminal_size=(140, 42), run_before=run)


@pytest.mark.parametrize(
    ("key", "view"),
    [("0", "text"), ("5", "roles"), ("6", "markmap"), ("7", "journal"), ("8", "tokens")],
    ids=str,
)
def test_the_other_views(snap_compare: Compare, key: str, view: str) -> None:
    run = after(key, view=view)
    assert snap_compare(app(), terminal_size=(140, 42), run_before=run)


def test_lint_findings(snap_compare: Compare) -> None:
    broken = open_conversation(str(SAMPLES / "trip.openai.json")).conversation
    broken.execute({"operation": "TRUNCATE", "keepLast": 7})
    run = after("L", view="lint-view")
    assert snap_compare(app(broken), terminal_size=(120, 36), run_before=run)


def test_a_search(snap_compare: Compare) -> None:
    run = after("/", *"upload", "enter")
    assert snap_compare(app(), terminal_size=(120, 30), run_before=run)


def test_nothing_to_show(snap_compare: Compare) -> None:
    assert snap_compare(app(Conversation()), terminal_size=(100, 30), run_before=after())


def over(*keys: str, screen: type[Screen[Any]]) -> Any:
    """Return what to do before the shot of another screen: press keys that lead there."""

    async def run_before(pilot: Pilot[str]) -> None:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await idle(pilot)
        for field in pilot.app.screen.query("Input, TextArea"):
            field.cursor_blink = False  # type: ignore[attr-defined]
            field._cursor_visible = True  # type: ignore[attr-defined]
        await pilot.pause()
        assert isinstance(pilot.app.screen, screen)

    return run_before


ABOVE: dict[str, tuple[tuple[str, ...], type[Screen[Any]], tuple[int, int]]] = {
    "truncate": (("t", "tab", "4"), FormScreen, (140, 42)),
    "truncate at first": (("t",), FormScreen, (140, 42)),
    "truncate narrow": (("t", "tab", "4"), FormScreen, (80, 24)),
    "replace": (("j", "j", "j", "r"), FormScreen, (140, 42)),
    "operations": (("o",), OperationPicker, (120, 40)),
    "help": (("question_mark",), HelpScreen, (140, 42)),
    "diff": (("left_square_bracket", "equals_sign"), DiffScreen, (140, 42)),
    "what if": (("w",), WhatIfScreen, (140, 42)),
}


@pytest.mark.parametrize("name", ABOVE)
def test_screens_above_the_inspector(snap_compare: Compare, name: str) -> None:
    keys, screen, size = ABOVE[name]
    run = over(*keys, screen=screen)
    assert snap_compare(app(), terminal_size=size, run_before=run), name


@pytest.mark.parametrize(
    ("keys", "screen", "fact"),
    [
        (("d", "n", "n", "n"), WhatIfScreen, "✖ 90"),
        (("f", "delete", "tab"), SweepScreen, "You would ship this"),
    ],
    ids=["over the run", "sweep"],
)
def test_policies_over_a_run(
    snap_compare: Compare, keys: tuple[str, ...], screen: type[Screen[Any]], fact: str
) -> None:
    save_preferences(Preferences(prices="input=3,cached=0.3,output=15"))
    conversation = open_conversation(str(SAMPLES / "refactor-parcel.json")).conversation
    library = MemoryLibrary()
    shown = CtxtuiApp(library.create(conversation, title="refactor-parcel"), library)
    shown.animation_level = "none"
    turn = over("w", *keys, screen=screen)

    async def run_before(pilot: Pilot[str]) -> None:
        await turn(pilot)
        assert fact in painted(pilot.app.screen)

    assert snap_compare(shown, terminal_size=(140, 42), run_before=run_before)


def test_the_library_in_a_review(snap_compare: Compare) -> None:
    ids = iter([letter * 12 for letter in "abcdefgh"])
    times = iter(range(1_000_000_000_000, 1_000_000_900_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times), ids=lambda: next(ids))
    asked = {"role": "user", "content": "Where is parcel 4471? Write to kb@mail.example."}
    answered = {"role": "assistant", "content": "It was left with your neighbour on Monday."}
    sessions: dict[str, list[Any]] = {
        "Where is parcel 4471": [asked, answered],
        "Where is parcel 4471 (2)": [asked, answered],
        "第二个会话": list(tour().log),
        "Wrong size, exchange": [asked, answered, asked, answered],
        "Asks for a human, at once": [asked],
    }
    for title, messages in reversed(sessions.items()):
        with library.create(Conversation(messages, clock=lambda: 1), title=title) as session:
            session.describe(tags=["sample"], note="Looked at twice.")
    shown = CtxtuiApp(library=library)
    shown.animation_level = "none"
    run = over("plus", "minus", "space", "space", screen=LibraryScreen)

    async def run_before(pilot: Pilot[str]) -> None:
        screen = pilot.app.screen
        assert isinstance(screen, LibraryScreen)
        screen.clock = lambda: 1_000_000_300_000
        await run(pilot)
        assert "2 of 5 reviewed" in painted(pilot.app.screen)
        assert isinstance(pilot.app, CtxtuiApp)
        (warning,) = pilot.app.toasts
        assert "Two verdicts on the same" in warning.text
        pilot.app.remove_toast(warning)
        await pilot.pause()
        assert "verdict for the 2" in painted(pilot.app.screen)

    assert snap_compare(shown, terminal_size=(140, 42), run_before=run_before)


def test_a_call(snap_compare: Compare) -> None:
    turn = over("I", screen=CallScreen)

    async def run_before(pilot: Pilot[str]) -> None:
        await turn(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CallScreen)
        assert screen.sheet.cache.broke.kind == "tools"
        assert "run_tests vanished" in painted(screen)

    assert snap_compare(app(coder()), terminal_size=(140, 42), run_before=run_before)


class WrittenLibrary(MemoryLibrary):
    """A library whose sessions are all written by the same program."""

    def writers(self) -> dict[str, str]:
        return dict.fromkeys(super().writers(), "agent.py (process 7 on library_state)")


def test_watch(snap_compare: Compare) -> None:
    ids = (f"{letter}" * 12 for letter in "abcdefgh")
    library = WrittenLibrary(clock=lambda: LONG_AGO, ids=lambda: next(ids))
    run_with_agents(library)
    at_work("notebook", library)
    shown = CtxtuiApp(library=library)
    shown.animation_level = "none"

    async def run_before(pilot: Pilot[str]) -> None:
        screen = WatchScreen(library, clock=lambda: LONG_AGO + 13_000)
        await pilot.app.push_screen(screen)
        await wait(pilot)
        assert screen.watching.written == len(screen.watching.threads)
        await pilot.press("h", "h", "l", "5")
        await wait(pilot)
        await idle(pilot)
        assert screen.thread is not None
        told = screen.cursor.call(screen.thread)
        assert told is not None
        assert (told.number, screen.cursor.is_past(screen.thread)) == (6, True)
        calls = screen.query_one("#watch-calls", LineList)
        assert calls.vertical_scrollbar.position == calls.scroll_y

    assert snap_compare(shown, terminal_size=(140, 42), run_before=run_before)


def test_the_first_run(snap_compare: Compare) -> None:
    shown = CtxtuiApp(library=MemoryLibrary())
    shown.animation_level = "none"
    run = over(screen=LibraryScreen)
    assert snap_compare(shown, terminal_size=(120, 36), run_before=run)


def test_no_two_pictures_are_the_same() -> None:
    pictures = [path.read_text(encoding="utf-8") for path in SHOTS.rglob("*.svg")]
    assert len(pictures) >= 20
    assert len(set(pictures)) == len(pictures)
