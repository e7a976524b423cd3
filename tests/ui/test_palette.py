"""The palette in any terminal, at any moment."""

from __future__ import annotations

import pytest
from textual.command import Command as Option
from textual.pilot import Pilot

from ctxtui.help.palette import INSPECTOR_COMMANDS, EntryHit, Palette, PaletteEntry, fit_of
from ctxtui.inspector.keys import FOLLOWING
from tests.ui.opening import opened, painted
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


async def found(pilot: Pilot[str], typed: str) -> list[PaletteEntry]:
    """Return what the palette shows for what was typed, the best first."""
    await pilot.press("C", *typed)
    await wait(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, Palette)
    hits = [option.hit for option in screen.commands.options if isinstance(option, Option)]
    return [hit.entry for hit in hits if isinstance(hit, EntryHit)]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("paper", "Paper theme"),
        ("ink", "Ink theme"),
        ("theme", "Ink theme"),
        ("trunc", "Truncate"),
        ("TRUNCATE", "Truncate"),
        ("undo", "Undo"),
        ("what", "What-if"),
        ("if", "What-if"),
        ("rollback", "ROLLBACK"),
        ("lint", "Lint"),
        ("help", "Help"),
    ],
)
async def test_what_is_typed_finds_titles_and_themes_first(typed: str, title: str) -> None:
    async with opened() as (pilot, _):
        entries = await found(pilot, typed)
        assert entries[0].title == title


async def test_everything_is_offered_once_in_one_line_with_its_key() -> None:
    async with opened() as (pilot, _):
        entries = await found(pilot, "")
        titles = [entry.title for entry in entries]
        assert len(set(titles)) == len(titles)
        assert PaletteEntry("Truncate", "Keep or remove a stretch", "t") in entries
        assert [entry.title for entry in entries][-3:] == ["Auto theme", "Ink theme", "Paper theme"]
        able = len(INSPECTOR_COMMANDS) - len(FOLLOWING)  # Nobody writes this session.
        assert len(entries) == able + 3
        screen = pilot.app.screen
        assert isinstance(screen, Palette)
        rows = painted(screen).split("\n")
        (row,) = [row for row in rows if "Keep or remove a stretch" in row]
        assert "Truncate" in row
        assert row.split("Keep or remove a stretch")[1].split()[0] == "t"


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 60)])
async def test_the_key_stands_at_the_right_whatever_the_size(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, _):
        await found(pilot, "truncate")
        rows = [row for row in painted(pilot.app.screen).split("\n") if " Truncate " in row]
        assert any(row.split()[-1] == "t" or " t " in row for row in rows)


async def test_a_theme_is_chosen_from_the_palette() -> None:
    async with opened() as (pilot, _):
        await found(pilot, "paper")
        await pilot.press("enter")
        await wait(pilot)
        assert pilot.app.theme == "paper"


def test_a_title_comes_before_any_description() -> None:
    title = PaletteEntry("Filter", "Show only messages that hold a text")
    told = PaletteEntry("Show", "Filter what is shown")
    assert fit_of("filter", title) > fit_of("filter", told) > 0
    assert fit_of("zzz", title) == 0
    assert fit_of("", title) == 0
