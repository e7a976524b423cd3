"""docs/keys.md has every key there is."""

from __future__ import annotations

import re

import pytest

from ctxtui.calls.keys import CALL
from ctxtui.commands import dialogs
from ctxtui.commands.command import GROUPS, SYMBOLS, Command, Group
from ctxtui.commands.common import LISTS, TEXT
from ctxtui.diff.keys import DIFF
from ctxtui.forms.keys import ANOTHER, FORM
from ctxtui.inspector.keys import FOLLOWING, INSPECTING, PLAYER
from ctxtui.lessons.keys import LESSON, LESSONS
from ctxtui.library.keys import BULK, LEAVING_OUT, LIBRARY
from ctxtui.settings.keys import SETTINGS
from ctxtui.watch.keys import WATCH
from ctxtui.what_if.keys import OVER_RUN, SWEEP, WHAT_IF
from tests.docs.pages import ROOT, code_in, page

KEYS = page("docs/keys.md")


def told(heading: str) -> list[str]:
    return sorted(key for row in KEYS.table(heading) for key in code_in(row[0]))


def bound(commands: tuple[Command, ...]) -> list[str]:
    return sorted(key for command in commands for key in command.shown_keys().split())


@pytest.mark.parametrize(("group", "title"), GROUPS.items())
def test_the_inspectors_keys_stand_in_the_groups_of_the_help(group: Group, title: str) -> None:
    commands = tuple(one for one in (*INSPECTING, *LISTS) if one.group == group)
    assert told(title) == bound(commands)


@pytest.mark.parametrize(
    ("heading", "commands"),
    [
        ("in the journal", PLAYER),
        ("in a form", FORM),
        ("in the diff", DIFF),
        ("in a call", CALL),
        ("in what-if", WHAT_IF),
        ("over the run", OVER_RUN),
        ("in a sweep", SWEEP),
        ("in the library", LIBRARY),
        ("in a session that others write", FOLLOWING),
        ("in watch", WATCH),
        ("in the lessons", LESSONS),
        ("in a lesson", LESSON),
        ("in the settings", SETTINGS),
        ("in a look at many", (*BULK, *LEAVING_OUT)),
    ],
)
def test_the_keys_of_the_other_screens_match_the_bindings(
    heading: str, commands: tuple[Command, ...]
) -> None:
    assert told(heading) == bound(commands)


@pytest.mark.parametrize(
    ("where", "commands"),
    [
        ("a pane of text", TEXT),
        ("a bar of choices", dialogs.CHOICES),
        ("a choice in a form", dialogs.PICKS),
        ("a prompt", dialogs.PROMPT),
        ("messages in a form", (ANOTHER,)),
        ("a list over the screen", dialogs.PICKER),
        ("the help", dialogs.HELP),
        ("while a large file is read", dialogs.LOADING),
        ("when a file can't be opened", dialogs.PROBLEM),
    ],
)
def test_the_keys_of_small_places_match_the_bindings(
    where: str, commands: tuple[Command, ...]
) -> None:
    (row,) = [row for row in KEYS.table("where") if row[0].startswith(where)]
    assert sorted(code_in(row[1])) == bound(commands)


def test_keys_that_are_bound_beside_the_registry_are_told_too() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "ctxtui").rglob("*.py"))
    found = {
        key for keys in re.findall(r'\bBinding\(\s*"([^"]+)"', source) for key in keys.split(",")
    }
    small = {key for row in KEYS.table("where") for key in code_in(row[1])}
    assert {SYMBOLS.get(key, key) for key in found} <= small
