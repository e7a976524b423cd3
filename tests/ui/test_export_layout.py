"""The export wizard in small terminals: the form has the room, and what is left out is told."""

from __future__ import annotations

import pytest

from ctxtui.core.storage import MemoryLibrary
from ctxtui.forms.options import OptionForm
from ctxtui.library.bulk import ExportTab
from ctxtui.widgets.panes import TextPane
from tests.ui.opening import painted
from tests.ui.test_bulk import known, opened, session

EVERY_OPTION = (
    "sessions",
    "format",
    "messages",
    "for fine-tuning",
    "train share",
    "seed",
    "never apart",
    "write to",
    "a file for each",
    "manifest",
    "write over",
)


def with_one_left_out() -> MemoryLibrary:
    """Return a library with a session that no trainer takes: its answer is missing."""
    library = MemoryLibrary()
    session(library, "good", "What is it?", "accepted")
    session(library, "bad", "And this?", "accepted")
    with library.open(library.find("bad")) as bad:
        bad.execute({"operation": "DELETE", "indices": [2]})
    return library


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (140, 42)])
async def test_the_whole_form_and_what_is_left_out_are_in_sight(size: tuple[int, int]) -> None:
    async with opened(with_one_left_out(), "e", ExportTab, size) as (pilot, _):
        pilot.app.screen.query_one(OptionForm).rows["ratio"].target.focus()
        await pilot.press(*"0.5", "enter")
        await known(pilot)
        await pilot.pause()
        shown = painted(pilot.app.screen)
        assert [name for name in EVERY_OPTION if name not in shown] == []
        assert "F1 No assistant message" in shown
        assert "First record" in shown
        assert "→ " in shown


async def test_in_a_very_narrow_terminal_the_reasons_stand_below_what_would_be_written() -> None:
    async with opened(with_one_left_out(), "e", ExportTab, (60, 30)) as (pilot, _):
        await pilot.pause()
        assert "F1 No assistant message" in painted(pilot.app.screen)
        assert not pilot.app.screen.query_one("#left-out", TextPane).display
        form, would = (
            pilot.app.screen.query_one(OptionForm),
            pilot.app.screen.query_one("#would", TextPane),
        )
        assert form.region.bottom == would.region.y
