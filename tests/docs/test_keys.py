"""docs/keys.md has every key there is."""

from __future__ import annotations

import re

import pytest

from ctxtui.commands import (
    DIFF,
    FORM,
    GROUPS,
    INSPECTING,
    LIBRARY,
    LISTS,
    SIGNS,
    WHAT_IF,
    Command,
    Group,
)
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
        ("in a form", FORM),
        ("in the diff", DIFF),
        ("in what-if", WHAT_IF),
        ("in the library", LIBRARY),
    ],
)
def test_the_keys_of_the_other_screens_match_the_bindings(
    heading: str, commands: tuple[Command, ...]
) -> None:
    assert told(heading) == bound(commands)


def test_keys_that_are_bound_in_small_places_are_told_too() -> None:
    sources = [path for path in (ROOT / "ctxtui").rglob("*.py") if path.name != "commands.py"]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    found = {
        key for keys in re.findall(r'\bBinding\(\s*"([^"]+)"', source) for key in keys.split(",")
    }
    assert "ctrl+n" in found
    small = {key for row in KEYS.table("where") for key in code_in(row[1])}
    assert found - {SIGNS.get(key, key) for key in small} - small == set()
