"""Commands that any document names exist, with the options they are named with."""

from __future__ import annotations

import re

import pytest

from ctxtui.cli import COMMANDS
from tests.docs.conftest import Shell
from tests.docs.pages import ROOT, Page, all_pages

PAGES = all_pages()
NAMES = [command.name for command in COMMANDS]
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def said(document: Page) -> list[str]:
    """Return what a document has between backticks, and the lines of its transcripts."""
    lines = [line.removeprefix("$ ") for block in document.blocks() for line in block.splitlines()]
    return [*document.code, *lines]


@pytest.mark.parametrize("document", PAGES, ids=lambda one: one.name)
def test_commands_of_ctxtui_exist_with_their_options(document: Page, shell: Shell) -> None:
    for line in said(document):
        found = re.match(r"ctxtui ([a-z]+)\b(?!\.)(.*)", line)
        if found is not None:
            name, rest = found.groups()
            assert name in NAMES, line
            offered = set(OPTION.findall(shell(f"ctxtui {name} --help")))
            assert set(OPTION.findall(rest)) <= offered, line


@pytest.mark.parametrize("document", PAGES, ids=lambda one: one.name)
def test_modules_that_are_run_exist_with_their_options(document: Page) -> None:
    for line in said(document):
        found = re.match(r"\.venv/bin/python -m (tests\.\w+)(.*)", line)
        if found is not None:
            main = ROOT / found[1].replace(".", "/") / "__main__.py"
            source = main.read_text(encoding="utf-8")
            assert [one for one in OPTION.findall(found[2]) if f'"{one}"' not in source] == [], line
