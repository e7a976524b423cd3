"""The line of keys: as many words as fit, never without the way to everything else."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core import Conversation
from ctxtui.app import CtxtuiApp
from ctxtui.commands import DIFF, FORM, INSPECTING, LIBRARY, LISTS, WHAT_IF, Command
from ctxtui.explorer.explorer import Explorer
from ctxtui.explorer.panes import Panes
from ctxtui.render.keys import key_line
from ctxtui.screens.diff import DiffScreen
from ctxtui.screens.form import FormScreen
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.operations import OperationsScreen
from ctxtui.screens.paste import PasteScreen
from ctxtui.screens.what_if import WhatIfScreen
from ctxtui.widgets.line_list import LineList
from tests.ui.opening import kept, lines, opened

REGISTRIES = {"inspector": INSPECTING, "library": LIBRARY, "diff": DIFF, "what-if": WHAT_IF}


def text(commands: tuple[Command, ...], width: int) -> str:
    return "".join(key.piece.text for key in key_line(commands, width))


@pytest.mark.parametrize("name", REGISTRIES)
@pytest.mark.parametrize("width", [30, 60, 80, 120, 200])
def test_the_line_fits_and_help_never_goes(name: str, width: int) -> None:
    line = text(REGISTRIES[name], width)
    assert cell_len(line) <= width
    assert "? help" in line


def test_words_go_from_the_left_first() -> None:
    assert "a append" in text(INSPECTING, 140)
    assert "a append" not in text(INSPECTING, 120)
    assert "u undo" in text(INSPECTING, 120)
    assert "o all" in text(INSPECTING, 40)


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
        (DiffScreen, DIFF),
        (WhatIfScreen, WHAT_IF),
        (FormScreen, FORM),
        (PasteScreen, FORM),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_every_command_has_something_to_do(screen: type, commands: tuple[Command, ...]) -> None:
    for command in commands:
        name = command.action.split("(")[0]
        parts = (screen, Explorer, Panes, LineList)
        owners = (CtxtuiApp,) if name.startswith("app.") else parts
        method = f"action_{name.removeprefix('app.')}"
        assert any(hasattr(owner, method) for owner in owners), command
