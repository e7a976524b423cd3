"""Toasts: two lines at most, in nobody's way, and never broken where it hurts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Region
from textual.screen import Screen

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.text.lines import Line
from ctxtui.text.toast import Toast, done, failed, note, toast_lines, warned
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.toasts import Toasts
from tests.cases import case
from tests.settling import idle
from tests.ui.hostility import HOSTILE
from tests.ui.opening import opened, painted, toasts, tour

CHANGED = done(
    "TRUNCATE opened batch 6", "34 → 13 messages, 13.5k → 6.6k tokens.", ("u", "undoes it")
)


def drawn(told: Toast, width: int) -> list[str]:
    return ["".join(piece.text for piece in line) for line in toast_lines(told, width)]


def text_of(lines: list[Line], kind: str) -> list[str]:
    return [piece.text for line in lines for piece in line if piece.kind == kind]


def region(screen: Screen[Any]) -> Region:
    return screen.query_one(Toasts).region


# Drawing


def test_a_toast_has_a_bold_line_and_one_more_with_its_key_lit() -> None:
    assert drawn(CHANGED, 62) == [
        "▌ ✓ TRUNCATE opened batch 6",
        "▌   34 → 13 messages, 13.5k → 6.6k tokens. u undoes it.",
    ]
    lines = toast_lines(CHANGED, 62)
    assert text_of(lines[:1], "bright")
    assert not text_of(lines[1:], "bright")
    assert text_of(lines, "key") == ["u"]


@given(width=st.integers(30, 70))
def test_numbers_stay_with_each_other_and_with_what_they_count(width: int) -> None:
    rows = drawn(CHANGED, width)
    assert all(cell_len(row) <= width for row in rows)
    joined = "\n".join(rows)
    for whole in ("34 → 13 messages", "13.5k → 6.6k tokens", "u undoes"):
        assert whole in joined


@pytest.mark.parametrize("text", [HOSTILE, "[/x]", "x" * 5_000, "上传失败" * 40])
def test_whatever_things_are_called_a_toast_only_draws_it(text: str) -> None:
    rows = drawn(failed(text, text, ("S", "tries again")), 40)
    assert all(cell_len(row) <= 40 for row in rows)
    assert all(row.isprintable() for row in rows)


# Placing


SIZES = [(60, 20), (100, 30), (200, 60)]


@pytest.mark.parametrize("size", SIZES)
async def test_no_toast_is_over_the_cursor_or_the_keys(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        assert isinstance(pilot.app, CtxtuiApp)
        for pane in ("1", "2", "4"):
            with case("pane", pane):
                await pilot.press(pane, "G", "u")
                await pilot.pause()
                focus = screen.focused
                assert isinstance(focus, LineList)
                assert toasts(pilot)
                spot = region(screen)
                assert spot.area
                row = focus.content_region.y + focus.header_rows + focus.cursor_row
                assert focus.content_region.contains(focus.content_region.x, row)
                assert not spot.overlaps(focus.region)
                assert not spot.overlaps(screen.query_one("#keys").region)
                assert screen.region.contains_region(spot)
                for toast in tuple(pilot.app.toasts):
                    pilot.app.remove_toast(toast)


async def test_toasts_take_a_third_of_the_screen_at_most() -> None:
    async with opened(size=(80, 24)) as (pilot, screen):
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        for number in range(3):
            app.show_toast(note(f"{number} " + "word " * 50))
        await pilot.pause()
        assert 3 <= region(screen).height <= 8


@pytest.mark.parametrize("size", SIZES)
async def test_no_toast_is_over_a_prompt(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        await pilot.press("u", "slash", "x")
        await pilot.pause()
        assert toasts(pilot)
        assert screen.query_one(Prompt).region.area
        assert not region(screen).overlaps(screen.query_one(Prompt).region)


@pytest.mark.parametrize("size", SIZES)
async def test_no_toast_is_over_a_forms_button_or_the_field_that_is_typed_in(
    size: tuple[int, int],
) -> None:
    async with opened(size=size) as (pilot, _):
        await pilot.press("u", "t")
        await pilot.pause()
        form = pilot.app.screen
        spot = region(form)
        assert spot.area
        assert form.focused is not None
        assert not spot.overlaps(form.focused.region)
        for button in form.query("#apply"):
            assert not spot.overlaps(button.region)


async def test_only_the_screen_on_top_shows_toasts() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("u", "question_mark")
        await pilot.pause()
        assert not screen.query_one(Toasts).display
        assert pilot.app.screen.query_one(Toasts).display
        await pilot.press("escape")
        assert screen.query_one(Toasts).display


# Coming and going


async def test_after_an_undo_it_is_told_what_redoes() -> None:
    async with opened() as (pilot, _):
        await pilot.press("u")
        told = toasts(pilot)
        assert told.startswith("Undone: ")
        assert "U redoes it." in told
        assert "u undoes" not in told
        await pilot.press("U")
        assert "Redone: " in toasts(pilot)


async def test_an_error_stays_until_a_key_is_pressed() -> None:
    async with opened(Conversation([{"role": "user", "content": "hi"}])) as (pilot, _):
        await pilot.press("u")
        assert "Refused: there is nothing to undo. Nothing was changed." in toasts(pilot)
        await pilot.press("j")
        assert toasts(pilot) == ""


async def test_a_click_takes_a_toast_away() -> None:
    async with opened() as (pilot, _):
        await pilot.press("u")
        await pilot.click("#toasts", offset=(5, 0))
        await pilot.pause()
        assert toasts(pilot) == ""


async def test_the_same_is_told_once_and_only_the_last_few_are_seen() -> None:
    async with opened() as (pilot, _):
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        for text in ("a", "b", "c", "d", "d"):
            app.show_toast(note(text))
        assert [one.title for one in app.toasts] == ["b", "c", "d"]


async def test_an_offer_is_told_with_what_it_would_do_and_takes_no_focus() -> None:
    settings = {
        "tokenLimit": 1_000,
        "compressionConfig": {"enabled": True, "threshold": 300, "targetTokens": 200},
    }
    conversation = tour()
    conversation.execute({"operation": "CONFIGURE", **settings})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("a", *"something to say", "ctrl+s")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        told = toasts(pilot)
        assert "tokens, above 30 % of the limit. TRUNCATE to 200 would hide" in told
        assert "K previews it." in told
        assert pilot.app.screen is screen
        assert screen.focused is screen.query_one("#visible")


def test_a_warning_has_its_sign() -> None:
    assert drawn(warned("12.9k tokens, above 80 % of the limit"), 62)[0].startswith("▌ ▲ 12.9k")


class Leaving:
    """A timer of a toast that never goes off by itself."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self.leave, self.is_stopped = leave, False

    def stop(self) -> None:
        self.is_stopped = True


async def test_a_toast_that_is_told_twice_stays_as_long_as_one_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (pilot, _):
        timers: list[Leaving] = []

        def set_timer(_seconds: float, leave: Callable[[], None]) -> Leaving:
            timers.append(Leaving(leave))
            return timers[-1]

        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        for told in app.toasts:
            app.remove_toast(told)
        monkeypatch.setattr(app, "set_timer", set_timer)
        app.show_toast(CHANGED)
        app.show_toast(CHANGED)
        first, second = timers
        assert (first.is_stopped, second.is_stopped) == (True, False)
        assert list(app.toasts) == [CHANGED]
        second.leave()
        assert not app.toasts


async def test_a_toast_asks_for_one_layout_and_not_for_one_after_each() -> None:
    async with opened() as (pilot, screen):
        assert isinstance(pilot.app, CtxtuiApp)
        pilot.app.show_toast(CHANGED)
        await idle(pilot)
        layouts = list[Screen[object]]()
        screen.screen_layout_refresh_signal.subscribe(screen, layouts.append, immediate=True)
        screen.refresh(layout=True)
        await idle(pilot)
        assert len(layouts) == 1
        assert "TRUNCATE opened batch 6" in painted(screen)
