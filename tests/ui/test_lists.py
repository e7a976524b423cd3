"""The list widget: lines that expand, brackets, ghosts, the mouse, and where the cursor stays."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._compositor import Compositor
from textual.events import Click, Key

from ctxtui.core import Conversation
from ctxtui.text.line_source import Folds, NumberedSource
from ctxtui.text.lines import Line, Piece
from ctxtui.text.ribbon import RibbonAxis
from ctxtui.widgets.line_list import LineList
from tests.settling import idle
from tests.ui.opening import lines, listed, opened, painted


@given(
    st.integers(1, 30),
    st.dictionaries(st.integers(0, 40), st.integers(0, 5), max_size=8),
)
def test_rows_and_lines_are_two_ways_to_count_the_same(size: int, extra: dict[int, int]) -> None:
    folds = Folds()
    folds.open = {key: [[]] * rows for key, rows in extra.items()}
    folds.place(lambda key: key if key < size else None)
    rows = [(at, within) for at in range(size) for within in range(folds.height(at))]
    assert len(rows) == size + folds.extra
    assert [folds.line(row) for row in range(len(rows))] == rows
    assert [folds.row(at) for at in range(size)] == [rows.index((at, 0)) for at in range(size)]


class Words(NumberedSource):
    """Lines of one word; opened they show three more."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def line(self, at: int, width: int) -> Line:
        return [Piece(f"word {at}")]

    def expanded(self, at: int, width: int) -> list[Line]:
        return [[Piece(f"more {at}.{i}")] for i in range(3)]


async def test_a_line_expands_and_closes_and_the_rest_moves_down() -> None:
    async with opened() as (pilot, screen):
        pane = listed(screen, "visible")
        await pilot.press("j", "j", "right")
        shown = lines(screen, "visible")
        assert "Project rule" in shown[3]
        assert "Project rule: error messages are written in plain English." in shown[4]
        assert "test_upload_retries" in shown[5]
        await pilot.press("j")
        assert pane.cursor == 3
        await pilot.press("k", "left")
        assert "test_upload_retries" in lines(screen, "visible")[4]


async def test_an_expanded_line_stays_open_when_its_message_moves() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("j", "j", "j", "right")
        assert listed(screen, "visible").key == 2
        await pilot.press("u")
        assert listed(screen, "visible").key == 2
        assert "test_upload_retries fails about once in ten" in lines(screen, "visible")[4]


async def test_a_million_expanded_and_closed_lines_answer_at_once() -> None:
    async with opened() as (pilot, screen):
        pane = listed(screen, "visible")
        pane.show(Words(1_000_000))
        await pilot.press("right", "G", "right", "k")
        assert (pane.cursor, pane.folds.extra) == (999_998, 6)
        assert "word 999998" in "".join(lines(screen, "visible"))


async def test_hidden_runs_are_bracketed_and_named_once_and_again_at_the_top() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("1", "g")
        shown = [line.rstrip() for line in lines(screen, "raw")]
        assert shown[4].endswith("compress 1 ╮")
        assert [line[-1] for line in shown[5:11]] == ["│"] * 5 + ["╯"]
        assert not any("compress" in line for line in shown[5:11])
        pane = listed(screen, "raw")
        pane.scroll_to(y=5, animate=False)
        await pilot.pause()
        assert "compress 1 │" in lines(screen, "raw")[1]


async def test_the_projection_shows_where_a_hidden_message_would_stand() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("1", "g", "j", "j", "j")
        await pilot.pause()
        shown = lines(screen, "visible")
        at = next(i for i, line in enumerate(shown) if "raw 3 would be here" in line)
        assert "test_upload_retries" in shown[at - 1]
        assert "COMPRESS" in shown[at]
        await pilot.press("2")
        await pilot.pause()
        assert not any("would stand" in line for line in lines(screen, "visible"))
        assert screen.explorer.raw == listed(screen, "visible").key != 3


async def test_the_same_message_stands_on_the_same_line_of_both_lists() -> None:
    many = Conversation([{"role": "user", "content": f"m{i}"} for i in range(200)])
    async with opened(many) as (pilot, screen):
        await pilot.press("G")
        await pilot.press(*["k"] * 5)
        await pilot.pause()
        assert listed(screen, "raw").cursor_row == listed(screen, "visible").cursor_row


async def test_ctrl_and_shift_with_the_mouse_select() -> None:
    async with opened() as (pilot, screen):
        await pilot.click("#visible", offset=(10, 3))
        await pilot.click("#visible", offset=(10, 6), shift=True)
        assert screen.explorer.selection.raws == set(screen.look.view[1:5])
        await pilot.click("#visible", offset=(10, 3), control=True)
        assert screen.explorer.selection.raws == set(screen.look.view[2:5])


async def test_the_other_mouse_button_expands() -> None:
    async with opened() as (pilot, screen):
        pane = listed(screen, "visible")
        event = Click(pane, 5, 4, 0, 0, 3, False, False, False)
        pane.on_click(event)
        await pilot.pause()
        assert pane.cursor == 2
        assert list(pane.folds.open) == [pane.key]


@pytest.mark.parametrize("raw", [0, 15, 26])
async def test_a_click_on_the_ribbon_goes_to_that_message(raw: int) -> None:
    async with opened() as (pilot, screen):
        x = 5 + RibbonAxis(27, 131).place(raw)
        await pilot.click("#ribbon", offset=(x, 0))
        assert screen.explorer.raw == raw
        assert lines(screen, "ribbon")[0][x] == "┃"


async def test_the_viewing_bar_can_be_clicked() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("[")
        bar = lines(screen, "viewing")[0]
        await pilot.click("#viewing", offset=(bar.index("return"), 0))
        assert screen.look.is_live
        await pilot.press("[")
        await pilot.click("#viewing", offset=(bar.index("roll back"), 0))
        assert screen.conversation.batch.number == 2


def far_finding() -> Conversation:
    """Return a conversation whose only error is out of sight at first."""
    messages: list[dict[str, object]] = [
        {"role": "user", "content": f"message {at}"} for at in range(300)
    ]
    result = {"tool_use_id": "nobody", "content": "found"}
    messages[200] = {
        "role": "tool",
        "content": [{"type": "tool_result", "tool_result": result}],
    }
    return Conversation(messages)


@pytest.mark.parametrize(
    "keys", [("L", "enter"), ("5", "G", "enter"), ("5", "5", ":", *"250", "enter")]
)
async def test_panes_that_were_out_of_sight_are_drawn_where_the_cursor_is(
    keys: tuple[str, ...],
) -> None:
    async with opened(far_finding()) as (pilot, screen):
        await pilot.press(*keys)
        await pilot.pause()
        raw = screen.explorer.raw
        assert raw is not None
        assert raw >= 200
        assert listed(screen, "raw").key == raw
        drawn = [line for line in painted(screen).splitlines() if f"→ {raw} " in line]
        assert len(drawn) == 1, "the raw array is not drawn where its cursor is"


async def test_moving_the_cursor_lays_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    short = Conversation([{"role": "user", "content": f"number {at}"} for at in range(40)])
    async with opened(short, size=(140, 42)) as (pilot, screen):
        await pilot.press("1", "g")
        await idle(pilot)
        layouts = []
        reflow = Compositor.reflow

        def counted(compositor: Compositor, *given: Any) -> Any:
            layouts.append(listed(screen, "raw").cursor)
            return reflow(compositor, *given)

        monkeypatch.setattr(Compositor, "reflow", counted)
        await pilot.press(*["j"] * 20)
        assert listed(screen, "raw").cursor == 20
        assert layouts == []


async def test_a_held_key_is_one_move() -> None:
    conversation = Conversation([{"role": "user", "content": f"{at}"} for at in range(400)])
    async with opened(conversation) as (pilot, screen):
        pane = listed(screen, "visible")
        await pilot.press("g")
        moves: list[int] = []

        def moved(cursor: int) -> None:
            moves.append(cursor)

        pane.watch(pane, "cursor", moved, init=False)
        for _ in range(50):
            pilot.app.post_message(Key("j", "j"))
        pilot.app.post_message(Key("k", "k"))
        await pilot.pause()
        assert pane.cursor == 49
        assert len(moves) < 10


async def test_what_can_not_be_drawn_fails_the_test_that_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> NoReturn:
        raise RuntimeError("a planted fault")

    with pytest.raises(RuntimeError, match="a planted fault"):
        async with opened():
            monkeypatch.setattr(LineList, "render_line", failing)
