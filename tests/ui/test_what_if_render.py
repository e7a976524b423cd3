"""What-if as text: outcomes in figures, columns on one scale, ribbons on one axis, and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.recipes import read_recipe
from ctxtui.core.what_if import DROPPED, KEPT, NEW, WhatIfOutcome
from ctxtui.files.policies import RecipeFile
from ctxtui.text.lines import Line, Piece
from ctxtui.what_if.drawing.recipes import (
    Axis,
    FigureScale,
    column_lines,
    in_short,
    now_lines,
    plan_for,
)
from ctxtui.what_if.lists import RecipeSource, RibbonSource
from ctxtui.what_if.models.recipes import Candidate, Ground
from tests.core.samples import answer, call, five, numbered, said, talk
from tests.ui.opening import tour

TIGHT = plan_for(24)
SMALLEST = 9
"""Rows of content that a column has on the smallest screen with six recipes."""


def cut(**fields: Any) -> dict[str, Any]:
    return {"operation": "TRUNCATE", **fields}


def attempt(conversation: Conversation, *operations: dict[str, Any]) -> WhatIfOutcome:
    return Ground(conversation).outcome(read_recipe(operations))


def candidate(ground: Ground, name: str, *operations: dict[str, Any]) -> Candidate:
    recipe = read_recipe(operations)
    file = RecipeFile(Path(f"{name}.json"), "file")
    return Candidate(file, recipe, ground.outcome(recipe))


def text(lines: list[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def columns(ground: Ground, *candidates: Candidate, width: int = 20) -> list[list[str]]:
    scale = FigureScale.of(ground, candidates)
    return [text(column_lines(ground, scale, one, TIGHT, width)) for one in candidates]


def sentence(ground: Ground, *candidates: Candidate) -> str:
    return in_short(ground, candidates, 0)


# Trials


def test_trying_changes_nothing() -> None:
    c = five()
    before = c.copy()
    attempt(c, cut(keepLast=1))
    assert c == before


def test_each_message_is_kept_dropped_or_replaced_where_it_stood() -> None:
    drop, keep, new = DROPPED, KEPT, NEW
    c = talk(*numbered(5))
    assert list(attempt(c, cut(keepLast=2)).fates) == [drop, drop, drop, keep, keep]
    redacted = attempt(c, {"operation": "REDACT", "indices": [1, 3]})
    assert (list(redacted.fates), redacted.new) == ([keep, new, keep, new, keep], 2)
    summary = {"operation": "COMPRESS", "indices": [0, 1, 2], "summary": said("user", "short")}
    assert list(attempt(c, summary).fates) == [new, drop, drop, keep, keep]
    insert = {"operation": "INSERT", "position": 2, "messages": [said("user", "more")]}
    inserted = attempt(c, insert)
    assert (list(inserted.fates), inserted.new, inserted.messages) == ([keep] * 5, 1, 6)


def test_what_a_rollback_brings_back_is_counted() -> None:
    c = talk(*numbered(5))
    c.execute(cut(keepLast=2))
    outcome = attempt(c, {"operation": "ROLLBACK", "targetBatchIndex": 0})
    assert (outcome.new, outcome.back, list(outcome.fates)) == (0, 3, [KEPT, KEPT])


def test_lost_marks_are_counted_by_message_and_by_label() -> None:
    c = talk(*numbered(4))
    c.execute({"operation": "MARK", "indices": [0, 3], "label": "goal"})
    c.execute({"operation": "MARK", "indices": [0, 1], "label": "keep"})
    outcome = attempt(c, cut(keepLast=1))
    assert len(outcome.marks_lost) == 2
    assert {label: len(raws) for label, raws in outcome.lost.items()} == {"goal": 1, "keep": 2}
    assert not Ground(c).now.marks_lost


# Columns


def test_bars_of_all_columns_are_on_one_scale() -> None:
    ground = Ground(talk(*numbered(8)))
    half, whole = columns(
        ground,
        candidate(ground, "half", cut(keepLast=4)),
        candidate(ground, "whole", cut(keepLast=8)),
        width=27,
    )
    lines = column_lines(
        ground,
        FigureScale.of(ground, []),
        candidate(ground, "half", cut(keepLast=4)),
        TIGHT,
        27,
    )
    assert lines[2] == [
        Piece("4      ", "bright"),
        Piece("━" * 10, "bright"),
        Piece("━" * 10, "track"),
    ]
    assert (half[2], whole[2]) == ("4      " + "━" * 20, "8      " + "━" * 20)


def test_the_rows_of_columns_stand_beside_their_names() -> None:
    c = tour()
    ground = Ground(c)
    for rows in (24, 40, 60):
        plan = plan_for(rows)
        one = candidate(ground, "window", cut(keepLast=7))
        scale = FigureScale.of(ground, [one])
        names = text(now_lines(ground, scale, plan, 20))
        column = text(column_lines(ground, scale, one, plan, 20))
        assert len(names) == len(column)
        at = {name[:13].strip(): i for i, name in enumerate(names)}
        assert column[at["messages"]].startswith("7 ")
        assert " %" in column[at["of the limit"]]
        assert column[at["lint"]].startswith("✖ 1")
        assert "none" in column[at["marks lost"]] or "★" in column[at["marks lost"]]
    assert len(now_lines(ground, FigureScale.of(ground, []), TIGHT, 20)) == SMALLEST


def test_without_a_limit_there_is_no_row_for_it_and_above_it_there_is_a_warning() -> None:
    free = Ground(talk(*numbered(4)))
    assert not any(
        "limit" in line for line in text(now_lines(free, FigureScale.of(free, []), TIGHT, 30))
    )
    c = talk(*numbered(4), tokenLimit=2)
    over = text(now_lines(Ground(c), FigureScale.of(Ground(c), []), TIGHT, 30))
    assert any(line.startswith("of the limit !200 %") for line in over)


def test_lint_is_told_in_words() -> None:
    ground = Ground(talk(said("user", "q"), call("a"), answer("a"), said("assistant", "done")))
    [column] = columns(ground, candidate(ground, "cut", cut(keepLast=2)), width=30)
    assert "✖ 1    orphaned result" in column
    [fine] = columns(ground, candidate(ground, "fine", cut(keepLast=1)))
    assert "✓ accepted" in fine


def test_the_common_prefix_is_told_in_tokens_and_messages() -> None:
    ground = Ground(talk(*numbered(6)))
    [column] = columns(ground, candidate(ground, "front", cut(keepFirst=3)), width=30)
    assert any(line.startswith("3 ") and line.endswith("3 msg") for line in column)
    assert column[-1].startswith("0 ")


@pytest.mark.parametrize("width", [14, 20, 46])
def test_no_line_is_wider_than_its_column(width: int) -> None:
    c = tour()
    c.execute({"operation": "MARK", "indices": [10], "label": "标签" * 10})
    ground = Ground(c)
    tried_out = candidate(ground, "a", cut(keepLast=3), {"operation": "REPAIR"})
    refused = replace(tried_out, outcome=None, problem="step 0: 标 no " * 9)
    scale = FigureScale.of(ground, [tried_out])
    for rows in (24, 40, 60):
        for one in (tried_out, refused):
            lines = text(column_lines(ground, scale, one, plan_for(rows), width))
            assert max(map(cell_len, lines)) <= width


def test_a_recipe_that_can_not_be_had_says_why_and_one_that_is_tried_says_so() -> None:
    ground = Ground(five())
    done = candidate(ground, "a", cut(keepLast=3))
    refused = replace(done, outcome=None, problem="step 0: indices 9 is outside 0…4")
    unread = replace(refused, recipe=None)
    pending = replace(done, outcome=None)
    first, second, third = columns(ground, refused, unread, pending, width=40)
    assert first[2:] == ["✖ refused", "step 0: indices 9 is outside 0…4"]
    assert second[2] == "✖ can't be read"
    assert third[2:] == ["… trying"]


# Ribbons


def test_ribbons_share_one_axis_with_stars_above_the_marked() -> None:
    c = talk(*numbered(6))
    c.execute({"operation": "MARK", "indices": [0, 4], "label": "goal"})
    ground = Ground(c)
    axis = Axis(ground, 6)
    assert text([axis.stars(), axis.ribbon(ground.now)]) == ["★   ★", "▆▆▆▆▆▆"]
    outcome = ground.outcome(
        read_recipe([cut(keepLast=2), {"operation": "REDACT", "indices": [5]}])
    )
    assert text([axis.ribbon(outcome)]) == ["▁▁▁▁▆▃"]
    wide = Axis(ground, 13)
    assert text([wide.stars(), wide.ribbon(outcome)]) == ["★       ★", "▁▁▁▁▁▁▁▁▆▆▃▃"]


def test_many_messages_share_cells_whose_height_is_how_many_stay() -> None:
    ground = Ground(talk(*numbered(100)))
    axis = Axis(ground, 10)
    half = [i for i in range(100) if i % 2 or i >= 50]
    outcome = ground.outcome(read_recipe([{"operation": "SELECT", "indices": half[5:]}]))
    assert text([axis.ribbon(outcome)]) == ["▁▅▅▅▅▆▆▆▆▆"]


def test_a_ribbon_is_told_with_its_name_count_and_outcome() -> None:
    ground = Ground(talk(*numbered(6)))
    bad = Candidate(RecipeFile(Path("bad.json"), "file"), problem="no")
    source = RibbonSource(ground, [candidate(ground, "last", cut(keepLast=2)), bad])
    now, last, refused = (text([source.line(at, 120)])[0] for at in range(3))
    assert len(source) == 3
    assert now.startswith("   as it is, batch 0")
    assert last.startswith("A  last")
    assert last.split()[2] == "2"
    assert last.endswith("✓ accepted        2")
    assert refused.startswith("B  bad")
    assert refused.endswith("✖ refused")
    assert source.header(120) is None


def test_the_recipes_to_pick_from_end_with_any_other_file() -> None:
    file = RecipeFile(Path("mine.json"), "recorded")
    source = RecipeSource([file], {file.path: "CLEAR"}, [file.path])
    first, last = (text([source.line(at, 80)])[0] for at in range(2))
    assert first.split() == ["✓", "mine", "recorded", "CLEAR"]
    assert last.strip() == "another file …"
    assert (source.file(0), source.file(1)) == (file, None)


# In short


def test_the_sentence_has_both_values_of_what_changes() -> None:
    c = talk(*numbered(8), tokenLimit=16)
    c.execute({"operation": "MARK", "indices": [0], "label": "goal"})
    ground = Ground(c)
    assert sentence(ground, candidate(ground, "last", cut(keepLast=2))) == (
        "last: 8 → 2 messages, 8 → 2 tokens, 12 % of the limit; lint accepts it; "
        "1 marked message would go (goal); a prompt cache keeps nothing."
    )


def test_the_sentence_says_which_one_alone_is_accepted() -> None:
    ground = Ground(five())
    fine = candidate(ground, "fine", cut(keepLast=2))
    empty = candidate(ground, "empty", cut(keepLast=0))
    assert "lint accepts only this one" in sentence(ground, fine, empty)
    assert "lint accepts it" in sentence(ground, fine, fine)
    assert "lint refuses it with 1 error (nothing to send)" in sentence(ground, empty, fine)


@pytest.mark.parametrize(
    ("operation", "fact"),
    [
        (cut(keepFirst=3), "a prompt cache keeps all 3 tokens"),
        ({"operation": "DELETE", "indices": [4]}, "keeps 4 messages (4 tokens), 3 are sent again"),
        ({"operation": "REDACT", "indices": [7]}, "8 messages, 1 of them new"),
        (cut(keepLast=8), "a: the same would be sent as now."),
        ({"operation": "CONFIGURE", "tokenLimit": 9}, "a: the same would be sent as now."),
    ],
)
def test_the_sentence_says_what_a_cache_keeps_and_what_is_new(
    operation: dict[str, Any], fact: str
) -> None:
    ground = Ground(talk(*numbered(8)))
    assert fact in sentence(ground, candidate(ground, "a", operation))


def test_there_is_a_sentence_for_whatever_has_no_figures() -> None:
    ground = Ground(five())
    file = RecipeFile(Path("a.json"), "file")
    assert in_short(ground, [], 0) == "No recipe yet. + adds one."
    assert sentence(ground, Candidate(file)) == "a is being tried."
    assert sentence(ground, Candidate(file, problem="x")) == "a can't be opened here: x."
