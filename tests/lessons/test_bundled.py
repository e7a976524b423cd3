"""Every lesson that comes with ctxtui is right, in both languages, and can be played to its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.lessons import Lesson, Prediction, problems_of
from ctxtui.lessons.files import list_lessons, load_lesson
from ctxtui.lessons.models import GivenAnswer, Player, read_progress
from tests.lessons.samples import BUNDLED

EVERY = pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)


def lesson_of(path: Path) -> Lesson:
    return load_lesson(path, path.stem).lesson


def give(player: Player, given: GivenAnswer) -> None:
    for raw in given.rows:
        assert player.pick(raw)
    if given.number is not None:
        for digit in str(given.number):
            assert player.type(int(digit))
    if given.answer is not None:
        assert player.choose(given.answer)


def right(asked: Prediction) -> GivenAnswer:
    number = asked.number.answer if asked.number else None
    return GivenAnswer(frozenset(asked.rows or ()), number, asked.right)


def wrong(asked: Prediction, candidates: tuple[int, ...]) -> GivenAnswer:
    rows = frozenset(candidates) - set(asked.rows or ()) or frozenset(candidates[1:])
    number = asked.number.answer + asked.number.within + 1 if asked.number else None
    answer = None if asked.right is None else (asked.right + 1) % len(asked.answers)
    return GivenAnswer(rows, number, answer)


def shown(player: Player) -> Any:
    state = player.run.conversation.at_record(player.place)
    return player.at, player.is_revealed, list(state.view), len(state.log), state.batch.id


@EVERY
def test_it_tells_no_lie(path: Path) -> None:
    assert [str(one) for one in problems_of(json.loads(path.read_text(encoding="utf-8")))] == []


@EVERY
def test_all_right_answers_give_a_full_score(path: Path) -> None:
    player = Player(lesson_of(path))
    while True:
        if player.question is not None and player.is_covered:
            give(player, right(player.question))
        if not player.next():
            break
    scored, asked = player.score
    assert scored == asked > 0
    assert player.is_done


@EVERY
def test_all_wrong_answers_give_none(path: Path) -> None:
    player = Player(lesson_of(path))
    while True:
        if player.question is not None and player.is_covered:
            give(player, wrong(player.question, player.candidates))
        if not player.next():
            break
        assert player.verdict is None or not player.verdict.right
    assert player.score[0] == 0
    assert player.is_done


@EVERY
def test_a_step_back_from_every_step_shows_what_was_there(path: Path) -> None:
    player = Player(lesson_of(path))
    seen = [shown(player)]
    while player.next():
        seen.append(shown(player))
        assert player.back()
        assert shown(player) == seen[-2]
        assert player.next()
        assert shown(player) == seen[-1]
    for expected in reversed(seen[:-1]):
        assert player.back()
        assert shown(player) == expected
    assert not player.back()


@EVERY
def test_it_goes_on_where_it_was_left_from_every_step(path: Path) -> None:
    lesson = lesson_of(path)
    player = Player(lesson)
    while player.next():
        kept = json.loads(json.dumps(player.progress.to_dict()))
        again = Player(lesson, read_progress(kept))
        assert shown(again) == shown(player)
        assert (again.given, again.score, again.is_done) == (
            player.given,
            player.score,
            player.is_done,
        )


@EVERY
def test_what_is_tried_on_ones_own_is_what_the_step_shows(path: Path) -> None:
    player = Player(lesson_of(path))
    while player.next():
        copy, there = player.practice(), player.run.conversation.at_record(player.place)
        assert list(copy.view) == list(there.view)
        assert len(copy.batches) == len(there.batches)
        assert copy.check() == []


def test_the_list_has_them_all_in_the_order_of_their_series() -> None:
    found, problems = list_lessons()
    assert problems == []
    assert {one.path for one in found} == set(BUNDLED)
    numbers = [(one.lesson.series, one.lesson.order) for one in found]
    assert len(set(numbers)) == len(numbers)
    basics = [one.lesson.order for one in found if one.lesson.series == "basics"]
    assert basics == sorted(basics)
