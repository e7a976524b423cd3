"""The registry of commands, and the line of keys as it is drawn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.app import CtxtuiApp
from ctxtui.calls.keys import CALL
from ctxtui.calls.screen import CallScreen
from ctxtui.commands.command import ALWAYS, SYMBOLS, Command, Conditions, Keys, keys_now
from ctxtui.commands.common import LISTS
from ctxtui.commands.registry import CONTEXTS
from ctxtui.diff.keys import DIFF
from ctxtui.diff.screen import DiffScreen
from ctxtui.forms.keys import FIELDS, FORM
from ctxtui.forms.options import OptionForm
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
from ctxtui.widgets.line_list import LineList
from tests.docs.keys_page import SCREENS
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


def test_a_key_is_dropped_with_its_word_where_there_is_no_room() -> None:
    keys = keys_now(CONTEXTS["#visible"], CHANGING)
    assert "r replace" in text(keys, 200)
    assert " r " not in text(keys, 80)
    assert "t truncate" in text(keys, 80)
    assert "o all  ? help" in text(keys, 40)


SAYS_WHAT_IS_THERE = {
    *("enter", "esc", "tab", "space", "space v", "backspace", "ctrl+d ctrl+u", "ctrl+f"),
    *("j k", "n N", "n", "[ ]", "{ }", "< >", "← →", "→ ←", "↑ ↓", "↓ ↑", "↑"),
    *("0–9", "1–4", "1–3", "1–2", "6", "+ - !", "% a e ="),
}
"""Keys whose word says where they lead from here; all others have one word of their own."""
OTHER_WORDS = {
    ("R", "check out"): "a batch of another branch is not rolled back to",
    ("f", ""): "the number of new messages",
    ("v", "end range"): "select range is shown next to space",
    ("w", "over the run"): "the other side of what-if",
    ("w", "now"): "the other side of what-if",
    ("t", ""): "the name of the other language",
    ("G", "last line"): "in the help, where there is one list",
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_key_has_the_word_of_the_palette_everywhere(context: str) -> None:
    others = [
        (hint.keys, word)
        for group in CONTEXTS[context]
        for command in group
        for hint in command.hints
        for word in [re.sub(r"( to)? ?\{\w+\}.*", "", hint.word)]
        if hint.keys not in SAYS_WHAT_IS_THERE and word != command.title.lower()
    ]
    assert set(others) <= set(OTHER_WORDS)


FAMILIES = {
    "a conversation": ("Inspector", "Text", "Journal", "Calls", "Diff", "Loom", "What-if", "Sweep"),
    "sessions": ("Library", "Many sessions", "Settings"),
    "threads": ("Watch", "Sessions that others write"),
    "lessons": ("Lessons", "A lesson"),
}
"""Screens on which a small letter means one thing; capitals and symbols do on all screens."""
ARROWS = ("up", "down", "left", "right")
MOVES = {*"ghjklnGN0123456789", "left_square_bracket", "right_square_bracket", "{", "}"}
"""Keys that move in what is there: the next one, the last one, a digit of a number."""
TWO_THINGS = {
    **dict.fromkeys("abcdefr", "what-if: the strategy of that letter"),
    "S": "the plain twin of ctrl+s",
    "less_than_sign": "what-if scrolls a text, the player is slower",
    "greater_than_sign": "the next conversation, or the next lesson; the player is faster",
    "asterisk": "keeps only, selects all, must stay: what is not let go",
    "equals_sign": "compares: batches, calls, or sessions",
    "comma": "settings of the conversation, the app, or the sweep; again, closes them",
    "q": "leaves a screen above another one, or the app",
    "w": "what-if, and its two sides",
    "p": "what-if: plays a recipe",
    "O": "the library, also from a lesson",
}


def meanings(*screens: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for screen in screens:
        for command in INSPECTING if screen == "Inspector" else SCREENS[screen]:
            for key in command.keys.split(","):
                if len(key) == 1 or key in SYMBOLS:
                    found.setdefault(key, set()).add(command.title)
    return found


def test_a_letter_means_the_same_on_all_screens() -> None:
    everywhere = meanings("Inspector", *SCREENS)
    shared = {
        key: found for key, found in everywhere.items() if not (len(key) == 1 and key.islower())
    }
    known = {*MOVES, *TWO_THINGS, *ARROWS}
    assert {
        key: found for key, found in shared.items() if len(found) > 1 and key not in known
    } == {}
    for screens in FAMILIES.values():
        found = meanings(*screens)
        assert {key: one for key, one in found.items() if len(one) > 1 and key not in known} == {}


def test_no_letter_draws_in_ascii() -> None:
    """The strategies of what-if are called by letters."""
    assert all(not one.keys for one in (*INSPECTING, *WHAT_IF) if one.action == "app.ascii")


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
        parts = (screen, Explorer, Panes, LineList, OptionForm, HitList)
        owners = (CtxtuiApp,) if name.startswith("app.") else parts
        method = f"action_{name.removeprefix('app.')}"
        assert any(hasattr(owner, method) for owner in owners), command
