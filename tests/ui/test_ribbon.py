"""The ribbon: the log as one line that fills its width, coloured by what holds the tokens."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine.views import View
from ctxtui.core.what_if import WhatIf
from ctxtui.forms.drawing import outcome_lines
from ctxtui.forms.preview import prospect_of
from ctxtui.inspector.drawing.head import LogRibbon
from ctxtui.inspector.models.look import Figures, Look, StagedFigures
from ctxtui.text.lines import Line
from ctxtui.text.ribbon import Ribbon, RibbonAxis, with_cursor

ROLES = ("system", "user", "assistant", "user")


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def spoken(*said: tuple[str, str]) -> Conversation:
    return Conversation([{"role": role, "content": words} for role, words in said])


def four() -> Conversation:
    return spoken(*((role, "word " * 5) for role in ROLES))


def ribbon(conversation: Conversation, width: int) -> Line:
    look = Look(conversation)
    drawn = Ribbon(conversation.log, look.figures, look.view)
    return drawn.line(RibbonAxis(len(conversation.log), width))


@given(st.integers(1, 400), st.integers(1, 250))
def test_every_message_has_its_cells_and_every_cell_its_messages(whole: int, width: int) -> None:
    axis = RibbonAxis(whole, width)
    ends = [axis.stretch(raw) for raw in range(whole)]
    assert ends[0][0] == 0
    assert ends[-1][1] == width
    for raw, (first, stop) in enumerate(ends):
        assert 0 <= first < stop <= width
        assert first <= axis.place(raw) < stop
        lo, hi = axis.bucket(axis.place(raw))
        assert lo <= raw < hi
    if whole <= width:
        apart = [later[0] - sooner[1] for sooner, later in pairwise(ends)]
        assert set(apart) <= {axis.gap}
        sizes = {stop - first for first, stop in ends}
        assert max(sizes) - min(sizes) <= 1
    else:
        assert [axis.bucket(cell)[0] for cell in range(1, width)] == [
            axis.bucket(cell)[1] for cell in range(width - 1)
        ]
        assert axis.bucket(width - 1)[1] == whole


@pytest.mark.parametrize(
    ("width", "drawn"),
    [
        (15, "▆▆▆ ▁▁▁ ▁▁▁ ▆▆▆"),
        (8, "▆▆▁▁▁▁▆▆"),
        (5, "▆▁▁▆▆"),
        (4, "▆▁▁▆"),
        (2, "▅▅"),
        (1, "▅"),
        (0, ""),
    ],
)
def test_cells_stretch_to_the_width_and_are_buckets_where_there_are_too_few(
    width: int, drawn: str
) -> None:
    conversation = four()
    conversation.execute({"operation": "DELETE", "indices": [1, 2]})
    assert text(ribbon(conversation, width)) == drawn


def test_a_log_without_messages_has_no_ribbon() -> None:
    assert ribbon(Conversation(), 80) == []


def test_a_bucket_has_the_colour_of_the_role_with_most_tokens_not_with_most_messages() -> None:
    few = spoken(("user", "a"), ("user", "b"), ("assistant", "many words " * 50), ("user", "c"))
    assert [piece.kind for piece in ribbon(few, 1)] == ["assistant"]
    few.execute({"operation": "DELETE", "indices": [2]})
    assert ribbon(few, 1) == [("▆", "user")]


def test_what_goes_is_low_and_red() -> None:
    conversation = four()
    kept = View.of([0, 3])
    look = Look(conversation)
    shown = Ribbon(conversation.log, look.figures, kept, went=View.of([1, 2]))
    assert shown.line(RibbonAxis(4, 4)) == [("▆", "system"), ("▂▂", "error"), ("▆", "user")]
    assert shown.line(RibbonAxis(4, 2)) == [("▅▅", "error")]


def test_while_what_moved_is_shown_only_that_has_colour() -> None:
    conversation = four()
    look = Look(conversation)
    shown = Ribbon(
        conversation.log,
        look.figures,
        View.of([0, 2]),
        size=3,
        went=View.of([1]),
        came=View.of([2]),
    )
    assert shown.line(RibbonAxis(4, 4)) == [
        ("▆", "track"),
        ("▂", "error"),
        ("▆", "assistant"),
        ("·", "faint"),
    ]


def test_the_cursor_stands_in_the_middle_of_its_message() -> None:
    conversation = four()
    look = Look(conversation)
    axis = RibbonAxis(4, 15)
    cells = Ribbon(conversation.log, look.figures, look.view).cells(axis)
    assert text(with_cursor(cells, axis, 1)) == "▆▆▆ ▆┃▆ ▆▆▆ ▆▆▆"
    assert axis.raw(5) == 1
    assert axis.raw(15) is None


def test_a_long_log_costs_what_its_runs_cost() -> None:
    """Only buckets are asked for: never a message, and no bucket twice."""

    class Counted(Figures):
        asked = 0

        def within(self, starts, stops):  # type: ignore[no-untyped-def]
            self.asked += 1
            assert len(starts) <= 2
            return super().within(starts, stops)

    conversation = spoken(*(("user", "x") for _ in range(5_000)))
    conversation.execute({"operation": "DELETE", "indices": [1_000]})
    weights = Counted(conversation.moment.counter)
    weights.catch_up(conversation.log)
    Ribbon(conversation.log, weights, conversation.view).line(RibbonAxis(5_000, 50))
    assert weights.asked == 50


def test_figures_of_a_draft_go_on_from_those_of_the_log() -> None:
    conversation = four()
    look = Look(conversation)
    operation = {"operation": "APPEND", "messages": [{"role": "tool", "content": "y" * 40}]}
    result = conversation.preview(operation)
    log = result.moment.log
    staged = StagedFigures(look.figures, log, result.moment.counter)
    whole = Figures(result.moment.counter)
    whole.catch_up(log)
    for first, stop in ((0, 5), (2, 5), (4, 5), (1, 3)):
        assert staged.within([first], [stop]) == whole.within([first], [stop])


def test_a_preview_shows_red_what_would_go() -> None:
    conversation = four()
    result = conversation.preview({"operation": "TRUNCATE", "keepLast": 1})
    outcome = WhatIf(conversation).judge(result)
    drawn = outcome_lines(prospect_of(Look(conversation), {}, result, outcome, ()), 80)
    after = next(line for line in drawn if line and line[0].text.startswith("after"))
    assert {piece.kind for piece in after if "▂" in piece.text} == {"error"}


def test_then_stands_above_now_with_a_dot_for_what_was_not_there_yet() -> None:
    conversation = four()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    conversation.execute({"operation": "APPEND", "messages": [{"role": "user", "content": "z"}]})
    past = LogRibbon(Look.at_batch(conversation, 0), 31)
    assert text(past.line(0, None)) == " then 0 ▆▆▆ ▆▆▆ ▆▆▆ ▆▆▆ ·    4 "
    assert text(past.line(1, None)) == " now  1 ▁▁▁ ▁▁▁ ▆▆▆ ▆▆▆ ▆▆▆▆ 4 "
    assert past.raw(8) == 0
    assert past.raw(12) == 1
    live = LogRibbon(Look(conversation), 12)
    assert text(live.line(0, 4)) == " raw ▁▁▆┃ 4 "


def test_what_the_shown_batch_hid_is_red_in_the_upper_line_only() -> None:
    conversation = four()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    past = LogRibbon(Look.at_batch(conversation, 1), 30)
    kinds = [[piece.kind for piece in past.line(at, None)] for at in (0, 1)]
    assert [line.count("error") for line in kinds] == [1, 0]


@pytest.mark.parametrize("width", [0, 3, 10, 40, 80, 200])
def test_no_line_of_the_ribbon_is_longer_than_its_width(width: int) -> None:
    assert len(text(LogRibbon(Look(four()), width).line(0, 2))) == width
