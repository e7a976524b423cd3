"""What-if as text: outcomes in figures, columns on one scale, ribbons on one axis, and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import read_recipe
from ctxtui.core.what_if import DROPPED, KEPT, NEW, WhatIfOutcome
from ctxtui.files.policies import RecipeFile
from ctxtui.text.lines import Line, Piece
from ctxtui.what_if.drawing.strategies import Axis, FigureScale, NowPicture, figure_lines, now_panel
from ctxtui.what_if.drawing.words import in_short
from ctxtui.what_if.models.comparison import Ground, Strategy, StrategyComparison
from ctxtui.what_if.picker import StrategyFileSource
from tests.core.samples import answer, call, five, numbered, said, talk
from tests.ui.opening import tour


def cut(**fields: Any) -> dict[str, Any]:
    return {"operation": "TRUNCATE", **fields}


def attempt(conversation: Conversation, *operations: dict[str, Any]) -> WhatIfOutcome:
    return Ground(conversation).outcome(read_recipe(operations))


def candidate(ground: Ground, name: str, *operations: dict[str, Any]) -> Strategy:
    recipe = read_recipe(operations)
    file = RecipeFile(Path(f"{name}.json"), "file")
    return Strategy(file, recipe, outcome=ground.outcome(recipe), operations=recipe)


def text(lines: list[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def comparison(ground: Ground, *strategies: Strategy) -> StrategyComparison:
    """Return a comparison of which everything about now is known."""
    made = StrategyComparison(ground.conversation, "some", [])
    made.ground = ground
    made.strategies = [replace(one, id=at) for at, one in enumerate(strategies)]
    return made


def figures(ground: Ground, one: Strategy, width: int = 42) -> list[str]:
    """Return the figures of a strategy that is compared with nothing else."""
    assert one.outcome is not None
    return text(figure_lines(ground, one.outcome, FigureScale.of(ground, [one]), width))


def sentence(ground: Ground, *candidates: Strategy) -> str:
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


# Figures


def test_bars_of_all_strategies_are_on_one_scale() -> None:
    ground = Ground(talk(*numbered(8)))
    half = candidate(ground, "half", cut(keepLast=4))
    assert half.outcome is not None
    lines = figure_lines(ground, half.outcome, FigureScale.of(ground, []), 40)
    assert lines[0] == [
        Piece("messages     ", "muted"),
        Piece("4      ", "bright"),
        Piece("━" * 10, "bright"),
        Piece("━" * 10, "track"),
    ]


def test_every_figure_stands_behind_its_name() -> None:
    ground = Ground(tour())
    shown = figures(ground, candidate(ground, "window", cut(keepLast=7)))
    at = {line[:13].strip(): line[13:] for line in shown if line[:13].strip()}
    assert at["messages"].startswith("7 ")
    assert " %" in at["of the limit"]
    assert at["lint"].startswith("✖ 1")
    assert at["marks lost"].startswith("★ 1")
    assert at["prefix kept"].startswith("0 ")


def test_without_a_limit_there_is_no_row_for_it_and_above_it_there_is_a_warning() -> None:
    free = Ground(talk(*numbered(4)))
    same = cut(keepLast=4)
    assert not any("limit" in line for line in figures(free, candidate(free, "a", same)))
    over = Ground(talk(*numbered(4), tokenLimit=2))
    shown = figures(over, candidate(over, "a", same))
    assert any(line.startswith("of the limit !200 %") for line in shown)


def test_lint_is_told_in_words() -> None:
    ground = Ground(talk(said("user", "q"), call("a"), answer("a"), said("assistant", "done")))
    shown = figures(ground, candidate(ground, "cut", cut(keepLast=2)))
    assert "lint         ✖ 1    orphaned result" in shown
    fine = figures(ground, candidate(ground, "fine", cut(keepLast=1)))
    assert "lint         ✓ accepted" in fine


def test_the_common_prefix_is_told_in_tokens_and_messages() -> None:
    ground = Ground(talk(*numbered(6)))
    shown = figures(ground, candidate(ground, "front", cut(keepFirst=3)))
    prefix = next(line for line in shown if line.startswith("prefix kept"))
    assert prefix[13:].startswith("3 ")
    assert prefix.endswith("3 msg")
    assert shown[-1][13:].startswith("0 ")


@pytest.mark.parametrize("width", [14, 20, 42, 58])
def test_no_line_is_wider_than_its_pane(width: int) -> None:
    c = tour()
    c.execute({"operation": "MARK", "indices": [10], "label": "标签" * 10})
    ground = Ground(c)
    tried_out = candidate(ground, "a", cut(keepLast=3), {"operation": "REPAIR"})
    refused = replace(tried_out, outcome=None, refusal="step 0: 标 no " * 9)
    shown = comparison(ground, tried_out, refused)
    for at in range(2):
        shown.choose(at)
        assert max(map(cell_len, text(now_panel(shown, width)))) <= width
        lines = NowPicture(shown, width + 40).lines()
        assert max(map(cell_len, text(lines))) <= width + 40


def test_a_recipe_that_can_not_be_had_says_why_and_one_that_is_tried_says_so() -> None:
    ground = Ground(five())
    done = candidate(ground, "a", cut(keepLast=3))
    refused = replace(done, outcome=None, refusal="step 0: indices 9 is outside 0…4")
    unread = replace(done, outcome=None, recipe=None, problem="no such file")
    pending = replace(done, outcome=None)
    shown = comparison(ground, refused, unread, pending)
    panels = []
    for at in range(3):
        shown.choose(at)
        panels.append(text(now_panel(shown, 40)))
    assert panels[0][2:4] == ["✖ refused", "step 0: indices 9 is outside 0…4"]
    assert panels[1][:2] == ["✖ can't be read", "no such file"]
    assert panels[2][2] == "… trying"


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
    bad = Strategy(RecipeFile(Path("bad.json"), "file"), refusal="no")
    picture = NowPicture(comparison(ground, candidate(ground, "last", cut(keepLast=2)), bad), 120)
    now, last, refused = text(picture.lines())[:3]
    assert now.startswith("   now, batch 0")
    assert last.startswith("A  last")
    assert last.split()[2] == "2"
    assert last.endswith("✓ accepted        2")
    assert refused.startswith("B  bad")
    assert refused.endswith("✖ refused")
    assert [picture.strategy_at(y) for y in range(4)] == [None, 0, 1, None]


def test_the_files_to_pick_from_end_with_any_other_file() -> None:
    file = RecipeFile(Path("mine.json"), "recorded")
    source = StrategyFileSource([file], {file.path: "CLEAR"}, [file.path])
    first, last = (text([source.line(at, 80)])[0] for at in range(2))
    assert first.split() == ["✓", "mine", "recorded", "CLEAR"]
    assert last.strip() == "another file …"


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
    assert in_short(ground, [], 0) == "No strategy yet. i adds one."
    assert sentence(ground, Strategy(file)) == "a is being tried."
    assert sentence(ground, Strategy(file, problem="x")) == "a can't be opened here: x."
    idle = Strategy(policy=Policy([cut(keepLast=1)], name="idle"), outcome=ground.now)
    assert sentence(ground, idle) == "idle: no stage is due now, so the same would be sent."
