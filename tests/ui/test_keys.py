"""The registry of commands, and the line of keys as it is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.app import CtxtuiApp
from ctxtui.commands import (
    BULK,
    CALL,
    CONTEXTS,
    DIFF,
    FORM,
    INSPECTING,
    LEAVING_OUT,
    LESSON,
    LESSONS,
    LIBRARY,
    LISTS,
    SETTINGS,
    WATCH,
    WHAT_IF,
    Command,
    Facts,
    Keys,
    keys_now,
)
from ctxtui.commands.hints import ALWAYS
from ctxtui.core import Conversation
from ctxtui.explorer.explorer import Explorer
from ctxtui.explorer.panes import Panes
from ctxtui.render.keys import key_line
from ctxtui.screens.bulk import BulkScreen, HitList
from ctxtui.screens.call import CallScreen
from ctxtui.screens.diff import DiffScreen
from ctxtui.screens.form import FormScreen
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.lesson import LessonScreen
from ctxtui.screens.lessons import LessonsScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.operations import OperationsScreen
from ctxtui.screens.paste import PasteScreen
from ctxtui.screens.settings import SettingsScreen
from ctxtui.screens.watch import WatchScreen
from ctxtui.screens.what_if import WhatIfScreen
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.option_list import OptionList
from tests.ui.opening import kept, lines, opened

REGISTRIES = {
    "inspector": INSPECTING,
    "library": LIBRARY,
    "watch": WATCH,
    "lessons": LESSONS,
    "lesson": LESSON,
    "settings": SETTINGS,
    "diff": DIFF,
    "call": CALL,
    "what-if": WHAT_IF,
}
CHANGING: Facts = {"changing": True, "sent": True, "earlier": True, "undo": True, "message": True}


class Everything(dict[str, str | bool]):
    """Facts by which everything can be done."""

    def __missing__(self, name: str) -> str:
        """Return something to say of any fact."""
        return "12"

    def get(self, name: str, default: object = None) -> str:
        """Return something to say of any fact."""
        return "12"


def text(keys: Keys, width: int) -> str:
    return "".join(one.piece.text for one in key_line(keys, width))


@pytest.mark.parametrize("context", CONTEXTS)
@given(width=st.integers(30, 220))
def test_the_line_fits_and_every_key_has_a_word(context: str, width: int) -> None:
    keys = keys_now(CONTEXTS[context], Everything())
    line = key_line(keys, width)
    assert cell_len(text(keys, width)) <= width
    words = [one.piece.text.strip() for one in line if one.piece.kind == "muted"]
    assert all(words)
    assert len(words) == sum(one.piece.kind == "key" for one in line)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("width", [30, 80])
def test_the_way_to_everything_else_never_goes(context: str, width: int) -> None:
    keys = keys_now(CONTEXTS[context], Everything())
    shown = {one.command for one in key_line(keys, width)}
    assert {key.command for group in keys for key in group if key.rank == ALWAYS} <= shown


def test_words_get_shorter_before_keys_go() -> None:
    keys = keys_now(CONTEXTS["#visible"], CHANGING)
    assert "t truncate" in text(keys, 200)
    assert "r replace" in text(keys, 200)
    assert "r edit" in text(keys, 128)
    assert "edit" not in text(keys, 80)
    assert "o all  ? help" in text(keys, 40)


@pytest.mark.parametrize("name", REGISTRIES)
def test_no_key_means_two_things_on_a_screen(name: str) -> None:
    keys = [key for command in REGISTRIES[name] for key in command.keys.split(",")]
    assert len(set(keys)) == len(keys)


async def test_a_click_does_what_the_key_would() -> None:
    async with opened() as (pilot, screen):
        at = lines(screen, "keys")[0].index("o all")
        await pilot.click("#keys", offset=(at + 1, 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, OperationsScreen)


async def test_a_click_on_enter_opens_what_the_focus_is_on() -> None:
    async with opened() as (pilot, screen):
        at = lines(screen, "keys")[0].index("enter read")
        await pilot.click("#keys", offset=(at + 1, 0))
        assert screen.explorer.pane == "message"


def test_a_terminal_of_sixteen_colours_gets_a_theme_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "xterm-16color")
    assert CtxtuiApp(kept(Conversation())).theme == "sixteen"


@pytest.mark.parametrize(
    ("screen", "commands"),
    [
        (InspectorScreen, (*INSPECTING, *LISTS)),
        (LibraryScreen, LIBRARY),
        (WatchScreen, WATCH),
        (LessonsScreen, (*LESSONS, *LISTS)),
        (LessonScreen, (*LESSON, *LISTS)),
        (SettingsScreen, SETTINGS),
        (BulkScreen, (*BULK, *LEAVING_OUT)),
        (DiffScreen, DIFF),
        (CallScreen, CALL),
        (WhatIfScreen, WHAT_IF),
        (FormScreen, FORM),
        (PasteScreen, FORM),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_every_command_has_something_to_do(screen: type, commands: tuple[Command, ...]) -> None:
    for command in commands:
        name = command.action.split("(")[0]
        parts = (screen, Explorer, Panes, LineList, OptionList, HitList)
        owners = (CtxtuiApp,) if name.startswith("app.") else parts
        method = f"action_{name.removeprefix('app.')}"
        assert any(hasattr(owner, method) for owner in owners), command
