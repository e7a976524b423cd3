"""What the diff screen says, as strings: rows aligned, the cache, changes in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.scripts import Script
from ctxtui.diff.drawing import (
    DiffSource,
    brief_lines,
    broken,
    cache_lines,
    ruler,
    summary,
    title_line,
)
from ctxtui.diff.models import Sides
from ctxtui.text.lines import Line
from ctxtui.text.word_diff import edit_lines, edits
from tests.ui.opening import TOUR


def whole_tour() -> Conversation:
    """Return the tour to its end: batch ids 0 to 5, of which 1 is abandoned; revisions 0 to 8."""
    return Script.from_dict(json.loads(TOUR.read_text(encoding="utf-8"))).run()


def talk(size: int) -> Conversation:
    return Conversation([{"role": "user", "content": f"message {i}"} for i in range(size)])


def texts(made: list[Line] | Any) -> list[str]:
    return ["".join(piece.text for piece in line) for line in made]


def rows(sides: Sides, width: int = 120) -> list[str]:
    source = DiffSource(sides, set())
    return texts([source.line(at, width) for at in range(len(source))])


# Aligning

MOVES: list[dict[str, Any]] = [
    {"operation": "DELETE", "indices": [0]},
    {"operation": "TRUNCATE", "keepLast": 3},
    {"operation": "REPLACE", "index": 1, "message": {"role": "user", "content": "new"}},
    {"operation": "INSERT", "position": 1, "messages": [{"role": "user", "content": "in"}]},
    {"operation": "APPEND", "messages": [{"role": "assistant", "content": "end"}] * 2},
    {"operation": "REDACT", "select": {"positions": {"start": 0, "end": 2}}},
    {"operation": "COMPRESS", "select": {"positions": {"end": 1}}, "summary": "message 0"},
    {"operation": "ROLLBACK", "targetBatchIndex": 0},
    {"operation": "CLEAR"},
]


@given(st.lists(st.sampled_from(MOVES), max_size=8), st.data())
def test_every_message_stands_where_the_engine_aligns_it(
    moves: list[dict[str, Any]], data: st.DataObject
) -> None:
    c = talk(5)
    for move in [*moves, {"operation": "SELECT"}]:
        if move["operation"] == "SELECT":
            view = list(c.view) or [0]
            move = {**move, "indices": data.draw(st.permutations(view))[: len(view)]}
        try:
            c.execute(move)
        except Refused:
            continue
    revisions = st.integers(0, len(c.revisions) - 1)
    sides = Sides(c, data.draw(revisions), data.draw(revisions))
    source = DiffSource(sides, set())
    assert [source.find(source.key(at)) for at in range(len(source))] == list(range(len(source)))
    found = set()
    lefts, rights = [], []
    for stretch in sides.stretches:
        for i in range(stretch.size):
            one = stretch.part(i, i + 1)
            lefts += [] if one.left is None else [one.left]
            rights += [] if one.right is None else [one.right]
            if one.kind != "replaced":
                found.add((one.kind, one.left, one.right))
                continue
            assert one.right is not None
            is_new = sides.right.view[one.right] in sides.found.diff.added
            found |= {("hidden", one.left, None), ("added" if is_new else "shown", None, one.right)}
    assert (lefts, rights) == (
        list(range(len(sides.left.view))),
        list(range(len(sides.right.view))),
    )
    engine = {
        (r.kind, r.left and r.left.position, r.right and r.right.position) for r in sides.found.rows
    }
    assert found == engine


def test_a_replaced_message_stands_beside_what_took_its_place() -> None:
    c = talk(3)
    for text in ("second", "third"):
        new = {"role": "assistant", "content": text}
        c.execute({"operation": "REPLACE", "index": 1, "message": new})
    c.execute({"operation": "DELETE", "indices": [0, 2]})
    for left, right in ((0, 3), (3, 0)):
        kinds = [(s.kind, s.left, s.right) for s in Sides(c, left, right).stretches]
        assert ("replaced", *((1, 0) if right else (0, 1))) in kinds


def test_replaced_messages_that_changed_places_are_not_crossed() -> None:
    c = talk(4)
    for index in (1, 2):
        new = {"role": "tool", "content": f"new {index}"}
        c.execute({"operation": "REPLACE", "index": index, "message": new})
    c.execute({"operation": "SELECT", "indices": [0, 5, 4, 3]})
    kinds = [(s.kind, s.left, s.right) for s in Sides(c, 0, 3).stretches]
    assert kinds.count(("replaced", 1, 2)) == 1
    assert [kind for kind, _, _ in kinds] == ["same", "added", "replaced", "hidden", "same"]


def test_redacted_messages_stand_beside_their_copies() -> None:
    assert [s.kind for s in Sides(whole_tour(), 4, 5).stretches].count("replaced") == 2


def test_the_cut_stands_where_the_prompt_cache_breaks() -> None:
    lines = rows(Sides(whole_tour(), 7, 8))
    assert [line.count("║") for line in lines[:3]] == [1, 1, 1]
    assert "same up to here: 3 messages, 51 tokens" in lines[3]
    assert "cache breaks here" in lines[3]
    assert "hidden by batch 4 TRUNCATE keep the last eight" in lines[4]
    assert "10 messages no longer sent" in lines[5]
    assert not any("hidden by" in line for line in lines[5:])
    assert "─ ░" in lines[14]


def test_moved_and_shown_messages_say_where_from() -> None:
    c = talk(5)
    c.execute({"operation": "SELECT", "indices": [4, 0, 1, 2]})
    lines = rows(Sides(c, 0, 1))
    assert any("moved from position 4" in line and "~" in line for line in lines)
    assert any("moved to position 0" in line for line in lines)
    assert any("was hidden by batch 1 SELECT" in line for line in rows(Sides(c, 1, 0)))


def test_what_came_later_or_on_another_branch_is_not_there() -> None:
    c = whole_tour()
    assert any("not there yet in batch 1" in line for line in rows(Sides(c, 7, 4)))
    assert any("never there in batch 4" in line for line in rows(Sides(c, 2, 8)))


# The head


@pytest.mark.parametrize("width", [8, 40, 78, 134, 194])
def test_the_ruler_has_one_tick_and_fills_its_width(width: int) -> None:
    c = whole_tour()
    for left, right in ((7, 8), (2, 8), (4, 5)):
        line = "".join(texts([ruler(Sides(c, left, right), width)]))
        assert (len(line), line.count("│")) == (width, 1)
    assert set("".join(texts([ruler(Sides(c, 8, 8), width)]))) == {"█"}


def test_the_least_that_is_kept_or_sent_again_is_a_cell_of_the_ruler() -> None:
    c = Conversation([{"role": "user", "content": "x" * 9_000}])
    c.append("user", "y")
    assert texts([ruler(Sides(c, 0, 1), 20)]) == ["█" * 18 + "│░"]
    c = Conversation([{"role": "user", "content": "x"}])
    c.append("user", "y" * 9_000)
    assert texts([ruler(Sides(c, 0, 1), 20)]) == ["█│" + "░" * 18]


def test_the_head_tells_what_is_kept_and_what_is_sent_again() -> None:
    sides = Sides(whole_tour(), 7, 8)
    said = "\n".join(texts(cache_lines(sides, 134)))
    for part in ("23 % kept", "~51 tokens", "~167 tokens in 8 messages sent again", "bytes/4"):
        assert part in said
    assert "breaks before position 3: raw 2 was there, raw 21 is now" in said
    assert "21 →    11  −10" in said
    assert "breaks before position 3" in texts(brief_lines(sides, 80))[2]
    assert "from batch 3 INSERT  to batch 4 TRUNCATE" in "".join(texts([title_line(sides, 100)]))


def test_growing_keeps_the_cache_and_nothing_is_sent_again() -> None:
    c = talk(3)
    c.append("assistant", "an answer")
    sides = Sides(c, 0, 1)
    assert not sides.is_broken
    assert broken(sides) == "All of batch 0 is kept; what is new comes after it."
    assert "new from here" in "\n".join(rows(sides))
    assert "batch 0 START revision 1" in "".join(texts([title_line(sides, 120)]))


def test_identical_and_empty_sides_say_so() -> None:
    c = talk(2)
    c.execute({"operation": "CLEAR"})
    c.execute({"operation": "BATCH_START"})
    assert broken(Sides(c, 0, 0)).startswith("Both send the same")
    assert broken(Sides(c, 0, 1)) == "Nothing is sent in batch 1."
    assert broken(Sides(c, 1, 0)).startswith("All of batch 1 is kept")
    assert "no difference" in summary(Sides(c, 1, 2))


def test_the_summary_names_runs_and_what_hid_them() -> None:
    said = summary(Sides(whole_tour(), 7, 8))
    assert said.startswith("batch 3 INSERT → batch 4 TRUNCATE (revision 7 → 8)\nmessages 21 → 11")
    assert "kept by a prompt cache: 3 messages, 51 tokens, 23 %" in said
    assert "  hidden by batch 4 TRUNCATE keep the last eight: raw 2, 10-11" in said


# Words

WORDS = st.text(st.sampled_from("ab ,\n漢字é"), max_size=30)


@given(WORDS, WORDS)
def test_edits_hold_both_texts(old: str, new: str) -> None:
    changes = edits(old, new)
    assert "".join(text for kind, text in changes if kind != "in") == old
    assert "".join(text for kind, text in changes if kind != "out") == new


def test_removed_words_and_added_words_have_a_sign_each() -> None:
    changes = edits("the quick brown fox", "the slow fox runs")
    assert texts(edit_lines(changes, 60)) == ["the −quick brown +slow fox +runs"]
    kinds = {piece.text.strip(): piece.kind for piece in edit_lines(changes, 60)[0]}
    assert (kinds["−"], kinds["quick brown"]) == ("error", "struck")
    assert (kinds["fox"], kinds["+runs"]) == ("text", "ok")


def test_lines_far_from_a_change_are_counted_only() -> None:
    text = "\n".join(f"line {i}" for i in range(20))
    changes = edits(text, text.replace("line 9", "line nine"))
    assert texts(edit_lines(changes, 40)) == [
        *["… 7 lines the same", "line 7", "line 8", "line −9 +nine", "line 10", "line 11"],
        "… 8 lines the same",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x" * 50_000, "y"),
        ("a b " * 1_500, "b c " * 1_500),
        ("".join(f"line {n} of it\n" for n in range(9_000)), "another\ntext"),
    ],
)
def test_texts_of_which_nothing_is_the_same_are_both_shown(old: str, new: str) -> None:
    found = edits(f"It began so. {old} So it ended.", f"It began so. {new} So it ended.")
    assert found[0].text.startswith("It began so.")
    assert found[-1].text.endswith("So it ended.")
    assert "".join(one.text for one in found if one.kind == "out").strip() == old.strip()
    assert "".join(one.text for one in found if one.kind == "in").strip() == new.strip()


def test_texts_with_more_words_than_are_compared_are_compared_by_lines() -> None:
    lines = [f"Line {n} has some words of its own.\n" for n in range(2_000)]
    old = "".join(lines)
    new = "".join(["First.\n", *lines[1:500], "Between.\n", *lines[500:-1], "Last.\n"])
    changed = [(one.kind, one.text) for one in edits(old, new) if one.kind != "same"]
    assert ("in", "Between.\n") in changed
    assert sum(len(text) for _, text in changed) < 200


@pytest.mark.parametrize("place", [0, 150_000, 299_999])
def test_one_word_that_differs_is_shown_in_a_text_of_any_length(place: int) -> None:
    words = [f"word{n}" for n in range(300_000)]
    old = " ".join(words)
    words[place] = "other"
    new = " ".join(words)
    found = edits(old, new)
    changed = [(one.kind, one.text) for one in found if one.kind != "same"]
    assert changed == [("out", f"word{place}"), ("in", "other")]
    assert "".join(one.text for one in found if one.kind != "in") == old
    assert "".join(one.text for one in found if one.kind != "out") == new
    lines = ["".join(piece.text for piece in line) for line in edit_lines(found, 80)]
    assert len(lines) < 20
    assert any(f"word{place}" in line and "other" in line for line in lines)
