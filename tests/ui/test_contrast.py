"""Colours can be read: their contrast on what they are drawn on, as WCAG computes it."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.theme import INK, PAPER
from ctxtui.widgets.line_list import LineList
from tests.ui.opening import kept

THEMES = pytest.mark.parametrize("theme", [INK, PAPER], ids=lambda theme: theme.name)


def colour(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(name) or getattr(theme, name))


def luminance(shade: Color) -> float:
    """Return how bright a colour is, from 0 to 1, by the formula of WCAG 2."""
    parts = [part / 255 for part in shade.rgb]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(theme: Theme, front: str, back: str) -> float:
    low, high = sorted(luminance(colour(theme, name)) for name in (front, back))
    return (high + 0.05) / (low + 0.05)


@THEMES
def test_hidden_text_can_be_read_on_panes(theme: Theme) -> None:
    assert contrast(theme, "faint", "surface") >= 4.5
    assert contrast(theme, "faint", "background") >= 4.5


@THEMES
@pytest.mark.parametrize("row", ["cursor-row", "select-row", "hover-row"])
def test_what_is_muted_can_be_read_on_lit_rows(theme: Theme, row: str) -> None:
    assert contrast(theme, "muted", row) >= 4.5


@THEMES
def test_plots_stand_out(theme: Theme) -> None:
    for kind in ("dim", "muted", "error", "warning", "success"):
        assert contrast(theme, kind, "surface") >= 3, kind


@THEMES
def test_a_hovered_row_can_be_seen(theme: Theme) -> None:
    assert contrast(theme, "hover-row", "surface") >= 1.2


async def test_hidden_text_on_the_cursor_row_is_muted() -> None:
    made = Conversation([{"role": "user", "content": f"number {at}"} for at in range(3)])
    made.execute({"operation": "TRUNCATE", "keepLast": 1})
    app = CtxtuiApp(kept(made))
    app.animation_level = "none"
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.press("1", "g")
        raw = app.screen.query_one("#raw", LineList)
        styles = [raw._style("faint", tint).color for tint in ("cursor", "plain")]
        muted, faint = (colour(INK, name).rich_color for name in ("muted", "faint"))
        assert styles == [muted, faint]


@pytest.mark.parametrize("is_set", [True, False])
async def test_without_colours_an_error_is_as_bright_as_text(
    is_set: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_set:
        monkeypatch.setenv("NO_COLOR", "1")
    app = CtxtuiApp(kept(Conversation([{"role": "user", "content": "hello"}])))
    app.animation_level = "none"
    async with app.run_test(size=(100, 30)):
        assert isinstance(app.screen, InspectorScreen)
        raw = app.screen.query_one("#raw", LineList)
        bright = colour(INK, "bright").rich_color
        for kind in ("error", "warn", "ok"):
            assert (raw._style(kind, "plain").color == bright) is is_set, kind
