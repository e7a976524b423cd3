"""What is under the mouse says what it is: column heads, symbols, keys, the head lines."""

from __future__ import annotations

import pytest
from textual.widget import Widget

from ctxtui.help.drawing import LEGEND, about_symbol
from ctxtui.help.screen import NoticesScreen
from tests.ui.opening import lines, listed, opened

SIZES = [(80, 24), (140, 42)]


def told(widget: Widget) -> str:
    return str(widget.tooltip or "")


@pytest.mark.parametrize("size", SIZES)
async def test_column_heads_and_symbols_say_what_they_are(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        visible, edge = listed(screen, "visible"), int(size[0] > 80)
        heads, first = lines(screen, "visible")[:2]
        for name, about in (("pos", "place"), ("role", "who says it"), ("tokens", "how many")):
            await pilot.hover(visible, offset=(heads.index(name) + edge, edge))
            assert told(visible).startswith(f"{name}: ")
            assert about in told(visible)
        await pilot.hover(visible, offset=(first.index("§") + edge, 1 + edge))
        assert told(visible) == "§ system: instructions and rules"
        await pilot.hover(visible, offset=(first.index("careful") + edge, 1 + edge))
        assert told(visible) == ""


async def test_a_key_of_the_footer_says_what_it_does() -> None:
    async with opened() as (pilot, screen):
        keys = screen.query_one("#keys")
        await pilot.hover(keys, offset=(lines(screen, "keys")[0].index("truncate"), 0))
        assert told(keys) == "Keep or remove a stretch"


@pytest.mark.parametrize("size", SIZES)
async def test_status_gauge_and_ribbon_say_what_they_are(size: tuple[int, int]) -> None:
    async with opened(size=size) as (_, screen):
        shown = [one for one in screen.query("#tabs, #status, #ribbon") if one.is_on_screen]
        assert shown
        assert all(told(one) for one in shown)
        assert any("gauge" in told(one) or "tokens" in told(one) for one in shown)


@pytest.mark.parametrize("size", SIZES)
async def test_a_click_on_saved_shows_what_was_said(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        at = lines(screen, "tabs")[0].index("saved")
        await pilot.click("#tabs", offset=(at, 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, NoticesScreen)


def test_every_symbol_of_the_legend_has_its_meaning() -> None:
    for signs in LEGEND.values():
        for sign in signs:
            symbol = sign.sign[0]
            if not symbol.isalnum():
                assert about_symbol(f" {symbol} word", sign.kind).startswith(f"{symbol} ")
