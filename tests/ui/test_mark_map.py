"""The mark map: index arrays as runs, what the shown batch did to them, and why, as strings."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing import mark_map
from ctxtui.inspector.drawing.mark_map import listing, mark_map_lines, stretches
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Line, Piece, line_width
from ctxtui.widgets.styled import KINDS


def messages(count: int, roles: Sequence[str] = ("system", "user", "assistant")) -> list[Any]:
    return [{"role": roles[i % len(roles)], "content": f"m{i}"} for i in range(count)]


def text(lines: Sequence[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def row(lines: Sequence[Line], start: str, nth: int = 0) -> Line:
    """Return a line whose text starts with some words: the first, or a later one."""
    return [line for line in lines if text([line])[0].lstrip().startswith(start)][nth]


def of_kind(line: Line, kind: str) -> str:
    return " ".join(piece.text.strip() for piece in line if piece.kind == kind)


def cut() -> Conversation:
    """Return ten messages of which a batch keeps the last four, with two more appended."""
    conversation = Conversation(messages(10))
    conversation.execute({"operation": "TRUNCATE", "keepLast": 4})
    conversation.append("user", "a")
    conversation.append("assistant", "b")
    return conversation


def shown_json(lines: Sequence[Line]) -> str:
    names = text(lines)
    first = next(i for i, name in enumerate(names) if name.startswith("As JSON"))
    return " ".join(names[first + 1 :])


def test_was_change_and_now_stand_under_one_axis() -> None:
    lines = mark_map_lines(Look(cut()), 34)
    axis, was, change, now = (row(lines, name) for name in ("0 ", "was 0", "change", "now 1"))
    assert text([axis])[0].split() == ["0", "5", "11"]
    assert text([was])[0] == "was 0     " + "▆▆" * 10 + "····"
    assert text([change])[0] == "change    " + "−−" * 6 + " " * 8 + "++++"
    assert of_kind(change, "error") == "−−" * 6
    assert of_kind(change, "ok") == "++++"
    assert text([now])[0] == "now 1     " + "▁▁" * 6 + "▆▆" * 6
    assert of_kind(now, "faint") == "▁▁" * 6


def test_runs_that_left_are_struck_and_runs_that_came_are_highlighted() -> None:
    lines = mark_map_lines(Look(cut()), 76)
    was, now = row(lines, "was       ["), row(lines, "now       [")
    assert text([was])[0] == "was       [ 0–5  6–9 ]"
    assert of_kind(was, "struck") == "0–5"
    assert text([now])[0] == "now       [ 6–9  10–11 ]"
    assert of_kind(now, "ok") == "10–11"
    assert of_kind(row(lines, "batch 1 TRUNCATE"), "error") == "−6 left"
    assert of_kind(row(lines, "batch 1 TRUNCATE"), "ok") == "+2 came"


def test_each_role_tells_its_runs_what_left_and_what_came() -> None:
    lines = mark_map_lines(Look(cut()), 76)
    user, system = row(lines, "❯ user"), row(lines, "§ sys")
    assert text([user])[0] == "❯ user    2  was 3  −2 +1  [ 7  10 ]"
    assert of_kind(user, "ok") == "+1 10"
    assert text([system])[0] == "§ sys     2  was 4  −2 ·  [ 6  9 ]"
    assert of_kind(system, "error") == "−2"
    left = [line for line in lines if of_kind(line, "error") == "− left"]
    assert [of_kind(line, "struck") for line in left] == ["0 3", "1 4", "2 5"]


def test_roles_have_strips_of_their_own_where_there_is_room() -> None:
    lines = mark_map_lines(Look(cut()), 136)
    strip = row(lines, "❯ user")
    assert of_kind(strip, "user").split() == ["❯", "user", "▆" * 11, "▆" * 10]
    assert of_kind(strip, "faint").split() == ["▁" * 11, "▁" * 10]
    assert not any("▆" in line for line in text(mark_map_lines(Look(cut()), 76))[12:])


def test_brackets_name_the_runs_under_the_axis() -> None:
    conversation = Conversation(messages(10))
    conversation.execute({"operation": "DELETE", "indices": [2, 3, 5]})
    lines = text(mark_map_lines(Look(conversation), 50))
    at = next(i for i, line in enumerate(lines) if "└" in line)
    assert lines[at] == " " * 10 + "└──────┘        └──┘    └──────────────┘"
    assert lines[at + 1].split() == ["0–1", "4", "6–9"]


def test_what_moved_is_said_and_drawn() -> None:
    conversation = Conversation(messages(4))
    conversation.execute({"operation": "SELECT", "indices": [1, 2, 3, 0]})
    lines = mark_map_lines(Look(conversation), 76)
    assert of_kind(row(lines, "batch 1 SELECT"), "warn") == "~1 moved"
    assert text([row(lines, "change")])[0] == "change    " + "~" * 16
    assert text([row(lines, "now       [")])[0] == "now       [ 1–3  0 ]"


def test_a_bucket_in_which_one_left_and_one_came_says_both() -> None:
    conversation = Conversation(messages(99))
    replaced = {"operation": "REPLACE", "index": 98, "message": {"role": "user", "content": "x"}}
    conversation.execute(replaced)
    change = row(mark_map_lines(Look(conversation), 30), "change")
    assert text([change])[0].strip("change ") == "±"
    assert of_kind(change, "warn") == "±"


def test_the_first_batch_has_nothing_to_compare_with() -> None:
    conversation = Conversation(messages(3))
    conversation.append("user", "more")
    lines = mark_map_lines(Look(conversation), 100)
    assert "the first batch: nothing before it to compare with" in text(lines)[1]
    assert not any(line.startswith(("was", "change")) for line in text(lines))
    assert not any("new" in line for line in text(lines))
    assert not any(piece.kind in ("ok", "struck", "error") for piece in chain(*lines))
    assert text([row(lines, "Boundary")])[0] == "Boundary 0: batch 0 begins where the log begins."


def test_an_operation_that_changed_nothing_says_so() -> None:
    conversation = Conversation(messages(3))
    conversation.execute({"operation": "BATCH_START"})
    lines = text(mark_map_lines(Look(conversation), 100))
    assert "compared with batch 0: nothing left, came or moved" in lines[1]


def test_the_new_boundary_is_highlighted_and_the_old_batch_struck() -> None:
    lines = mark_map_lines(Look(cut()), 76)
    assert of_kind(row(lines, "+ new"), "ok") == "+ new"
    boundaries, numbers = row(lines, "batchBoundaries", 1), row(lines, "boundaryToBatch")
    assert text([boundaries])[0].split() == ["batchBoundaries", "0", "≤", "6"]
    assert of_kind(boundaries, "ok") == "6"
    assert of_kind(numbers, "ok") == "1"
    current = row(lines, "currentBatch")
    assert (of_kind(current, "struck"), of_kind(current, "ok")) == ("0", "1")


def test_many_boundaries_show_the_newest_and_how_many_are_before() -> None:
    conversation = Conversation(messages(3))
    for _ in range(500):
        conversation.execute({"operation": "BATCH_START"})
    for width in (40, 76, 136):
        lines = mark_map_lines(Look(conversation), width)
        numbers = text([row(lines, "boundaryToBatch")])[0][:width].split("As")[0].split()
        before = text([row(lines, "batchBoundaries", 1)])[0].split()
        shown = [int(number) for number in numbers[1:] if number.isdigit()]
        assert shown == list(range(501 - len(shown), 501))
        assert before[1:3] == ["…", str(501 - len(shown))]


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        (
            {"operation": "TRUNCATE", "keepLast": 1},
            "Boundary 3: raw 3, a system message, was the smallest index visible when batch 1 "
            "began.",
        ),
        (
            {"operation": "SELECT", "indices": [3, 2]},
            "Boundary 2: raw 2, an assistant message, was the smallest index visible when "
            "batch 1 began.",
        ),
        (
            {"operation": "CLEAR", "keepSystemMessage": False},
            "Boundary 4: nothing was visible when batch 1 began, so it is the length the log "
            "had then.",
        ),
        (
            {"operation": "BATCH_START", "boundary": 2},
            "Boundary 2: BATCH_START asked for it, and hid every raw index below.",
        ),
        (
            {"operation": "BATCH_START"},
            "Boundary 0: raw 0, a system message, was the smallest index visible when batch 1 "
            "began.",
        ),
    ],
)
def test_one_sentence_says_why_the_boundary_is_that_number(
    operation: dict[str, Any], sentence: str
) -> None:
    conversation = Conversation(messages(4))
    conversation.execute(operation)
    assert sentence in text(mark_map_lines(Look(conversation), 118))


def test_a_boundary_that_a_toggle_kept_low_is_explained() -> None:
    conversation = Conversation(messages(1))
    answer = {"role": "assistant", "content": "x"}
    conversation.execute({"operation": "REPLACE", "index": 0, "message": answer})
    conversation.execute({"operation": "REDACT", "select": {"positions": {"start": 0}}})
    conversation.append("user", "a")
    conversation.append("user", "b")
    conversation.execute({"operation": "TOGGLE", "skip": [1]})
    assert text([row(mark_map_lines(Look(conversation), 118), "Boundary")])[0] == (
        "Boundary 3: the operation was done again by a TOGGLE, and the log had only 3 messages "
        "when it was first done."
    )


def test_the_json_is_the_mark_map_where_it_is_short() -> None:
    for width in (76, 136):
        for conversation in (cut(), Conversation(), Conversation(messages(1))):
            lines = mark_map_lines(Look(conversation), width)
            if width >= 120:
                at = text(lines)[-1].index('"currentBatch')
                block = [line[at - 1 :] for line in text(lines) if len(line) >= at]
                shown = "".join(block[[b.startswith("{") for b in block].index(True) :])
            else:
                shown = shown_json(lines)
            assert json.loads(shown) == conversation.mark_map().to_dict()


def test_long_arrays_are_shortened_in_json_and_as_runs() -> None:
    conversation = Conversation(messages(2_000))
    conversation.execute({"operation": "DELETE", "indices": [i * i for i in range(1, 44)]})
    lines = mark_map_lines(Look(conversation), 76)
    assert '"originalIndices": [0, 2, 3, 5,' in shown_json(lines)
    assert "… 1,932 more]" in shown_json(lines)
    listed = " ".join(text(lines)).split("now       [")[1].split("]")[0]
    assert listed.startswith(" 0  2–3  5–8  10–15")
    assert listed.endswith("1850–1999 ")
    assert " more … " in listed


def test_stepping_compares_with_the_batch_before_the_one_looked_at() -> None:
    conversation = cut()
    conversation.execute({"operation": "CLEAR"})
    lines = text(mark_map_lines(Look.at_batch(conversation, 1), 100))
    assert "compared with batch 0:  −6 left  +2 came" in lines[1]
    assert "now       [ 6–9  10–11 ]" in lines
    now = text(mark_map_lines(Look(conversation), 100))
    assert "compared with batch 1:  −4 left" in now[1]
    assert "was       [ 6  7–8  9  10–11 ]" in now


@pytest.mark.parametrize("width", [1, 9, 20, 40, 76, 99, 100, 119, 120, 136, 196])
def test_nothing_is_wider_than_the_view_and_every_kind_has_a_colour(width: int) -> None:
    hostile = cut()
    name = "\x1b[31m[/x] \u202e漢字 " * 9
    hostile.execute({"operation": "DELETE", "indices": [7], "description": name})
    crowded = Conversation(messages(3_000, ROLES))
    crowded.execute({"operation": "FILTER", "roles": ["tool", "user"]})
    crowded.execute({"operation": "SELECT", "indices": list(crowded.view)[::-1]})
    for conversation in (Conversation(), Conversation(messages(1)), cut(), hostile, crowded):
        for line in mark_map_lines(Look(conversation), width):
            shown = "".join(piece.text for piece in line)
            assert cell_len(shown) <= width
            assert {piece.kind for piece in line} <= set(KINDS)
            assert all(char.isprintable() for char in shown)


def test_ten_thousand_batches_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation(messages(5))
    for _ in range(10_000):
        conversation.execute({"operation": "BATCH_START"})
    path = type(conversation.path)

    def walked(_: object) -> None:
        raise AssertionError("the path was walked")

    monkeypatch.setattr(path, "__iter__", walked)
    assert any("10000" in line for line in text(mark_map_lines(Look(conversation), 136)))


def test_what_is_remembered_of_a_look_goes_with_it() -> None:
    look = Look(cut())
    mark_map_lines(look, 76)
    gc.collect()
    before = len(mark_map._KEPT)
    del look
    gc.collect()
    assert len(mark_map._KEPT) == before - 1


def test_runs_are_written_with_their_step() -> None:
    indices = [0, 1, 47, 2, 79, 61, 62, 63, 91, 93, 95, 97, 100, 102]
    written = [str(one) for one in stretches(indices)]
    assert written == ["0–1", "47", "2", "79", "61–63", "91–97 by 2", "100", "102"]


@given(st.lists(st.integers(0, 60), unique=True), st.booleans(), st.integers(1, 9), st.data())
def test_a_listing_leaves_nothing_out_that_it_does_not_count(
    indices: list[int], ordered: bool, most: int, data: st.DataObject
) -> None:
    indices = sorted(indices) if ordered else indices
    flags = bytes(data.draw(st.lists(st.integers(0, 1), min_size=len(indices)))[: len(indices)])
    start, between, end = listing(indices, flags, most)

    def told(found: list[Any]) -> list[tuple[int, int]]:
        return [(raw, flag) for one, flag in found for raw in range(one[0], one[1] + 1, one[2])]

    pairs = list(zip(indices, flags, strict=True))
    assert len(start) + len(end) <= most
    assert told(start) == pairs[: len(told(start))]
    assert told(end) == pairs[len(pairs) - len(told(end)) :]
    assert between == len(pairs) - len(told(start)) - len(told(end))
    if len(list(stretches(indices))) <= most and not any(flags):
        assert not between


def test_pieces_of_a_long_run_are_found_without_reading_every_index() -> None:
    long = list(range(0, 200_000, 2))
    assert [str(one) for one in stretches([*long, 7])] == ["0–199998 by 2", "7"]
    assert Piece(str(next(stretches(long[::-1], -1)))) == Piece("0–199998 by 2")


@pytest.mark.parametrize("width", [60, 100, 136])
def test_the_axis_takes_the_whole_width(width: int) -> None:
    lines = mark_map_lines(Look(cut()), width)
    assert line_width(row(lines, "now 1")) == width
    assert text([row(lines, "0 ")])[0].rstrip().endswith("11")
