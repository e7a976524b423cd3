"""Texts made safe: to show, to edit, and as the last thing before the terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from rich.cells import cell_len

from ctxtui.text.symbols import escaped, printable, unsafe
from ctxtui.widgets.terminal_filter import without_unsafe
from tests.ui.hostility import HOSTILE

EVERY = "".join(map(chr, range(0x110000)))
"""All characters there are, in one text: a list of them would be 90 MB in every worker."""


def test_every_character_is_shown_as_one_that_no_terminal_acts_on() -> None:
    shown = printable(EVERY)
    assert len(shown) == len(EVERY)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_what_is_edited_as_json_is_the_same_data() -> None:
    text = json.dumps({HOSTILE: [HOSTILE]}, ensure_ascii=False, indent=1)
    assert json.loads(escaped(text)) == {HOSTILE: [HOSTILE]}
    assert "漢字かな" in escaped(text)
    assert printable(escaped(text).replace("\n", "")) == escaped(text).replace("\n", "")


def test_the_last_gate_keeps_every_width() -> None:
    changed = [char for char in EVERY if without_unsafe(char) != char]
    for char in changed:
        assert cell_len(without_unsafe(char)) == cell_len(char), ascii(char)
        assert unsafe(char) or printable(char) != char
    assert unsafe(without_unsafe(EVERY)) is None


@pytest.mark.parametrize("text", ["", "plain", "👩\u200d👧", "می\u200cم", "漢字 e\u0301"])
def test_writing_is_safe(text: str) -> None:
    assert unsafe(text) is None


@pytest.mark.parametrize("char", ["\x1b", "\x9b", "\n", "\u2028", "\u202e", "\ud800", "\x7f"])
def test_what_is_no_writing_is_named(char: str) -> None:
    assert unsafe(f"a{char}b") == char
