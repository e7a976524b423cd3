"""Lists whose lines take several rows: where each stands, with others open or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.text.line_source import Folds, Heights, RowBlock
from ctxtui.text.lines import Line

BLOCKS = st.lists(st.builds(RowBlock, st.integers(0, 6), st.integers(1, 4)), max_size=4)


def rows_of(blocks: list[RowBlock], count: int, opened: dict[int, int]) -> list[tuple[int, int]]:
    """Return line and row within it for each row of the screen, counted one by one."""
    heights = [block.rows for block in blocks for _ in range(block.items)]
    heights += [1] * (count - len(heights))
    return [
        (at, within) for at in range(count) for within in range(heights[at] + opened.get(at, 0))
    ]


@given(blocks=BLOCKS, behind=st.integers(0, 3))
def test_a_row_leads_to_its_item_and_an_item_to_its_row(
    blocks: list[RowBlock], behind: int
) -> None:
    heights, count = Heights(blocks), sum(block.items for block in blocks) + behind
    rows = rows_of(blocks, count, {})
    assert [heights.item(row) for row in range(len(rows))] == rows
    assert [heights.row(at) for at in range(count)] == [
        row for row, (_, within) in enumerate(rows) if within == 0
    ]
    assert heights.row(count) == len(rows)


@given(blocks=BLOCKS, opened=st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=3))
def test_open_lines_move_the_others_down(blocks: list[RowBlock], opened: dict[int, int]) -> None:
    count = max(10, sum(block.items for block in blocks))
    folds = Folds()
    one: Line = []
    folds.open = {at: [one] * extra for at, extra in opened.items()}
    folds.place(lambda key: key, blocks)
    rows = rows_of(blocks, count, opened)
    assert [folds.line(row) for row in range(len(rows))] == rows
    assert [folds.row(at) for at in range(count)] == [
        row for row, (_, within) in enumerate(rows) if within == 0
    ]
    assert [folds.height(at) for at in range(count)] == [
        sum(other == at for other, _ in rows) for at in range(count)
    ]


@pytest.mark.parametrize("at", [0, 5, 99])
def test_without_blocks_a_row_is_a_line(at: int) -> None:
    assert Heights().row(at) == at
    assert Heights().item(at) == (at, 0)
    assert Heights().height(at) == 1
