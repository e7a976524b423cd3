"""docs/keys.md has every key there is."""

from __future__ import annotations

import re
from importlib import import_module

from ctxtui.commands import dialogs
from ctxtui.commands.command import SYMBOLS, Command
from ctxtui.commands.common import CHOICES, LISTS, TEXT
from ctxtui.inspector.keys import INSPECTING
from tests.docs import keys_page
from tests.docs.pages import ROOT, page

KEYS = page("docs/keys.md")
SMALL = (
    *(*TEXT, *CHOICES, *dialogs.PROMPT),
    *(*dialogs.HELP, *dialogs.LOADING, *dialogs.PALETTE),
    *(*dialogs.PICKER, *dialogs.PROBLEM),
)
"""Commands of small places: scrolling text, choosing, answering and closing."""


def test_the_lists_are_those_of_the_registry() -> None:
    assert keys_page.with_lists(KEYS.text) == KEYS.text, "make keys writes them again"
    assert keys_page.lists() in KEYS.text


def test_every_command_of_every_screen_is_listed() -> None:
    listed = [one for commands in keys_page.SCREENS.values() for one in commands]
    listed += [*INSPECTING, *LISTS, *SMALL]
    for path in (ROOT / "ctxtui").rglob("*keys.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for value in vars(import_module(name)).values():
            if isinstance(value, tuple) and all(isinstance(one, Command) for one in value):
                assert set(value) <= set(listed), name


def test_keys_that_are_bound_beside_the_registry_are_named_too() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "ctxtui").rglob("*.py"))
    found = {
        key for keys in re.findall(r'\bBinding\(\s*"([^"]+)"', source) for key in keys.split(",")
    }
    assert {SYMBOLS.get(key, key) for key in found} <= set(KEYS.code)
