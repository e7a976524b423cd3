"""The legend of the help has every sign that is drawn."""

from __future__ import annotations

import ast
import unicodedata
from pathlib import Path

import pytest

from ctxtui.help.drawing import LEGEND, help_lines
from ctxtui.inspector.keys import INSPECTING
from ctxtui.text.icons import to_ascii
from tests.ui.opening import opened, painted

ROOT = Path(__file__).parents[2] / "ctxtui"
DRAWING = ("render", "lists", "widgets", "explorer")
IN_SENTENCES = set("…–“”·←↑↓")
"""What stands in sentences, and keys that are named in them."""
NOT_OURS = {"text/ascii.py", "markdown/flow.py", "text/wrap.py", "render/toast.py"}
"""Tables of signs to be replaced, and of characters of other writings."""


def in_strings(path: Path) -> set[str]:
    """Return the signs in the texts of a module, without what its docstrings say."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    texts = (
        one.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in docs
    )
    return {char for text in texts for char in text if unicodedata.category(char)[0] in "SP"}


def test_every_sign_that_is_drawn_is_explained() -> None:
    told = {char for signs in LEGEND.values() for one in signs for char in one.sign + one.meaning}
    drawn: set[str] = set()
    for room in DRAWING:
        for path in (ROOT / room).rglob("*.py"):
            if not any(path.as_posix().endswith(name) for name in NOT_OURS):
                drawn |= {char for char in in_strings(path) if not char.isascii()}
    assert sorted(drawn - told - IN_SENTENCES) == []


@pytest.mark.parametrize("width", [40, 76, 130, 156])
def test_nothing_in_the_help_is_cut(width: int) -> None:
    drawn = ["".join(piece.text for piece in line) for line in help_lines(INSPECTING, (), width)]
    assert all(len(line) <= width for line in drawn)
    words = " ".join(drawn)
    for command in filter(lambda one: one.keys, INSPECTING):
        for word in command.about.split():
            assert word in words


async def test_with_ascii_signs_the_legend_has_those() -> None:
    async with opened(size=(140, 60)) as (pilot, _):
        await pilot.app.run_action("ascii")
        await pilot.press("question_mark", "G")
        shown = painted(pilot.app.screen)
        assert "◆" not in shown
        assert to_ascii("◐") in shown


async def test_what_can_be_done_here_stands_first() -> None:
    async with opened(size=(140, 60)) as (pilot, _):
        await pilot.press("4", "k", "question_mark")
        help_pane = pilot.app.screen.query_one("#help")
        rows = [help_pane.render_line(y).text for y in range(12)]
        assert "Here and now" in rows[0]
        assert any("roll back to 2" in row for row in rows[:8])
