"""The registry of commands, and the line of keys as it is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.app import CtxtuiApp
from ctxtui.calls.keys import CALL
from ctxtui.calls.screen import CallScreen
from ctxtui.commands.command import ALWAYS, Command, Conditions, Keys, keys_now
from ctxtui.commands.common import LISTS
from ctxtui.commands.registry import CONTEXTS
from ctxtui.diff.keys import DIFF
from ctxtui.diff.screen import DiffScreen
from ctxtui.forms.keys import FIELDS, FORM
from ctxtui.forms.paste import PasteScreen
from ctxtui.forms.screen import FormScreen, OperationPicker
from ctxtui.inspector.explorer import Explorer
from ctxtui.inspector.keys import INSPECTING
from ctxtui.inspector.panes import Panes
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.lessons.keys import LESSON, LESSONS
from ctxtui.lessons.list_screen import LessonsScreen
from ctxtui.lessons.screen import LessonScreen
from ctxtui.library.bulk import BulkScreen, HitList
from ctxtui.library.keys import BULK, LEAVING_OUT, LIBRARY
from ctxtui.library.screen import LibraryScreen
from ctxtui.settings.keys import SETTINGS
from ctxtui.settings.screen import SettingsScreen
from ctxtui.watch.keys import WATCH
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.screen import WhatIfScreen
from ctxtui.widgets.footer import key_line
from ctxtui.widgets.line_list import LineList, OptionList
from tests.ui.opening import lines, opened

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
CHANGING: Conditions = {
    "inspector": True,
    "changing": True,
    "sent": True,
    "earlier": True,
    "undo": True,
    "message": True,
}


class Everything(dict[str, str | bool]):
    """Conditions by which everything can be done."""

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
    commands = [command for command in REGISTRIES[name] if command.keys]
    keys = [key for command in commands for key in command.keys.split(",")]
    assert len(set(keys)) == len(keys)


async def test_a_click_does_what_the_key_would() -> None:
    async with opened() as (pilot, screen):
        at = lines(screen, "keys")[0].index("o all")
        await pilot.click("#keys", offset=(at + 1, 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, OperationPicker)


async def test_a_click_on_enter_opens_what_the_focus_is_on() -> None:
    async with opened() as (pilot, screen):
        at = lines(screen, "keys")[0].index("enter read")
        await pilot.click("#keys", offset=(at + 1, 0))
        assert screen.explorer.pane == "message"


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
        (PasteScreen, FIELDS),
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
