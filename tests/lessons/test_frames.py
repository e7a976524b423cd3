"""A lesson as frames: everything a page needs, step by step, in one language."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from ctxtui.core.lessons import read_lesson
from ctxtui.lessons.files import load_lesson
from ctxtui.lessons.models import lesson_frames
from tests.lessons.samples import BUNDLED, small


def test_each_step_is_a_frame_with_the_states_around_it() -> None:
    frames = lesson_frames(read_lesson(small()))
    assert [one.id for one in frames] == ["look", "cut", "none", "back"]
    cut = frames[1]
    assert cut.operations == ("TRUNCATE keepLast 2",)
    assert cut.before.visible == (0, 1, 2)
    assert cut.after.visible == (1, 2)
    assert [row.position for row in cut.after.rows] == [None, 0, 1]
    assert cut.after.arrays.batch_boundaries == [0, 1]
    assert cut.naive is not None
    assert cut.naive.visible == (0, 1, 2)
    assert cut.question is not None
    assert [one.is_right for one in cut.question.answers] == [False, True]


def test_what_is_pointed_at_is_told() -> None:
    back = lesson_frames(read_lesson(small()))[3]
    assert [row.raw for row in back.after.rows if row.is_looked_at] == [0]
    assert (back.arrays_looked_at, back.pane_looked_at) == (("system",), "raw")


def test_the_timeline_tells_of_batches_that_were_left() -> None:
    after = lesson_frames(read_lesson(small()))[3].after
    assert [(one.number, one.is_on_path, one.is_current) for one in after.timeline] == [
        (0, True, True),
        (1, False, False),
        (2, False, False),
    ]
    assert after.timeline[1].description == "TRUNCATE keepLast 2"


def test_the_texts_are_in_the_language_asked_for() -> None:
    assert lesson_frames(read_lesson(small()), "zh")[0].story == "Three messages. (zh)"


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_lesson_can_be_told_as_data(path: Path, language: str) -> None:
    lesson = load_lesson(path, path.stem).lesson
    frames = lesson_frames(lesson, language)
    assert len(frames) == len(lesson.steps)
    for before, after in pairwise(frames):
        assert before.after.visible == after.before.visible
    assert json.dumps([one.to_dict() for one in frames])
