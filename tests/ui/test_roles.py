"""The roles view: scope, the most recent, ranges, times and marks; keys and mouse."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from ctxtui.core import Conversation, Refused
from ctxtui.inspector.drawing.roles import RoleSource
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.roles import RoleFilter, RoleMessages, read_filter
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.text.icons import NOTED_PIECE
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.styled import KINDS
from tests.ui.opening import lines, listed, opened, refusal, tour


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


def sources(screen: InspectorScreen) -> list[str]:
    """Return the columns in sight."""
    columns = screen.query("#role-columns RoleColumn")
    return [str(column.id).removeprefix("role-") for column in columns if column.display]


async def choose(pilot: Pilot[str], screen: InspectorScreen, group: str, name: str) -> None:
    bar = screen.query_one("#role-choices", ChoiceBar)
    bar.post_message(ChoiceBar.Chosen(bar, group, name))
    await pilot.pause()


async def test_the_named_key_goes_to_the_choices_and_escape_back_to_the_column() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        column = screen.focused
        await pilot.press("ampersand")
        assert screen.query_one("#role-choices").has_focus
        await pilot.press("escape")
        assert screen.focused is column
        assert screen.explorer.views.current == "roles"


async def test_the_most_recent_of_several_roles_are_shown_together_in_their_order() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("5")
        for role in ("system", "tool"):
            await choose(pilot, screen, "roles", role)
        assert sources(screen) == ["user", "assistant"]
        await choose(pilot, screen, "as", "together")
        assert sources(screen) == ["together"]
        await choose(pilot, screen, "show", "recent")
        await pilot.press("5", "enter")
        expected = screen.conversation.query.recent(5, roles=["user", "assistant"])
        assert raws(screen, "together") == expected
        assert expected != sorted(expected) or len(expected) == 5
        told = "\n".join(lines(screen, "role-together"))
        assert "❯ user" in told
        assert "◆ asst" in told
        await choose(pilot, screen, "as", "columns")
        assert raws(screen, "user") == screen.conversation.query.recent(5, roles=["user"])


async def test_one_role_always_stays() -> None:
    chosen = RoleFilter()
    for role in ("system", "user", "assistant", "tool"):
        chosen = chosen.turned(role)
    assert chosen.roles == ("tool",)
    assert chosen.turned("system").roles == ("system", "tool")


@pytest.mark.parametrize(("size", "count"), [((80, 24), 1), ((100, 30), 4), ((200, 60), 4)])
async def test_columns_that_would_be_too_narrow_are_shown_one_at_a_time(
    size: tuple[int, int], count: int
) -> None:
    async with opened(size=size) as (pilot, screen):
        await pilot.press("5")
        assert len(sources(screen)) == count
        before = screen.focused
        await pilot.press("right")
        assert screen.focused is not before
        assert screen.focused is not None
        assert screen.focused.id == "role-user"
        await pilot.press("left")
        assert screen.focused is before
        view = screen.query_one("#roles")
        assert all(
            view.region.contains_region(one.region) for one in view.query("*") if one.display
        )


async def test_a_finding_is_flagged_on_its_row() -> None:
    conversation = tour()
    conversation.execute({"operation": "DELETE", "indices": [20]})
    async with opened(conversation) as (pilot, screen):
        flagged = [one.raw_index for one in screen.look.findings]
        await pilot.press("5")
        told = "\n".join(lines(screen, "role-tool") + lines(screen, "role-assistant"))
        assert flagged
        assert "✖ G" in told


@pytest.mark.parametrize("width", [18, 24, 33, 55, 56, 120])
@pytest.mark.parametrize("scope", ["visible", "raw"])
def test_nothing_is_wider_than_its_column_and_heads_are_whole(width: int, scope: Any) -> None:
    evil = "\x1b[31m[/x] \u202e漢字\ud800\n" * 9
    roles = ["user", "assistant", "system", "tool"]
    conversation = Conversation([{"role": roles[i % 4], "content": evil} for i in range(40)])
    conversation.execute({"operation": "DELETE", "indices": [4, 5, 6, 7]})
    conversation.execute({"operation": "MARK", "indices": [0, 4], "label": "a [/x] label"})
    look = Look(conversation)
    for together in (("user",), tuple(roles)):
        found = RoleMessages(look, together, RoleFilter(scope))
        source = RoleSource(found, range(40))
        heads = ["".join(piece.text for piece in line) for line in source.headers(width)]
        assert all(cell_len(line) <= width for line in heads)
        assert f"{found.sent_count} of {found.raw_count}" in heads[0]
        assert "%" in heads[0]
        rows = {block.rows for block in source.blocks(width)} or {1}
        for at in range(len(source)):
            line = source.line(at, width)
            below = source.below(at, width) if rows == {2} and source.key(at) != -1 else []
            for one in (line, *below):
                shown = "".join(piece.text for piece in one)
                assert cell_len(shown) <= width
                assert shown.isprintable()
                assert {piece.kind for piece in one} <= set(KINDS)


@pytest.mark.parametrize("width", [24, 55, 56, 120])
@pytest.mark.parametrize("scope", ["visible", "raw"])
def test_a_message_with_a_note_has_its_sign_sent_or_hidden(width: int, scope: Any) -> None:
    conversation = Conversation([{"role": "user", "content": f"message {i}"} for i in range(6)])
    conversation.execute({"operation": "DELETE", "indices": [4, 5]})
    source = RoleSource(RoleMessages(Look(conversation), ("user",), RoleFilter(scope)), {1, 4})
    signed = [source.key(at) for at in range(len(source)) if NOTED_PIECE in source.line(at, width)]
    assert signed == [1, 4]
    plain = RoleSource(RoleMessages(Look(conversation), ("user",), RoleFilter(scope)))
    assert not any(NOTED_PIECE in plain.line(at, width) for at in range(len(plain)))


def test_columns_open_no_message_of_a_long_log_but_those_in_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conversation = Conversation([{"role": "user", "content": "x"}] * 20_000)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 9_000})
    look = Look(conversation)
    log: Any = type(conversation.log)
    asked, real = [], log.__getitem__

    def watched(*given: Any) -> object:
        asked.append(given)
        return real(*given)

    monkeypatch.setattr(log, "__getitem__", watched)
    source = RoleSource(RoleMessages(look, ("user",), RoleFilter()))
    assert len(source) == 20_001
    assert source.find(19_999) == 8_999
    assert source.find(10_999) == 20_000
    assert source.headers(40)
    assert asked == []
    source.line(0, 40)
    assert len(asked) < 10


def test_a_look_at_the_past_shows_what_was_there_then() -> None:
    conversation = tour()
    past = Look.at_batch(conversation, 0)
    for scope in ("visible", "raw"):
        found = RoleMessages(past, ("user",), RoleFilter(scope))
        assert all(raw < past.log_size for raw in (*found.listed, *found.hidden))
        assert found.raw_count == len(RoleMessages(past, ("user",), RoleFilter("raw")).listed)


async def test_choices_that_go_on_below_are_indented() -> None:
    async with opened(size=(100, 30)) as (pilot, screen):
        await pilot.press("5")
        bar = screen.query_one("#role-choices", ChoiceBar)
        await pilot.pause()
        first, second = (bar.render_line(y).text for y in range(2))
        assert first.startswith("  scope")
        assert second.startswith("  ")
        assert second.strip()
