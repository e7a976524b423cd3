"""Checking a lesson: its claims are true, what it points at exists, and nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..scripts.steps import brief
from ..values.models import JsonRecord, Model
from .lesson import Lesson, LessonText, Prediction, read_parts
from .running import StepTaken, start_lesson, take_steps


@dataclass(frozen=True, slots=True)
class Problem(JsonRecord):
    """Something wrong with a lesson: the place in its file, and a sentence that names it too."""

    place: str
    message: str

    def __str__(self) -> str:
        return self.message


def problems_of(data: object, *, must_translate: bool = True) -> list[Problem]:
    """Return everything that is wrong with a lesson, in the order of its file.

    A text without Chinese is wrong too, unless that doesn't matter because the lesson is played.
    What can't be read is reported first and alone: an incomplete lesson can't be run. A step that
    the engine refuses is the last that is reported.
    """
    fields, refusals = read_parts(data)
    if refusals:
        return [_problem(refusal) for refusal in refusals]
    lesson = Lesson(**fields)
    found = list(_untranslated(lesson)) if must_translate else []
    try:
        conversation = start_lesson(lesson)
        for taken in take_steps(lesson, conversation):
            found += [
                _at(f"steps[{taken.place}].{place}", sentence)
                for place, sentence in _wrong(taken, conversation)
            ]
    except Refused as refusal:
        found.append(_problem(refusal))
    return found


def _problem(refusal: Refused) -> Problem:
    return Problem(refusal.field or "lesson", str(refusal))


def _at(place: str, sentence: str) -> Problem:
    return Problem(place, f"{place}: {sentence}")


def _untranslated(lesson: Lesson) -> Iterator[Problem]:
    for name in ("title", "about", "remember"):
        yield from _without_chinese(getattr(lesson, name), name)
    for i, step in enumerate(lesson.steps):
        yield from _without_chinese(step, f"steps[{i}]")


def _without_chinese(value: Any, place: str) -> Iterator[Problem]:
    if isinstance(value, LessonText):
        if value.zh is None:
            yield _at(place, "zh is missing next to en")
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            yield from _without_chinese(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, tuple):
        for i, one in enumerate(value):
            yield from _without_chinese(one, f"{place}[{i}]")


Found = Iterator[tuple[str, str]]
"""Places within a step, and what is wrong there."""


def _wrong(taken: StepTaken, conversation: Conversation) -> Found:
    step, size = taken.step, len(conversation.log)
    for sentence in step.expect.misses(conversation, taken.was) if step.expect else ():
        yield "expect", sentence
    yield from _unknown(step.look.raw, size, "look.raw")
    if step.predict is not None:
        yield from _wrong_question(step.predict, taken, conversation)
    if (naive := step.naive) is None:
        return
    yield from _unknown(naive.visible or (), size, "naive.visible")
    if naive.visible is not None and list(naive.visible) == list(conversation.view):
        yield "naive.visible", f"it is what this engine gives too: {brief(list(naive.visible))}"
    texts = [message.text for message in conversation.visible]
    if naive.texts is not None and list(naive.texts) == texts:
        yield "naive.texts", f"they are what this engine gives too: {brief(texts)}"


def _unknown(rows: tuple[int, ...], size: int, place: str) -> Found:
    bad = [raw for raw in rows if raw >= size]
    if bad:
        yield place, f"{brief(bad)} is outside 0…{size - 1}, the messages there are"


def _wrong_question(asked: Prediction, taken: StepTaken, conversation: Conversation) -> Found:
    rows = list(taken.stage.rows)
    if asked.rows is not None and list(asked.rows) != rows:
        yield "predict.rows", f"rows is {brief(list(asked.rows))}; the engine gives {brief(rows)}"
    if asked.among is not None:
        yield from _unknown(asked.among, len(conversation.log), "predict.among")
        if missing := [raw for raw in rows if raw not in asked.among]:
            yield "predict.among", f"{brief(missing)} is right and can't be picked"
    if asked.number is not None:
        found = number_of(asked, conversation)
        if found != asked.number.answer:
            yield (
                "predict.number",
                f"{asked.number.of} is {brief(found)}, not {asked.number.answer}",
            )
    yield from _wrong_answers(asked, taken, conversation)


def _wrong_answers(asked: Prediction, taken: StepTaken, conversation: Conversation) -> Found:
    """Yield the answers that are not as right or wrong as they are said to be."""
    for i, answer in enumerate(asked.answers):
        if answer.expect is None:
            continue
        misses = answer.expect.misses(conversation, taken.was)
        if answer.right and misses:
            yield f"predict.answers[{i}].expect", f"the right answer does not hold: {misses[0]}"
        elif not answer.right and not misses:
            yield f"predict.answers[{i}].expect", "it holds, though the answer is called wrong"
    right = asked.right
    if right is not None and asked.answers[right].expect is None:
        yield (
            f"predict.answers[{right}]",
            "the right answer has no expect, so that nothing proves it",
        )


def number_of(asked: Prediction, conversation: Conversation) -> Any:
    """Return the requested number as the engine has it."""
    assert asked.number is not None
    match asked.number.of:
        case "visible":
            return len(conversation.view)
        case "hidden":
            return len(conversation.log) - len(conversation.view)
        case "rawCount":
            return len(conversation.log)
        case "tokens":
            return conversation.tokens.total
        case "batch":
            return conversation.batch.number
        case "batches":
            return len(conversation.batches)
        case "errors":
            return sum(one.severity == "error" for one in conversation.lint())
        case _:
            answer = asked.query.ask(conversation) if asked.query else None
            return len(answer) if isinstance(answer, list) else answer
