"""What is wrong with a lesson is told in one sentence each, with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.lessons import problems_of, read_lesson
from tests.lessons.samples import said, small

Spoil = Callable[[Any], object]


def step(place: int, **fields: Any) -> Spoil:
    return lambda lesson: lesson["steps"][place].update(fields)


def asked(place: int, **fields: Any) -> Spoil:
    return lambda lesson: lesson["steps"][place]["predict"].update(fields)


def without(*path: Any) -> Spoil:
    def spoil(lesson: Any) -> None:
        for key in path[:-1]:
            lesson = lesson[key]
        del lesson[path[-1]]

    return spoil


def answers(*given: dict[str, Any]) -> Spoil:
    return asked(1, answers=list(given))


A = {"text": said("a")}
RIGHT = {"text": said("b"), "right": True, "expect": {"lacks": [0]}}

BAD: dict[str, tuple[Spoil, str, str]] = {
    "no title": (without("title"), "title", "the lesson has no title"),
    "no steps": (
        lambda lesson: lesson.update(steps=[]),
        "steps",
        "steps [] is not a list of one step or more",
    ),
    "unknown field": (
        lambda lesson: lesson.update(author="me"),
        "author",
        "'author' is not a field of a lesson; "
        "it takes title, about, remember, series, order, start, steps",
    ),
    "title as text": (
        lambda lesson: lesson.update(title="Small"),
        "title.text",
        "title: text 'Small' is not an object",
    ),
    "no English": (
        lambda lesson: lesson.update(title={"zh": "小"}),
        "title.en",
        "title: text has no en; it takes en, zh",
    ),
    "empty Chinese": (
        step(0, tell={"en": "x", "zh": ""}),
        "steps[0].tell.zh",
        "steps[0]: tell: zh '' is empty",
    ),
    "no Chinese": (
        step(0, tell={"en": "x"}),
        "steps[0].tell",
        "steps[0].tell: zh is missing next to en",
    ),
    "series": (
        lambda lesson: lesson.update(series="mine"),
        "series",
        "series 'mine' is not one of basics, lost, documents, own",
    ),
    "bad message": (
        lambda lesson: lesson["start"]["messages"][1].update(role="robot"),
        "start.messages[1].role",
        "start: messages[1]: role 'robot' is not one of system, user, assistant, tool",
    ),
    "no id": (
        without("steps", 0, "id"),
        "steps[0].id",
        "steps[0]: step has no id; it takes id, brief, tell, do, look, predict, naive, "
        "practice, expect",
    ),
    "id": (
        step(0, id="Not So"),
        "steps[0].id",
        "steps[0]: id 'Not So' is not 1 to 40 lower-case letters, digits and dashes",
    ),
    "ids alike": (step(0, id="cut"), "steps", "steps: 2 steps have the id 'cut'"),
    "does nothing": (step(1, do=[]), "steps[1].do", "steps[1]: do [] does nothing"),
    "does a query": (
        step(1, do={"query": {"kind": "all"}}),
        "steps[1].do.query",
        "steps[1]: do: query an object with 'query' is not an operation, "
        "a list of them or a policy",
    ),
    "pane": (
        step(0, look={"pane": "left"}),
        "steps[0].look.pane",
        "steps[0]: look: pane 'left' is not one of raw, visible, timeline, arrays",
    ),
    "array": (
        step(0, look={"arrays": ["marks"]}),
        "steps[0].look.arrays",
        "steps[0]: look: arrays 'marks' is not one of originalIndices, system, user, assistant, "
        "tool, batchBoundaries, currentBatch",
    ),
    "asks nothing": (
        step(1, predict={"question": said("?"), "explain": said("!")}),
        "steps[1].predict.rows",
        "steps[1]: predict: predict asks for nothing; give rows, number or answers",
    ),
    "asks too much": (
        asked(1, number={"of": "visible", "answer": 2}),
        "steps[1].predict.number",
        "steps[1]: predict: predict has both number and answers; give one of them",
    ),
    "among without rows": (
        asked(2, among=[0]),
        "steps[2].predict.among",
        "steps[2]: predict: among is given without rows",
    ),
    "number of what": (
        asked(2, number={"of": "words", "answer": 2}),
        "steps[2].predict.number.of",
        "steps[2]: predict: number: of 'words' is not one of "
        "visible, hidden, rawCount, tokens, batch, batches, errors, query",
    ),
    "number of no query": (
        asked(2, number={"of": "query", "answer": 2}),
        "steps[2].predict.number",
        "steps[2]: predict: number asks for that of a query, and there is no query",
    ),
    "one answer": (
        answers(RIGHT),
        "steps[1].predict.answers",
        "steps[1]: predict: answers has 1; 2 to 4 are legal",
    ),
    "no right answer": (
        answers(A, A),
        "steps[1].predict.answers",
        "steps[1]: predict: answers has 0 right ones; exactly one is",
    ),
    "answer without text": (
        answers(A, {"right": True}),
        "steps[1].predict.answers[1].text",
        "steps[1]: predict: answers[1]: answer has no text; it takes text, right, expect",
    ),
    "naive twice": (
        step(1, naive={"says": said("x"), "visible": [0], "texts": []}),
        "steps[1].naive.naive",
        "steps[1]: naive: naive has visible and texts of visible, texts and error; exactly one is",
    ),
    "refused by the engine": (
        step(3, do={"operation": "ROLLBACK", "targetBatchIndex": 9}),
        "steps[3].do[0]",
        "steps[3]: do[0]: targetBatchIndex 9 is outside 0…2 (the batches of this path)",
    ),
    "refused at the start": (
        lambda lesson: lesson["start"].update(do={"operation": "TRUNCATE", "keepLast": -1}),
        "start.do[0]",
        "start: do[0]: keepLast -1 is below 0; it must be 0 or more",
    ),
    "accepted by the engine": (
        step(3, do={"operation": "UNDO", "refused": True}),
        "steps[3].do[0]",
        "steps[3]: do[0]: it was accepted, and should have been refused",
    ),
    "expects another thing": (
        step(3, expect={"visible": [1]}),
        "steps[3].expect",
        "steps[3].expect: visible is [0, 1, 2], not [1]",
    ),
    "points nowhere": (
        step(0, look={"raw": [0, 7]}),
        "steps[0].look.raw",
        "steps[0].look.raw: [7] is outside 0…2, the messages there are",
    ),
    "wrong rows": (
        asked(1, rows=[0, 2]),
        "steps[1].predict.rows",
        "steps[1].predict.rows: rows is [0, 2]; the engine gives [1, 2]",
    ),
    "rows that can't be picked": (
        asked(1, among=[0, 1]),
        "steps[1].predict.among",
        "steps[1].predict.among: [2] is right and can't be picked",
    ),
    "wrong number": (
        asked(2, number={"of": "tokens", "answer": 4}),
        "steps[2].predict.number",
        "steps[2].predict.number: tokens is 0, not 4",
    ),
    "right answer that is wrong": (
        answers(A, {**RIGHT, "expect": {"contains": [0]}}),
        "steps[1].predict.answers[1].expect",
        "steps[1].predict.answers[1].expect: the right answer does not hold: [0] is not visible",
    ),
    "wrong answer that is right": (
        answers({**A, "expect": {"lacks": [0]}}, RIGHT),
        "steps[1].predict.answers[0].expect",
        "steps[1].predict.answers[0].expect: it holds, though the answer is called wrong",
    ),
    "right answer without proof": (
        answers(A, {**A, "right": True}),
        "steps[1].predict.answers[1]",
        "steps[1].predict.answers[1]: the right answer has no expect, so that nothing proves it",
    ),
    "naive is not": (
        step(1, naive={"says": said("x"), "visible": [1, 2]}),
        "steps[1].naive.visible",
        "steps[1].naive.visible: it is what this engine gives too: [1, 2]",
    ),
    "naive texts are not": (
        step(1, naive={"says": said("x"), "texts": ["Hello", "Hi"]}),
        "steps[1].naive.texts",
        "steps[1].naive.texts: they are what this engine gives too: ['Hello', 'Hi']",
    ),
    "query": (
        asked(1, query={"kind": "recent", "k": -1}),
        "steps[1].predict.query.k",
        "steps[1]: predict.query: k -1 is below 0; it must be 0 or more",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_place(name: str) -> None:
    spoil, place, sentence = BAD[name]
    assert [(one.place, str(one)) for one in problems_of(small(spoil))] == [(place, sentence)]


def test_the_small_lesson_is_right() -> None:
    assert problems_of(small()) == []


def test_everything_that_can_not_be_read_is_told_at_once() -> None:
    def spoil(lesson: Any) -> None:
        lesson["order"] = -1
        lesson["steps"][0]["id"] = ""
        lesson["steps"][3]["tell"] = None

    assert [one.place for one in problems_of(small(spoil))] == [
        "steps[0].id",
        "steps[3].tell.text",
        "order",
    ]


def test_everything_that_can_not_be_read_of_one_step_is_told_at_once() -> None:
    def spoil(lesson: Any) -> None:
        lesson["steps"][1]["id"] = "?"
        lesson["steps"][1]["color"] = "red"
        del lesson["steps"][1]["brief"]
        lesson["steps"][1]["do"] = [3, {"query": {"kind": "all"}}]
        lesson["steps"][1]["predict"]["answers"] = [{"text": 1}, {"text": said("b"), "right": 2}]
        lesson["steps"][1]["predict"]["hint"] = "Count."

    assert [one.place for one in problems_of(small(spoil))] == [
        "steps[1].color",
        "steps[1].id",
        "steps[1].brief",
        "steps[1].do[0].step",
        "steps[1].do[1].query",
        "steps[1].predict.answers[0].text.text",
        "steps[1].predict.answers[1].right",
        "steps[1].predict.hint.text",
    ]


def test_everything_that_is_not_so_is_told_at_once() -> None:
    def spoil(lesson: Any) -> None:
        lesson["steps"][0]["look"] = {"raw": [9]}
        lesson["steps"][1]["predict"]["rows"] = [1]
        lesson["steps"][3]["expect"] = {"batch": 4}

    assert [one.place for one in problems_of(small(spoil))] == [
        "steps[0].look.raw",
        "steps[1].predict.rows",
        "steps[3].expect",
    ]


@pytest.mark.parametrize("data", [None, 3, "lesson", [], {}, {"steps": {}}, {"steps": [3]}])
def test_what_is_no_lesson_is_refused(data: object) -> None:
    assert problems_of(data)
    with pytest.raises(Refused):
        read_lesson(data)
