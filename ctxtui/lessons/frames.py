"""A lesson told at once: a frame for each step, with all that a page needs to show it.

For whoever writes a lesson as Markdown or HTML; a frame is data, with no drawing in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.conversation.readable import Readable
from ctxtui.core.engine.queries import MarkMap
from ctxtui.core.lessons import Lesson, Run, Stage, run_lesson
from ctxtui.core.lessons.lesson import LessonStep, Naive
from ctxtui.core.scripts.steps import Step
from ctxtui.core.values.models import JsonRecord
from ctxtui.lessons.doing import doing


@dataclass(frozen=True, slots=True)
class LessonRow(JsonRecord):
    """A message of the log in one frame; ``position`` is None where it is not sent."""

    raw: int
    role: str
    text: str
    tokens: int
    position: int | None
    is_new: bool
    is_looked_at: bool


@dataclass(frozen=True, slots=True)
class LessonAnswer(JsonRecord):
    """One of the answers to choose from."""

    text: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class LessonQuestion(JsonRecord):
    """What a frame asks before it shows what happens, and what is right."""

    question: str
    candidates: tuple[int, ...]
    rows: tuple[int, ...] | None
    number: int | None
    number_of: str | None
    within: int
    answers: tuple[LessonAnswer, ...]
    hint: str | None
    explain: str


@dataclass(frozen=True, slots=True)
class LessonNaive(JsonRecord):
    """What a simpler rule would have left: rows by raw index, texts, or an error."""

    says: str
    visible: tuple[int, ...] | None
    texts: tuple[str, ...] | None
    error: str | None


@dataclass(frozen=True, slots=True)
class LessonBatch(JsonRecord):
    """A batch of the timeline; one that is not on the path was left."""

    id: int
    number: int
    description: str
    visible: int
    is_on_path: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class LessonState(JsonRecord):
    """The conversation before or after a step: log, what is sent, the arrays and the batches."""

    rows: tuple[LessonRow, ...]
    visible: tuple[int, ...]
    arrays: MarkMap
    timeline: tuple[LessonBatch, ...]
    tokens: int
    errors: int


@dataclass(frozen=True, slots=True)
class LessonFrame(JsonRecord):
    """One step: the story, what is done, what is asked, and the state before and after it."""

    number: int
    id: str
    brief: str
    story: str
    operations: tuple[str, ...]
    refusals: tuple[str, ...]
    question: LessonQuestion | None
    naive: LessonNaive | None
    arrays_looked_at: tuple[str, ...]
    pane_looked_at: str | None
    before: LessonState
    after: LessonState


def lesson_frames(lesson: Lesson, language: str = "en") -> list[LessonFrame]:
    """Return a lesson as frames, one for each step, in one language."""
    run = run_lesson(lesson)
    return [
        _frame(run, number, step, stage, language)
        for number, (step, stage) in enumerate(zip(lesson.steps, run.stages, strict=True), 1)
    ]


def _frame(run: Run, number: int, step: LessonStep, stage: Stage, language: str) -> LessonFrame:
    before = run.conversation.at_record(stage.before)
    after = run.conversation.at_record(stage.after)
    return LessonFrame(
        number,
        step.id,
        step.brief.to(language),
        step.tell.to(language),
        _operations(step.do),
        stage.refusals,
        _question(step, len(after.log), language),
        None if step.naive is None else _naive(step.naive, language),
        step.look.arrays,
        step.look.pane,
        _state(before, len(before.log), ()),
        _state(after, len(before.log), step.look.raw),
    )


def _naive(naive: Naive, language: str) -> LessonNaive:
    error = naive.error.to(language) if naive.error else None
    return LessonNaive(naive.says.to(language), naive.visible, naive.texts, error)


def _operations(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(f"{one.name} {one.argument}".rstrip() for one in doing(steps))


def _question(step: LessonStep, size: int, language: str) -> LessonQuestion | None:
    asked = step.predict
    if asked is None:
        return None
    candidates = tuple(range(size)) if asked.among is None else asked.among
    return LessonQuestion(
        asked.question.to(language),
        () if asked.rows is None else candidates,
        asked.rows,
        asked.number.answer if asked.number else None,
        asked.number.of if asked.number else None,
        asked.number.within if asked.number else 0,
        tuple(LessonAnswer(one.text.to(language), one.right) for one in asked.answers),
        asked.hint.to(language) if asked.hint else None,
        asked.explain.to(language),
    )


def _state(found: Readable, old: int, looked_at: tuple[int, ...]) -> LessonState:
    """Return a state; what came after the first so many messages is new in it."""
    counter = found.settings.counter
    positions = {raw: position for position, raw in enumerate(found.view)}
    rows = tuple(
        LessonRow(
            raw,
            message.role,
            message.search_text,
            found.log.tokens(raw, counter),
            positions.get(raw),
            raw >= old,
            raw in looked_at,
        )
        for raw, message in enumerate(found.log)
    )
    return LessonState(
        rows,
        tuple(found.view),
        found.mark_map(),
        _timeline(found),
        found.tokens.total,
        sum(one.severity == "error" for one in found.lint()),
    )


def _timeline(found: Readable) -> tuple[LessonBatch, ...]:
    on_path = {batch.id for batch in found.path}
    return tuple(
        LessonBatch(
            batch.id,
            batch.number,
            batch.description,
            len(found.newest(batch).view),
            batch.id in on_path,
            batch.id == found.batch.id,
        )
        for batch in found.batches
    )
