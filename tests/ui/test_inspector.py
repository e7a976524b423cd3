"""The inspector: what it shows, how it moves, and that no message can act."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import HelpPanel

from core import Conversation
from ctxtui.app import CtxtuiApp
from ctxtui.cli.inputs import open_conversation
from ctxtui.commands import INSPECTOR
from ctxtui.render.wrap import wrap
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.widgets.inked import Inked
from ctxtui.widgets.line_list import LineList

TOUR = Path(__file__).parents[2] / "sample_sessions" / "tour.json"
HOSTILE = [
    "[/foo] [bold]not markup[/bold] [@click=app.quit]x[/]",
    "\x1b[31mred\x1b]0;title\x07 \x9b2J",
    "\u202eright to left\u2066 \u200d\u200b\ufeff",
    "nul\x00 tab\t del\x7f line\nbreak\r\u2028",
    "\ud800 lone surrogate",
    "漢字かな 한국어 👩‍👩‍👧 e\u0301",
    "x" * 1_000_000,
    "漢" * 300_000,
]


@asynccontextmanager
async def opened(
    conversation: Conversation | None = None, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[None], InspectorScreen]]:
    """Open the app on a conversation, by default on the tour."""
    conversation = conversation or open_conversation(str(TOUR)).conversation
    app = CtxtuiApp(conversation)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, InspectorScreen)
        yield pilot, app.screen


def lines(screen: InspectorScreen, pane: str) -> list[str]:
    """Return what a pane shows, line by line."""
    widget = screen.query_one(f"#{pane}")
    return [widget.render_line(y).text for y in range(widget.size.height)]


def listed(screen: InspectorScreen, pane: str) -> LineList:
    """Return a list by its name."""
    return screen.query_one(f"#{pane}", LineList)


async def test_the_tour_shows_raw_array_projection_and_batches() -> None:
    async with opened() as (_, screen):
        raw, visible, timeline = (lines(screen, p) for p in ("raw", "visible", "timeline"))
        assert "compress 1" in raw[4]
        assert "other branch" in raw[17]
        assert visible[3].split()[:4] == ["2⋮", "26", "§", "sys"]
        assert "TRUNCATE  keep the" in timeline[2]
        assert timeline[2].rstrip().endswith("✖1")
        assert "├╌◌" in timeline[2]
        assert "◉     3  INSERT" in timeline[5]
        assert timeline[1].split()[:3] == ["○", "0", "START"]
        assert "+16    ·    16     441" in timeline[1]
        assert "16 visible of 27 raw" in lines(screen, "status")[0]
        assert lines(screen, "ribbon")[0].startswith(" raw ┃▆▆▁")


async def test_the_cursor_is_followed_in_every_pane() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("j", "j", "j", "j", "j")
        assert screen.raw == 10
        assert listed(screen, "raw").cursor == 10
        assert "Makes sense" in "\n".join(lines(screen, "message"))
        assert "★ instruction" in "\n".join(lines(screen, "message"))
        await pilot.press("1", "g")
        assert screen.raw == 0
        assert listed(screen, "visible").cursor == 0
        await pilot.press("G", "k", "ctrl+u", "pagedown", "up", "home", "end")
        assert screen.raw == 26


async def test_the_message_is_that_of_the_pane_in_focus() -> None:
    cut = open_conversation(str(TOUR)).conversation
    cut.execute({"operation": "TRUNCATE", "keepLast": 3})
    async with opened(cut) as (pilot, screen):
        assert screen.raw == 21
        await pilot.press("1", "g")
        assert screen.raw == 0
        await pilot.press("2")
        await pilot.pause()
        assert screen.raw == 21


async def test_number_keys_and_tab_move_the_focus() -> None:
    async with opened(size=(120, 40)) as (pilot, screen):
        seen = [screen.focused and screen.focused.id]
        for key in "1342":
            await pilot.press(key)
            seen.append(screen.focused and screen.focused.id)
        assert seen == ["visible", "raw", "message", "timeline", "visible"]
        await pilot.press("enter")
        assert screen.focused is screen.query_one("#message")


async def test_stepping_looks_and_changes_nothing() -> None:
    async with opened() as (pilot, screen):
        before = screen.conversation.copy()
        await pilot.press("[")
        assert screen.look.batch.number == 2
        assert screen.has_class("-stepping")
        assert "VIEWING BATCH 2 OF 3" in lines(screen, "viewing")[0]
        assert any(line.startswith(" −    –  12") for line in lines(screen, "visible"))
        await pilot.press("h", "h", "h", "h")
        assert screen.look.batch.number == 0
        await pilot.press("l", "]")
        assert screen.look.batch.number == 2
        await pilot.press("escape")
        assert screen.look.is_live
        assert not screen.has_class("-stepping")
        assert screen.conversation == before


async def test_the_timeline_steps_with_its_cursor_and_reaches_abandoned_batches() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "g", "j")
        assert screen.look.batch.id == 1
        assert len(screen.look.view) == 6
        await pilot.press("R")
        assert screen.conversation.batch.id == 1
        assert len(screen.conversation.view) == 6
        await pilot.press("u")
        assert screen.conversation.batch.number == 3
        await pilot.press("U")
        assert screen.conversation.batch.id == 1


async def test_rolling_back_is_acting_and_can_be_undone() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("R")
        assert screen.conversation.batch.number == 3
        await pilot.press("[", "[", "R")
        assert screen.conversation.batch.number == 1
        assert screen.look.is_live
        await pilot.press("u", "ctrl+r")
        assert screen.conversation.batch.number == 1


async def test_search_goes_from_hit_to_hit() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("/", *"upload", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        first = screen.raw
        assert first is not None
        assert "match" in str(screen.query_one(f"#{screen.pane}").border_subtitle)
        await pilot.press("n")
        assert screen.raw != first
        await pilot.press("N")
        assert screen.raw == first
        await pilot.press("/", *"nowhere", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(screen.hits) == 0
        assert screen.raw == first


async def test_go_to_finds_messages_and_batches_and_refuses_others() -> None:
    async with opened() as (pilot, screen):
        await pilot.press(":", "1", "2", "enter")
        assert (screen.raw, screen.pane) == (12, "raw")
        await pilot.press(":", "#", "1", "enter")
        assert screen.look.batch.number == 1
        for text in ("99", "#9", "x", "-1"):
            await pilot.press(":", *text, "enter")
            assert screen.look.batch.number == 1
        await pilot.press(":", "escape")
        assert screen.focused is screen.query_one("#raw")


async def test_every_view_is_filled_and_findings_lead_to_messages() -> None:
    conversation = open_conversation(str(TOUR)).conversation
    conversation.execute({"operation": "DELETE", "indices": [20]})
    async with opened(conversation) as (pilot, screen):
        shown = {}
        for _ in range(5):
            await pilot.press("5")
            await pilot.pause()
            view = screen.views.current or ""
            target = "role-user" if view == "roles" else view
            shown[view] = "\n".join(lines(screen, target))
        assert "Makes sense" in shown["roles"]
        assert "originalIndices" in shown["markmap"]
        assert "0-1, 26, 2, 18" in shown["markmap"]
        assert "COMPRESS 7 messages" in shown["journal"]
        assert "Largest visible messages" in shown["tokens"]
        assert "✖ G1" in shown["lint"]
        await pilot.press("enter")
        assert screen.views.current == "inspector"
        assert screen.raw == 21
        assert "✖ G1" in "\n".join(lines(screen, "message"))
        await pilot.press("L", "escape")
        assert screen.views.current == "inspector"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (140, 42), (200, 60), (40, 10)], ids=str)
async def test_every_size_shows_the_focused_pane(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        for key, pane in (("1", "raw"), ("2", "visible"), ("3", "message"), ("4", "timeline")):
            await pilot.press(key)
            await pilot.pause()
            widget = screen.query_one(f"#{pane}")
            assert widget.display
            assert widget.size.height > 1
        await pilot.resize_terminal(200, 60)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert screen.focused is screen.query_one("#timeline")


async def test_the_mouse_moves_opens_and_chooses_tabs() -> None:
    async with opened() as (pilot, screen):
        await pilot.click("#visible", offset=(10, 4))
        assert listed(screen, "visible").cursor == 2
        await pilot.click("#timeline", offset=(10, 2))
        assert screen.look.batch.id == 0
        await pilot.press("escape")
        await pilot.click("#tabs", offset=(23, 0))
        assert screen.views.current == "roles"
        await pilot.hover("#role-user", offset=(5, 2))
        assert listed(screen, "role-user").hovered == 1


async def test_an_empty_conversation_says_so() -> None:
    async with opened(Conversation(), (80, 24)) as (pilot, screen):
        assert lines(screen, "visible")[1].strip().startswith("Nothing is sent.")
        await pilot.press("1", "j", "G", "enter", "[", "]", "y", "n", "u", "U", "R", "5", "5", "5")
        assert screen.raw is None


async def test_copying_goes_to_the_clipboard_or_a_file() -> None:
    big = Conversation(
        [{"role": "user", "content": "short"}, {"role": "user", "content": "x" * 200_000}]
    )
    async with opened(big) as (pilot, _):
        await pilot.press("y")
        assert pilot.app.clipboard == "short"
        await pilot.press("j", "y", "Y")
        assert pilot.app.clipboard == "short"
    async with opened(Conversation([{"role": "user", "content": "hi"}])) as (pilot, _):
        await pilot.press("Y")
        assert pilot.app.clipboard == '[{"role": "user", "content": "hi"}]'


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_and_nothing_more(text: str) -> None:
    conversation = Conversation(
        [
            {"role": "user", "content": text},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "tool_use": {"id": text[:9], "name": text[:99], "input": [text]},
                    }
                ],
            },
        ],
        meta={"title": text[:50]},
    )
    conversation.execute({"operation": "MARK", "indices": [0], "label": "a [/b] c"})
    conversation.execute({"operation": "DELETE", "indices": [0], "description": text[:60]})
    async with opened(conversation, (100, 30)) as (pilot, screen):
        for key in ("1", "2", "3", "4", "[", "5", "5", "5", "5", "5"):
            await pilot.press(key)
            await pilot.pause()
            for widget in screen.query("LineList, TextPane, LineBox, TabBar"):
                assert isinstance(widget, Inked)
                for y in range(widget.size.height):
                    strip = widget.render_line(y)
                    shown = strip.text
                    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
                    assert not any(0xD800 <= ord(c) < 0xE000 or c in "\u202e\u2066" for c in shown)
                    region = widget.scrollable_content_region if widget.size else widget.size
                    assert strip.cell_length in (region.width, widget.size.width)
        assert pilot.app.is_running


def test_a_message_of_five_megabytes_is_wrapped_without_being_measured() -> None:
    for text in ("x" * 5_000_000, "漢" * 1_500_000, "word " * 1_000_000):
        assert max(map(len, wrap(text, 80)[:100])) <= 80
    assert wrap("a b c", 3) == ["a b", "c"]
    assert wrap("漢字漢", 4) == ["漢字", "漢"]


async def test_messages_are_selected_one_by_one_or_as_a_range() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("space", "space")
        assert screen.views.selected == {0, 1}
        await pilot.press("v", "j", "j", "v")
        assert screen.views.selected == {0, 1, 26, 2, 18}
        assert "5 selected" in str(screen.query_one("#visible").border_subtitle)
        await pilot.press("g", "space")
        assert screen.views.selected == {1, 26, 2, 18}
        await pilot.press("escape")
        assert screen.views.selected == set()


async def test_a_filter_narrows_both_lists_until_it_is_lifted() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("&", *"pytest", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(listed(screen, "visible").source) == 1
        assert len(listed(screen, "raw").source) == 2
        assert "with 'pytest'" in str(screen.query_one("#raw").border_subtitle)
        await pilot.press("&", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(listed(screen, "raw").source) == 27


async def test_every_command_is_bound_described_and_in_the_palette() -> None:
    async with opened() as (pilot, screen):
        for command in INSPECTOR:
            name = command.action.split("(")[0].removeprefix("app.")
            owner = pilot.app if command.action.startswith("app.") else screen
            assert hasattr(owner, f"action_{name}"), command.action
            assert command.about
        await pilot.press("C")
        await pilot.pause()
        assert isinstance(pilot.app.screen, CommandPalette)
        await pilot.press("escape")
        await pilot.pause()
        assert len(pilot.app.screen_stack) == 2


async def test_help_opens_and_closes() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("?")
        assert len(screen.query(HelpPanel)) == 1
        await pilot.press("?")
        await pilot.pause()
        assert len(screen.query(HelpPanel)) == 0


async def test_a_large_projection_is_linted_in_the_background() -> None:
    orphan: dict[str, Any] = {
        "role": "tool",
        "content": [{"type": "tool_result", "tool_result": {"tool_use_id": "x", "content": "y"}}],
    }
    many: list[dict[str, Any]] = [
        orphan,
        *({"role": "user", "content": str(i)} for i in range(6_000)),
    ]
    async with opened(Conversation(many)) as (pilot, screen):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "✖ 1 error" in lines(screen, "status")[0]
        assert "✖ G1" in lines(screen, "visible")[1]
