"""Running a lesson: its steps on one conversation, which can be shown after any of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..engine.views import View
from ..errors import Refused, refusals_at
from ..scripts.run import StepReport, run_steps
from ..scripts.steps import ScriptStep
from .lesson import Lesson, LessonStep


class LessonStage(NamedTuple):
    """A step that was run: the journal indices before and after it, and its outcome.

    ``rows`` are the right raw indices if rows are picked, ``refusals`` the engine's answers if the
    step shows that something is refused.
    """

    before: int
    after: int
    rows: tuple[int, ...]
    refusals: tuple[str, ...] = ()


class LessonRun(NamedTuple):
    """A lesson from its first step to its last: one conversation, and a stage for each step."""

    conversation: Conversation
    stages: tuple[LessonStage, ...]


class StepTaken(NamedTuple):
    """A step that has just been taken, and the view before it."""

    place: int
    step: LessonStep
    stage: LessonStage
    was: View


def run_lesson(lesson: Lesson, steps: int | None = None) -> LessonRun:
    """Return a lesson run to its end, or some of its steps."""
    conversation = start_lesson(lesson)
    taking = take_steps(lesson, conversation)
    count = len(lesson.steps) if steps is None else steps
    return LessonRun(conversation, tuple(next(taking).stage for _ in range(count)))


def start_lesson(lesson: Lesson) -> Conversation:
    """Return the conversation as the first step finds it."""
    with refusals_at("start"):
        conversation = lesson.begin()
        _do(conversation, lesson.start.do)
        return conversation


def take_steps(lesson: Lesson, conversation: Conversation) -> Iterator[StepTaken]:
    """Take the steps one by one; the first that the engine does not accept is refused."""
    for place, step in enumerate(lesson.steps):
        before, was = len(conversation.journal) - 1, conversation.view
        with refusals_at(f"steps[{place}]"):
            reports = _do(conversation, step.do)
            rows: Any = list(conversation.view)
            if step.predict is not None and step.predict.query is not None:
                with refusals_at("predict.query"):
                    rows = step.predict.query.ask(conversation)
        yield StepTaken(
            place,
            step,
            LessonStage(
                before,
                len(conversation.journal) - 1,
                tuple(rows) if isinstance(rows, list) else (),
                tuple(one.refusal for one in reports if one.refusal is not None),
            ),
            was,
        )


def _do(conversation: Conversation, steps: tuple[ScriptStep, ...]) -> list[StepReport]:
    reports = list(run_steps(conversation, steps))
    for report in reports:
        if report.error is not None:
            raise Refused(f"do[{report.index}]: {report.error}", f"do[{report.index}]")
    return reports
