"""The diff screen: its keys, its sizes, and conversations that are odd."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.diff.drawing import CUT_KEY as CUT
from ctxtui.diff.drawing import DiffSource, summary
from ctxtui.diff.models import Sides
from ctxtui.diff.screen import DiffScreen
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.widgets.styled import Styled
from tests.ui.opening import kept
from tests.ui.test_diff_render import talk, whole_tour
from tests.ui.test_hostile import HOSTILE

SIZES = [(80, 24), (120, 40), (200, 60)]


class Noting(CtxtuiApp):
    """The app, which keeps the messages that diff screens ended with."""

    asked: list[int | None]


@asynccontextmanager
async def compared(
    conversation: Conversation, left: int, right: int, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], DiffScreen]]:
    app = Noting(kept(conversation))
    app.animation_level = "none"
    app.asked = []
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = DiffScreen(conversation, left, right)
        await app.push_screen(screen, app.asked.append)
        await pilot.pause()
        yield pilot, screen


def shown(screen: DiffScreen, name: str) -> list[str]:
    widget = screen.query_one(f"#diff-{name}")
    return [widget.render_line(y).text for y in range(widget.size.height)]


# Keys


async def test_the_screen_begins_at_the_first_difference() -> None:
    async with compared(whole_tour(), 7, 8) as (_, screen):
        assert screen.lines.cursor == 4
        assert "cache breaks here" in shown(screen, "lines")[4]
        assert "hidden by batch 4 TRUNCATE" in shown(screen, "message")[0]
        assert "11 same  10 hidden" in str(screen.lines.border_subtitle)


async def test_n_goes_from_difference_to_difference() -> None:
    async with compared(whole_tour(), 4, 5) as (pilot, screen):
        first = screen.lines.cursor
        await pilot.press("n")
        assert screen.lines.cursor == first + 2
        assert "call_5: −2350 passed in 402.7s +[cleared]" in "".join(shown(screen, "message"))
        await pilot.press("n")
        assert screen.lines.cursor == first + 2
        await pilot.press("N", "N")
        assert screen.lines.cursor == first


async def test_brackets_step_each_side_through_all_batches_and_x_swaps() -> None:
    def ids(screen: DiffScreen) -> tuple[int, int]:
        return screen.sides.left.batch.id, screen.sides.right.batch.id

    async with compared(whole_tour(), 7, 8) as (pilot, screen):
        await pilot.press("[", "[", "[")
        assert ids(screen) == (1, 5)
        assert "◌ abandoned" in shown(screen, "title")[0]
        await pilot.press("]", "{")
        assert ids(screen) == (2, 4)
        await pilot.press("}", "}")
        assert ids(screen) == (2, 5)
        await pilot.press("tilde")
        assert ids(screen) == (5, 2)
        await pilot.press("{", "{", "{")
        assert ids(screen) == (5, 0)


async def test_the_cursor_stays_on_its_message_when_a_side_changes() -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, screen):
        await pilot.press("j", "tilde")
        pair = screen.source.pair(screen.lines.cursor)
        assert pair is not None
        assert screen.sides.raw(pair) == 18


async def test_enter_asks_for_the_message_to_be_shown() -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, _):
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app, Noting)
        assert pilot.app.asked == [2]


async def test_enter_unfolds_what_is_the_same_and_folds_it_again() -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, screen):
        await pilot.press("G")
        assert "… 5 the same" in "".join(shown(screen, "lines"))
        before = len(screen.source)
        for grown in (5, 0):
            await pilot.press("enter")
            await pilot.pause()
            assert len(screen.source) == before + grown
        assert screen.is_current


async def test_the_cut_tells_where_the_cache_breaks_and_opens_nothing() -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, screen):
        await pilot.press("g", "j", "j", "j")
        assert screen.lines.key == CUT
        assert "breaks before position 3" in shown(screen, "message")[0]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app, Noting)
        assert pilot.app.asked == []


async def test_y_copies_the_summary() -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, screen):
        await pilot.press("y")
        assert pilot.app.clipboard == summary(screen.sides)


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_help_opens_and_the_screen_is_left(key: str) -> None:
    async with compared(whole_tour(), 7, 8) as (pilot, _):
        await pilot.press("?")
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press("escape")
        await pilot.press(key)
        await pilot.pause()
        assert isinstance(pilot.app.screen, InspectorScreen)


# Odd conversations


@pytest.mark.parametrize("size", SIZES)
async def test_every_line_fits_at_every_size(size: tuple[int, int]) -> None:
    async with compared(whole_tour(), 4, 5, size) as (pilot, screen):
        for key in ("n", "tilde", "[", "}", "G", "right"):
            await pilot.press(key)
            await pilot.pause()
            check_cells(screen)
        is_small = size == (80, 24)
        assert screen.query_one("#diff-brief").display is is_small
        assert screen.query_one("#diff-cache").display is not is_small


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_and_nothing_more(text: str) -> None:
    c = Conversation([{"role": "user", "content": text}, {"role": "user", "content": "b"}])
    new = {"role": "user", "content": "and " + text}
    c.execute({"operation": "REPLACE", "index": 0, "message": new, "description": text[:80]})
    c.execute({"operation": "DELETE", "indices": [1], "description": text[:80]})
    async with compared(c, 0, 2, (100, 30)) as (pilot, screen):
        for key in ("n", "n", "tilde", "y", "]", "right"):
            await pilot.press(key)
            await pilot.pause()
            check_cells(screen)
        assert pilot.app.is_running


def check_cells(screen: DiffScreen) -> None:
    for widget in screen.query("LineList, TextPane, LineBox"):
        assert isinstance(widget, Styled)
        for y in range(widget.size.height if widget.display else 0):
            strip = widget.render_line(y)
            assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in strip.text)
            assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2066" for c in strip.text)
            assert strip.cell_length == widget.scrollable_content_region.width


async def test_nothing_at_all_can_be_compared() -> None:
    async with compared(Conversation(), 0, 0, (80, 24)) as (pilot, screen):
        assert "Nothing is sent on either side." in shown(screen, "lines")[1]
        await pilot.press("n", "N", "tilde", "[", "}", "enter", "j", "G", "y", "right")
        assert screen.lines.key is None


async def test_a_hundred_thousand_messages_are_folded_and_linted_behind() -> None:
    c = talk(100_000)
    c.execute({"operation": "DELETE", "indices": list(range(500, 700))})
    c.execute(
        {"operation": "REPLACE", "index": 50_000, "message": {"role": "user", "content": "!"}}
    )
    async with compared(c, 0, 2) as (pilot, screen):
        await pilot.press("n", "G", "enter", "g", "tilde", "n", "]")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(screen.sides.stretches) <= 5
        assert not any("linting" in line for line in shown(screen, "cache"))


async def test_views_of_many_pieces_are_aligned_behind_and_the_last_wish_wins() -> None:
    c = Conversation(
        [{"role": ("user", "assistant")[i % 2], "content": str(i)} for i in range(12_000)]
    )
    c.execute({"operation": "FILTER", "roles": ["user"]})
    async with compared(c, 0, 1) as (pilot, screen):
        await pilot.press("n", "tilde", "tilde", "tilde")
        assert (screen.wanted.left.revision.id, screen.wanted.right.revision.id) == (1, 0)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.sides is screen.wanted
        assert screen.lines.border_subtitle == "6,000 same  6,000 shown"
        screen._show(DiffSource(Sides(c, 0, 1), set()), None)
        assert screen.sides is screen.wanted
        assert len(screen.source) == 12_001
