"""The borders between the inspector's panes are moved by keys and the mouse, and remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Region

from ctxtui.app import CtxtuiApp
from ctxtui.files.preferences import FOLDER, load_preferences, preferences_file
from ctxtui.inspector.screen import InspectorScreen
from tests.settling import idle
from tests.ui.opening import opened

SIZES = [(80, 24), (100, 30), (120, 40), (140, 42), (200, 60)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))


def regions(screen: InspectorScreen) -> dict[str | None, Region]:
    return {one.id: one.region for one in screen.explorer.panes.children if one.is_on_screen}


@pytest.mark.parametrize("size", SIZES)
async def test_keys_move_the_border_of_a_pane_at_every_layout(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        before = regions(screen)
        await pilot.press("shift+left", "shift+up")
        await idle(pilot)
        first = regions(screen)
        if size[0] >= 100:
            narrower = [one for one in before if first[one].width == before[one].width - 3]
            assert narrower
        assert sum(one.area for one in first.values()) <= sum(one.area for one in before.values())
        assert any(first[one].height == before[one].height - 1 for one in before)
    async with opened(size=size) as (pilot, screen):
        assert regions(screen) == first
        screen.explorer.action_reset_panes()
        await idle(pilot)
        assert regions(screen) == before
    assert load_preferences().panes == {}


async def test_each_layout_has_borders_of_its_own() -> None:
    async with opened(size=(140, 42)) as (pilot, screen):
        await pilot.press("shift+right")
        await pilot.resize_terminal(120, 40)
        usual = regions(screen)
        await pilot.press("shift+left", "shift+left")
        await pilot.resize_terminal(140, 42)
        assert regions(screen)["raw"].width == 71
    async with opened(size=(120, 40)) as (pilot, screen):
        assert regions(screen)["raw"].width == usual["raw"].width - 6


@pytest.mark.parametrize(
    ("size", "start", "end", "pane", "wanted"),
    [
        ((140, 42), (67, 10), (80, 10), "raw", (80, None)),
        ((140, 42), (68, 10), (40, 10), "raw", (40, None)),
        ((140, 42), (100, 25), (100, 30), "visible", (None, 27)),
        ((140, 42), (67, 10), (139, 10), "raw", (116, None)),
        ((80, 24), (40, 16), (40, 10), "visible", (None, 7)),
    ],
)
async def test_a_border_is_dragged(
    size: tuple[int, int],
    start: tuple[int, int],
    end: tuple[int, int],
    pane: str,
    wanted: tuple[int | None, int | None],
) -> None:
    async with opened(size=size) as (pilot, screen):
        await pilot.mouse_down(offset=start)
        await pilot.hover(offset=end)
        await pilot.mouse_up(offset=end)
        await idle(pilot)
        width, height = wanted
        region = regions(screen)[pane]
        assert width is None or region.width == width
        assert height is None or region.height == height
        assert len(load_preferences().panes) == 1


async def test_the_mouse_elsewhere_moves_nothing() -> None:
    async with opened() as (pilot, screen):
        before = regions(screen)
        await pilot.mouse_down(offset=(30, 10))
        await pilot.hover(offset=(90, 20))
        await pilot.mouse_up(offset=(90, 20))
        assert regions(screen) == before
        assert load_preferences().panes == {}


@pytest.mark.parametrize(
    "panes", ['"wide"', '{"wide x": "no"}', '{"wide x": [900, 100]}', '{"wide x": [0]}']
)
async def test_places_that_can_not_be_used_count_as_not_chosen(panes: str) -> None:
    async with opened() as (pilot, screen):
        usual = regions(screen)
    preferences_file().write_text(f'{{"panes": {panes}}}', encoding="utf-8")
    async with opened() as (pilot, screen):
        assert regions(screen) == usual
        assert isinstance(pilot.app, CtxtuiApp)
        assert pilot.app.preferences.panes == {}
