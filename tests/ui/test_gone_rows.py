"""What went stands where it stood, whatever else changed: compared with doing it one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.engine.views import View
from ctxtui.inspector.models.look import GoneRows

indices = st.lists(st.integers(0, 40), unique=True, max_size=30)


def slowly(before: list[int], after: list[int]) -> list[tuple[int | None, int]]:
    """Return position and raw index of every line, worked out message by message."""
    positions = {raw: at for at, raw in enumerate(after)}
    places, behind = [], 0
    for raw in before:
        if raw in positions:
            behind = positions[raw] + 1
        else:
            places.append((behind, raw))
    lines: list[tuple[int | None, int]] = []
    for at in range(len(after) + 1):
        lines += [(None, raw) for place, raw in places if place == at]
        if at < len(after):
            lines.append((at, after[at]))
    return lines


@given(before=indices, after=indices)
def test_lines_are_found_as_if_they_were_counted_one_by_one(
    before: list[int], after: list[int]
) -> None:
    gone = View.of(sorted(set(before) - set(after)))
    rows = GoneRows(View.of(before), View.of(after), gone)
    expected = slowly(before, after)
    assert len(rows) == len(gone)
    assert [rows.at(line) for line in range(len(expected))] == expected
    assert [rows.line(raw) for _, raw in expected] == list(range(len(expected)))
    absent = set(range(42)) - {raw for _, raw in expected}
    assert [raw for raw in absent if rows.line(raw) is not None] == []
