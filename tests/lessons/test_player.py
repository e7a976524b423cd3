"""The player: what a learner can do at each place, and what is remembered of it."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core.lessons import read_lesson
from ctxtui.lessons.models import GivenAnswer, LessonProgress, Player, judge_row, read_progress
from tests.lessons.samples import said, small


def player_at(step: int, lesson: dict[str, Any] | None = None) -> Player:
    player = Player(read_lesson(lesson or small()))
    while player.at < step:
        player.next()
    return player


def test_a_question_covers_what_its_step_does() -> None:
    player = player_at(1)
    conversation = player.run.conversation
    assert player.is_covered
    assert list(conversation.at_record(player.place).view) == [0, 1, 2]
    player.next()
    assert (player.at, player.is_covered) == (1, False)
    assert list(conversation.at_record(player.place).view) == [1, 2]


def test_rows_are_picked_and_put_back() -> None:
    player = player_at(1)
    assert player.pick(1)
    assert player.pick(2)
    assert player.pick(1)
    assert player.given.rows == {2}
    assert not player.pick(9)


def test_nothing_can_be_answered_once_it_is_revealed_or_where_nothing_is_asked() -> None:
    player = player_at(0)
    assert not any((player.pick(0), player.choose(0), player.type(1), player.rub_out()))
    assert not player.hint()
    player = player_at(1)
    player.next()
    assert not any((player.pick(0), player.choose(0), player.hint()))


def test_an_answer_there_is_not_can_not_be_chosen() -> None:
    player = player_at(1)
    assert not player.choose(2)
    assert player.choose(0)
    assert player.choose(1)
    assert player.given.answer == 1


def test_a_number_is_typed_digit_by_digit_and_rubbed_out() -> None:
    player = player_at(2)
    assert not player.rub_out()
    for digit in (4, 0, 2):
        player.type(digit)
    assert player.given.number == 402
    for _ in range(3):
        assert player.rub_out()
    assert player.given.number is None


def test_a_number_of_any_length_can_be_typed_and_stays_short() -> None:
    player = player_at(2)
    for _ in range(50):
        player.type(9)
    assert player.given.number == 999_999_999


def test_zero_is_an_answer() -> None:
    player = player_at(2)
    player.type(0)
    player.next()
    assert player.verdict is not None
    assert player.verdict.is_right


def test_no_number_is_no_zero() -> None:
    player = player_at(2)
    assert player.ask()
    assert player.ask()
    player.next()
    assert player.verdict is None
    assert player.score == (0, 0)
    player.back()
    player.type(1)
    assert not player.ask()
    player.next()
    assert player.score == (0, 1)


def test_no_row_at_all_is_an_answer_where_only_rows_are_picked() -> None:
    def spoil(lesson: Any) -> None:
        lesson["steps"][2]["predict"] = {"question": said("?"), "rows": [], "explain": said("!")}

    player = Player(read_lesson(small(spoil)), LessonProgress("none"))
    assert player.ask()
    assert player.pick_none()
    assert not player.is_asked
    assert not player.ask()
    player.next()
    assert player.score == (1, 1)
    again = Player(player.lesson, read_progress(player.progress.to_dict()))
    assert again.score == (1, 1)


def test_none_of_the_rows_is_taken_back_by_a_row_or_once_more() -> None:
    player = player_at(1)
    seen = []
    for act in (player.pick_none, player.pick_none, player.pick_none, lambda: player.pick(1)):
        assert act()
        seen.append((player.given.is_none, sorted(player.given.rows)))
    assert seen == [(True, []), (False, []), (True, []), (False, [1])]
    assert not player_at(2).pick_none()


def test_rows_are_right_missed_or_not_sent() -> None:
    player = player_at(1)
    player.pick(0)
    player.pick(1)
    player.next()
    assert player.question is not None
    rows = [judge_row(player.question, player.given, raw) for raw in range(3)]
    assert rows == ["not sent", "right", "missed"]


def test_rows_and_answer_count_each_for_itself() -> None:
    player = player_at(1)
    player.choose(1)
    player.pick(0)
    player.next()
    assert player.score == (1, 2)


def test_after_a_step_back_another_answer_counts() -> None:
    player = player_at(1)
    player.choose(0)
    player.pick(0)
    player.next()
    player.back()
    assert player.given.answer == 0
    player.choose(1)
    player.next()
    assert player.score == (1, 2)


def test_the_hint_is_shown_once_it_is_asked_for_and_only_there() -> None:
    player = player_at(1)
    assert player.hint()
    seen = [player.is_hinted]
    player.next()
    player.back()
    seen.append(player.is_hinted)
    assert seen == [True, False]
    assert not player_at(2).hint()


def test_a_lesson_is_done_when_its_last_step_is_seen_and_no_question_is_open() -> None:
    player = player_at(3)
    assert player.is_last
    assert not player.next()
    assert (player.is_seen, player.is_done) == (True, False)
    assert [player.is_open(at) for at in range(4)] == [False, True, True, False]
    for act in (player.back, player.back, lambda: player.type(9), player.next):
        assert act()
    assert (player.is_seen, player.is_done) == (True, False)
    for act in (player.back, player.back, player.back, player.pick_none):
        assert act()
    player.choose(0)
    player.next()
    assert player.is_done


def test_a_part_of_an_answer_leaves_the_question_open() -> None:
    player = player_at(1)
    player.choose(1)
    assert player.ask()
    assert player.missing == ["rows"]
    player.next()
    assert (player.verdict, player.score) == (None, (0, 0))


def test_a_lesson_of_one_step_is_seen_at_once() -> None:
    player = Player(read_lesson(small(lambda lesson: lesson.update(steps=lesson["steps"][:1]))))
    assert player.is_done
    player.restart()
    assert player.is_done


def test_a_restart_forgets_everything() -> None:
    player = player_at(3)
    player.restart()
    assert player.progress == LessonProgress("look")
    assert player.score == (0, 0)


def test_only_some_rows_can_be_picked_where_the_lesson_says_so() -> None:
    player = player_at(1, small(lambda one: one["steps"][1]["predict"].update(among=[1, 2])))
    assert player.candidates == (1, 2)
    assert not player.pick(0)


def test_a_message_that_the_step_adds_can_be_picked() -> None:
    def spoil(lesson: Any) -> None:
        asked = lesson["steps"][1]["predict"]
        asked["rows"] = [0, 1, 2, 3]
        del asked["answers"]
        message = {"role": "user", "content": "More"}
        lesson["steps"][1]["do"] = {"operation": "APPEND", "messages": [message]}

    assert player_at(1, small(spoil)).candidates == (0, 1, 2, 3)


def test_rows_may_be_what_a_query_gives() -> None:
    def spoil(lesson: Any) -> None:
        query = {"kind": "recent", "k": 1, "roles": ["user"]}
        lesson["steps"][1]["predict"] = {
            "question": said("?"),
            "explain": said("!"),
            "query": query,
            "rows": [1],
        }

    player = player_at(1, small(spoil))
    assert player.stage.rows == (1,)


def test_an_edited_lesson_begins_anew_where_its_step_is_gone() -> None:
    player = Player(
        read_lesson(small()), LessonProgress("gone", True, True, {"gone": GivenAnswer()})
    )
    assert (player.at, player.is_revealed, player.score) == (0, False, (0, 0))


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        [],
        {"step": 3, "answers": []},
        {"answers": {"cut": 3}},
        {"answers": {"cut": {"rows": "12", "number": "7", "answer": -1}}},
        {"answers": {"cut": {"rows": [None, True, -1, 10**40], "number": True, "answer": 2.0}}},
    ],
)
def test_whatever_is_remembered_can_be_played(data: object) -> None:
    player = Player(read_lesson(small()), read_progress(data))
    while player.next():
        pass
    assert player.score[0] == 0
