"""The roles view: scope, the most recent, ranges, times and marks; keys and mouse."""

from __future__ import annotations

from datetime import datetime

import pytest

from core import Conversation, Refused
from ctxtui.models.role_filter import RoleFilter, read_filter
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.widgets.choice_bar import ChoiceBar
from tests.ui.opening import lines, listed, opened, refusal


def raws(screen: InspectorScreen, role: str) -> list[int]:
    source = listed(screen, f"role-{role}").source
    return [source.key(at) for at in range(len(source))]


async def test_visible_messages_come_first_and_hidden_ones_below_a_rule() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        assert raws(screen, "user") == [2, 10, 19, -1, 16]
        shown = lines(screen, "role-user")
        assert "3 of 4" in shown[0]
        assert "━" in shown[1]
        assert "1 hidden" in shown[8]
        assert "other branch" in shown[9]


async def test_the_raw_scope_shows_all_in_the_order_of_the_log() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        bar = screen.query_one("#role-choices", ChoiceBar)
        bar.focus()
        await pilot.press("right", "enter")
        await pilot.pause()
        assert screen.explorer.views.roles.filter.scope == "raw"
        assert raws(screen, "user") == [2, 10, 16, 19]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("recent", "2", [10, 19]),
        ("range", "1-2", [10]),
        ("range", "1-1", []),
        ("range", "0 … 9", [2, 10, 19]),
        ("marked", "instruction", [10]),
    ],
)
async def test_a_filter_is_asked_for_and_applied(kind: str, text: str, expected: list[int]) -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        bar = screen.query_one("#role-choices", ChoiceBar)
        bar.post_message(ChoiceBar.Chosen(bar, "show", kind))
        await pilot.pause()
        screen.query_one("#ask").value = text  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.pause()
        assert raws(screen, "user") == expected
        assert f"•{kind} {text}" in " ".join(lines(screen, "role-choices"))
        assert screen.focused is not bar


async def test_a_click_chooses_and_all_shows_everything_again() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        screen.explorer.views.roles.choose(RoleFilter("visible", "recent", "1", (1, None)))
        screen.explorer.views.refill("roles")
        assert raws(screen, "user") == [19]
        at = lines(screen, "role-choices")[0].index(" all ") + 1
        await pilot.click("#role-choices", offset=(at, 0))
        await pilot.pause()
        assert raws(screen, "user")[:3] == [2, 10, 19]


async def test_a_filter_that_makes_no_sense_changes_nothing_and_says_why() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        bar = screen.query_one("#role-choices", ChoiceBar)
        bar.post_message(ChoiceBar.Chosen(bar, "show", "range"))
        await pilot.pause()
        await pilot.press(*"9-1", "enter")
        await pilot.pause()
        assert screen.explorer.views.roles.filter == RoleFilter()
        assert "'9-1'" in refusal(screen)


async def test_the_cursor_of_a_column_moves_the_ribbon_and_enter_goes_to_the_message() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("j", "j", "j", "5")
        assert screen.explorer.raw == 2
        await pilot.press("j")
        assert screen.explorer.raw == 10
        await pilot.press("enter")
        assert (screen.explorer.views.current, screen.explorer.raw, screen.explorer.pane) == (
            "inspector",
            10,
            "visible",
        )


def test_times_are_read_as_people_write_them() -> None:
    start = int(datetime(2026, 5, 1, 9).timestamp() * 1000)
    messages = [
        {"role": "user", "content": str(i), "timestamp": start + i * 3_600_000} for i in range(4)
    ]
    state = Conversation(messages).moment
    both = read_filter(RoleFilter(), "between", "2026-05-01 10:00, 2026-05-01T10:30")
    assert both.ask(state, ["user"]) == [1]
    assert read_filter(RoleFilter(), "between", "2026-05-01 11:00,").ask(state, ["user"]) == [2, 3]
    assert read_filter(RoleFilter(), "between", ",2026-05-01").ask(state, ["user"]) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("recent", ""),
        ("recent", "-1"),
        ("recent", "9" * 30),
        ("recent", "٣"),
        ("range", "1"),
        ("range", "5-2"),
        ("range", "a-b"),
        ("between", "yesterday"),
        ("between", "x, y"),
        ("between", "0001-01-01, 9999-99-99"),
        ("marked", " "),
    ],
)
def test_what_can_not_be_read_is_refused_with_an_example(kind: str, text: str) -> None:
    with pytest.raises(Refused, match="is not"):
        read_filter(RoleFilter(), kind, text)  # type: ignore[arg-type]
