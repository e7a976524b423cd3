"""Over the run as text: the axis of calls, lines of dots, strips, the table, and one call."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.policies import CallFigures, Policy, PolicyFigures
from ctxtui.text.icons import to_ascii
from ctxtui.text.lines import Line, line_width
from ctxtui.text.plots import Dots
from ctxtui.what_if.drawing.over_run import (
    AGAIN,
    CHOSEN,
    CUT,
    KEPT,
    OTHER,
    RIVAL,
    CallAxis,
    DrawnRun,
    RunPicture,
    brief_line,
    broken_cells,
    cache_cells,
    drawn_runs,
    lacking_cells,
    legend,
    panel_lines,
)
from ctxtui.what_if.drawing.strategies import TableColumns, TableScale
from ctxtui.what_if.drawing.words import asked_line, briefly, money, name_text
from ctxtui.what_if.models.comparison import StrategyComparison
from tests.profiles import examples
from tests.ui.runs import CAREFUL, REFUSED, WINDOW, compared, found_out, run

HOSTILE = "[/b]\x1b[31m\u202e 标题"


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def shown(lines: list[Line]) -> str:
    return "\n".join(map(text, lines))


def figures(
    *tokens: int, broken: tuple[int, ...] = (), lacking: tuple[int, ...] = ()
) -> PolicyFigures:
    """Return calls that send so many tokens, each with all before it as its start."""
    calls, before = [], 0
    for call, count in enumerate(tokens, start=1):
        prefix = before if count >= before else 0
        fails = (int(call in broken), int(call in lacking))
        calls.append(CallFigures(call, count, count, prefix, *fails, acted=False))
        before = count
    return PolicyFigures("made up", tuple(calls), limit=100)


# The axis


@given(st.integers(1, 400), st.integers(1, 90))
@examples(1.4)
def test_every_call_has_a_column_and_every_column_has_a_call(calls: int, cells: int) -> None:
    axis = CallAxis(calls, cells)
    found = [axis.calls_of(column) for column in range(axis.columns)]
    assert all(len(one) for one in found)
    assert sorted({call for one in found for call in one}) == list(range(1, calls + 1))
    for call in range(1, calls + 1):
        assert call in axis.calls_of(axis.first_column(call))
        assert call in axis.calls_of_cell(axis.cell(call))


@given(st.integers(1, 400), st.integers(1, 90), st.data())
def test_the_number_of_the_cursor_is_always_there(
    calls: int, cells: int, data: st.DataObject
) -> None:
    axis = CallAxis(calls, cells)
    call = data.draw(st.integers(1, calls))
    line = axis.numbers(call)
    assert line_width(line) <= cells
    assert f" {call} " in text(line) or cells < len(str(call)) + 2


# Dots, strips, the picture


def test_a_cell_belongs_to_whoever_was_there_first() -> None:
    dots = Dots(2, 1)
    dots.down(0, 3, 0, "bright")
    dots.put(1, 0, "muted")
    dots.put(2, 0, "muted")
    dots.put(99, 99, "muted")
    cells = [dots.cell(0, 0), dots.cell(1, 0)]
    assert cells == [("⡇", "bright"), ("⠁", "muted")]


def test_strips_are_half_a_cell_exact_and_show_the_worst_of_many_calls() -> None:
    run = DrawnRun("A", figures(5, 6, 7, 3, 9, 9, broken=(2, 5, 6), lacking=(4,)), CHOSEN)
    axis = CallAxis(6, 3)
    assert text(broken_cells(run, axis)) == "▐·█"
    assert text(lacking_cells(run, axis)) == "·★·"
    assert text(cache_cells(run, axis)) == KEPT + AGAIN + KEPT
    assert text(broken_cells(run, CallAxis(6, 1))) == "█"


def test_a_prefix_that_is_cut_is_neither_kept_nor_lost() -> None:
    calls = (CallFigures(1, 1, 9, 0, 0, 0, False), CallFigures(2, 1, 9, 4, 0, 0, True))
    run = DrawnRun("A", PolicyFigures("cut", calls), CHOSEN)
    assert text(cache_cells(run, CallAxis(2, 2))) == KEPT + CUT


@pytest.mark.parametrize("size", [(40, 8), (60, 12), (92, 27), (150, 44)], ids=str)
def test_lines_and_strips_fit_whatever_room_there_is(size: tuple[int, int]) -> None:
    runs = [
        DrawnRun("A", figures(*range(1, 60), broken=(9,), lacking=(10,)), CHOSEN),
        DrawnRun("B", figures(*[40] * 59), RIVAL),
        DrawnRun("C", figures(*[70] * 59), OTHER),
    ]
    picture = RunPicture(runs, 59, size, limit=100, must="rule")
    for call in (1, 30, 59):
        lines = picture.lines(call)
        assert len(lines) <= size[1]
        assert all(line_width(line) <= size[0] for line in lines)
        assert f" {call} " in shown(lines)
        assert "limit" in shown(lines)
    assert picture.call_at(0) is None
    assert picture.call_at(size[0] - 3) == 59


def test_a_picture_names_who_has_nothing_to_show() -> None:
    runs = [
        DrawnRun("A", figures(5, 6, 7, broken=(2,), lacking=(3,)), CHOSEN),
        DrawnRun("B", figures(5, 6, 7), RIVAL),
    ]
    told = shown(RunPicture(runs, 3, (90, 30), limit=None, must="rule").lines(2))
    assert "broken" in told
    assert "without rule" in told
    assert told.count("B  none") == 2


def test_a_limit_far_above_does_not_flatten_the_lines() -> None:
    run = DrawnRun("A", figures(5, 6, 7), CHOSEN)
    told = shown(RunPicture([run], 3, (60, 20), limit=10_000).lines(1))
    assert "the limit is far above" in told
    assert "10.0k" in told


def test_dots_have_plain_twins_in_the_same_half_of_a_cell() -> None:
    assert to_ascii("⠁⠤⡇⣀▐") == "'.:.|"


# Words


def test_the_fewest_words_say_what_a_policy_does() -> None:
    assert briefly(Policy(WINDOW)) == "keepLast 5, before every call"
    assert briefly(Policy(CAREFUL)) == "keepLast 6, above 10 messages"
    two = {
        "stages": [
            {
                "when": {"tokensAbove": 7500, "everyCalls": 3},
                "do": [{"operation": "REDACT", "select": {"exceptLast": 4}}],
            },
            {"do": [{"operation": "CLEAR"}]},
        ]
    }
    assert briefly(Policy(two)) == (
        "redact exceptLast 4, above 7.5k tokens or every 3 calls; then clear, before every call"
    )


def test_little_money_is_not_told_as_none() -> None:
    told = [money(amount) for amount in (0, 0.5, 1234.5, 0.0032, 0.00001)]
    assert told == ["$0.00", "$0.50", "$1,234.50", "$0.0032", "<$0.0001"]


@pytest.fixture
def comparison(tmp_path: Path) -> StrategyComparison:
    return found_out(compared(tmp_path, WINDOW, CAREFUL, REFUSED))


@pytest.mark.parametrize("width", [40, 60, 80, 118, 138, 198])
def test_the_table_fits_and_keeps_what_matters_most(
    comparison: StrategyComparison, width: int
) -> None:
    comparison.ask_prices("input=3,cached=0.3,output=15")
    known = [one.figures for one in comparison.strategies if one.figures is not None]
    columns = TableColumns(width, True)
    scale = TableScale.of(known, True)
    lines = [columns.head(), *(columns.line("A", one, scale) for one in comparison.strategies)]
    assert all(line_width(line) <= width for line in lines)
    assert "broken" in text(lines[0])
    assert "✖" in text(lines[1])
    if width >= 118:
        assert "refused" in text(lines[3])
        assert "keepLast 5" in text(lines[1])


@pytest.mark.parametrize("width", [20, 46, 76, 100, 160])
def test_what_is_asked_is_told_in_whatever_room_there_is(
    comparison: StrategyComparison, width: int
) -> None:
    comparison.ask_prices("input=3,cached=0.3,output=15")
    told = text(asked_line(comparison, "3 policies over the same run", "", width))
    assert len(told) == width
    assert width < 76 or "24" in told
    assert width < 160 or ("★ rule" in told and "$3 in" in told)


def test_the_legend_tells_the_inks_apart(comparison: StrategyComparison) -> None:
    line = legend(drawn_runs(comparison))
    assert [piece.text.strip() for piece in line if piece.text.strip().isalpha()] == ["A", "B", "C"]
    assert {piece.kind for piece in line} >= {CHOSEN, RIVAL, "faint"}


# One call


@pytest.mark.parametrize("width", [24, 40, 56])
def test_a_failing_call_is_shown_in_order(comparison: StrategyComparison, width: int) -> None:
    both = [one.call for one in comparison.per_call if one.errors and one.marks_missing]
    comparison.go_to(both[0])
    facts = comparison.facts()
    assert facts is not None
    lines = panel_lines(facts, drawn_runs(comparison), "A", width)
    assert all(line_width(line) <= width for line in lines)
    told = " ".join(shown(lines).split())
    order = ["tokens", "✖ broken", "★ lacks", "cache", "all 3 at call", "enter"]
    assert sorted(order, key=told.index) == order
    assert "TRUNCATE keepLast 5 cut it off." in told
    assert "Never change the public API." in told
    assert f"Last sent in call {facts.lacked[0].last_sent}" in told


def test_a_call_in_one_line(comparison: StrategyComparison) -> None:
    comparison.choose(1)
    comparison.turn()
    told = text(brief_line(comparison.facts(), "B", 78))
    assert told.startswith(" B  call")
    assert told.rstrip().endswith("kept")
    assert "✓" in told
    assert brief_line(None, "", 78) == []


def test_hostile_names_and_labels_are_shown_as_symbols(tmp_path: Path) -> None:
    conversation = run()
    conversation.execute({"operation": "MARK", "indices": [0], "label": "[/b]\u202e 标题"})
    named = {"name": HOSTILE, **WINDOW}
    comparison = found_out(compared(tmp_path, named, conversation=conversation))
    comparison.go_to(comparison.calls)
    facts = comparison.facts()
    assert facts is not None
    lines = [
        asked_line(comparison, "", "", 140),
        *panel_lines(facts, drawn_runs(comparison), "A", 44),
        brief_line(facts, "A", 100),
    ]
    told = shown(lines) + name_text(comparison.strategies[0])
    assert not any(sign in told for sign in "\x1b\u202e")
    assert "[/b]" in told
    assert all(line_width(line) <= 140 for line in lines)
