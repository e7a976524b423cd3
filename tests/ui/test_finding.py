"""Finding, selecting and taking along: search, go to, filter, copy, palette, help."""

from __future__ import annotations

from textual.command import CommandPalette
from textual.widgets import HelpPanel

from core import Conversation
from ctxtui.commands import INSPECTOR
from tests.ui.opening import listed, opened


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
