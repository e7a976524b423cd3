"""The palette in any terminal, at any moment."""

from __future__ import annotations

import pytest

from ctxtui.palette import Palette
from tests.ui.opening import opened
from tests.ui.test_library import filled, shown, wait


@pytest.mark.parametrize("key", ["pagedown", "pageup", "down", "up", "ctrl+end", "enter"])
async def test_any_key_may_come_before_the_commands_do(key: str) -> None:
    async with opened() as (pilot, _):
        await pilot.press("C", key, key)
        await wait(pilot)
        assert pilot.app.is_running


async def test_page_keys_go_through_the_commands() -> None:
    async with opened() as (pilot, _):
        await pilot.press("C")
        await wait(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, Palette)
        await pilot.press("pagedown")
        first = screen.commands.highlighted or 0
        await pilot.press("pagedown")
        second = screen.commands.highlighted or 0
        await pilot.press("pageup")
        assert 0 < first < second
        assert (screen.commands.highlighted or 0) < second


@pytest.mark.parametrize("themes", [False, True])
async def test_the_palette_fits_into_any_terminal(themes: bool) -> None:
    async with opened() as (pilot, _):
        for width, height in ((1, 1), (4, 3), (4, 10), (5, 10), (6, 10), (20, 2)):
            await pilot.resize_terminal(width, height)
            if themes:
                pilot.app.search_themes()
            else:
                await pilot.press("C")
            await wait(pilot)
            assert isinstance(pilot.app.screen, Palette)
            await pilot.press("a", "pagedown", "pageup", "escape", "escape")
        await pilot.press("C")
        await wait(pilot)
        for width in (80, 6, 1, 100):
            await pilot.resize_terminal(width, 24)
            await pilot.press("down", "pagedown")
        assert pilot.app.is_running


async def test_the_palette_of_the_library_has_its_commands() -> None:
    async with shown(filled("one")) as (pilot, app):
        await pilot.press("C", *"Duplicate")
        await wait(pilot)
        assert isinstance(app.screen, Palette)
        assert app.screen.commands.option_count
