"""Lessons: steps over a conversation that ask what will happen and then show it.

A lesson is data: texts in English and Chinese, steps, and questions. Its claims are checked against
the engine, so that they are true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from .conversation.conversation import Conversation
from .engine.messages import Message, read_messages
from .engine.settings import Settings
from .engine.views import View
from .errors import Refused, format_value, refusals_at, unknown_key, wrong_type
from .scripts import (
    RawIndices,
    ScriptExpectation,
    ScriptQuery,
    ScriptStep,
    StepReport,
    brief,
    read_step,
    run_steps,
)
from .values.models import (
    ROLES,
    Checked,
    Count,
    Flag,
    JsonRecord,
    Model,
    Number,
    Text,
    nested,
    one_of,
    read_choice,
    read_count,
    read_each,
    read_text,
)

LANGUAGES = ("en", "zh")
"""The languages of the lessons that come with ctxtui, the one that every lesson has first."""


class LessonText(Model):
    """A text in English, and in Chinese if it is translated."""

    title = "text"
    en: Text
    zh: Text | None = None

    def to(self, language: str) -> str:
        return (self.zh or self.en) if language == "zh" else self.en


Words = Annotated[LessonText, nested(LessonText)]
"""A field that holds a text in several languages."""

PANES = ("raw", "visible", "timeline", "arrays")
ARRAYS = ("originalIndices", *ROLES, "batchBoundaries", "currentBatch")
"""What a lesson can point at."""
NUMBERS: dict[str, Callable[[Conversation], int] | None] = {
    "visible": lambda conversation: len(conversation.view),
    "hidden": lambda conversation: len(conversation.log) - len(conversation.view),
    "rawCount": lambda conversation: len(conversation.log),
    "tokens": lambda conversation: conversation.tokens.total,
    "batch": lambda conversation: conversation.batch.number,
    "batches": lambda conversation: len(conversation.batches),
    "errors": lambda conversation: sum(one.severity == "error" for one in conversation.lint()),
    "query": None,
}
"""The numbers that a lesson can ask for; the last is that of a query."""
FEWEST_ANSWERS, MOST_ANSWERS = 2, 4
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def _read_list(value: object, field: str, what: str) -> list[Any] | tuple[Any, ...]:
    """Return a list, which may be empty."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, f"a list of {what}")
    return value


def read_answers(value: object, field: str) -> tuple[LessonChoice, ...]:
    """Return answers to choose from, or refuse each that is wrong."""

    def read(one: Any) -> LessonChoice:
        return one if isinstance(one, LessonChoice) else LessonChoice.from_dict(one)

    return read_each(_read_list(value, field, "answers"), field, read)


def read_id(value: object, field: str) -> str:
    """Return the id of a step, by which answers are remembered."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise wrong_type(field, value, "1 to 40 lower-case letters, digits and dashes")
    return value


def read_doing(value: object, field: str) -> tuple[ScriptStep, ...]:
    """Return what is done: a step of a script that changes something, or a list of such."""
    if not isinstance(value, list | tuple):
        with refusals_at(field):
            return (_read_change(value),)
    if not value:
        raise Refused(f"{field} [] does nothing", field, [], "one operation")
    return read_each(value, field, _read_change)


def _read_change(value: Any) -> ScriptStep:
    step = read_step(value)
    if step.kind not in ("operation", "policy"):
        raise wrong_type(step.kind, value, "an operation, a list of them or a policy")
    return step


def _read_texts(value: object, field: str) -> tuple[str, ...]:
    texts = _read_list(value, field, "texts")
    return tuple(read_text(one, f"{field}[{i}]") for i, one in enumerate(texts))


def _read_arrays(value: object, field: str) -> tuple[str, ...]:
    names = _read_list(value, field, "index arrays")
    return tuple(read_choice(one, field, ARRAYS) for one in names)


class LessonChoice(Model):
    """One of the answers to choose from; what it claims of the engine holds if it is right."""

    title = "answer"
    text: Words
    right: Flag = False
    expect: Annotated[ScriptExpectation, nested(ScriptExpectation)] | None = None


class LessonNumber(Model):
    """A number that the learner is asked for, and how far off is still right."""

    title = "number"
    of: Annotated[str, one_of(*NUMBERS)]
    answer: Number
    within: Count = 0


class Prediction(Model):
    """A question: rows to pick, a number, or one of several answers, and what to say after it."""

    title = "predict"
    question: Words
    rows: RawIndices | None = Field(default=None, description="Raw indices that are right")
    among: RawIndices | None = Field(default=None, description="Raw indices to pick from")
    query: Annotated[ScriptQuery, nested(ScriptQuery)] | None = None
    number: Annotated[LessonNumber, nested(LessonNumber)] | None = None
    answers: Annotated[tuple[LessonChoice, ...], Checked(read_answers)] = ()
    hint: Words | None = None
    explain: Words

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if self.rows is None and self.number is None and not self.answers:
            raise Refused("predict asks for nothing; give rows, number or answers", "rows")
        if self.number is not None and self.answers:
            raise Refused("predict has both number and answers; give one of them", "number")
        if self.rows is None and self.among is not None:
            raise Refused("among is given without rows", "among")
        if self.query is None and self.number is not None and self.number.of == "query":
            raise Refused("number asks for that of a query, and there is no query", "number")
        if not self.answers:
            return self
        if not FEWEST_ANSWERS <= len(self.answers) <= MOST_ANSWERS:
            raise Refused(
                f"answers has {len(self.answers)}; {FEWEST_ANSWERS} to {MOST_ANSWERS} are legal",
                "answers",
            )
        right = [i for i, one in enumerate(self.answers) if one.right]
        if len(right) != 1:
            raise Refused(f"answers has {len(right)} right ones; exactly one is", "answers")
        return self

    @property
    def right(self) -> int | None:
        """Return the index of the right answer; None if there are no answers."""
        return next((i for i, one in enumerate(self.answers) if one.right), None)


class Naive(Model):
    """What a simpler rule gives after the same steps: rows, texts or an error, and why."""

    title = "naive"
    says: Words
    visible: RawIndices | None = None
    texts: Annotated[tuple[str, ...], Checked(_read_texts)] | None = None
    error: Words | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        given = [name for name in ("visible", "texts", "error") if getattr(self, name) is not None]
        if len(given) != 1:
            names = " and ".join(given) if given else "none"
            raise Refused(f"naive has {names} of visible, texts and error; exactly one is", "naive")
        return self


class LookAt(Model):
    """What a step points at: rows of the log, index arrays, or a whole pane."""

    title = "look"
    raw: RawIndices = ()
    arrays: Annotated[tuple[str, ...], Checked(_read_arrays)] = ()
    pane: Annotated[str, one_of(*PANES)] | None = None


class LessonStep(Model):
    """One step: a few words for the list, the story, what is done and asked, and what is true."""

    title = "step"
    id: Annotated[str, Checked(read_id)]
    brief: Words
    tell: Words
    do: Annotated[tuple[ScriptStep, ...], Checked(read_doing)] = ()
    look: Annotated[LookAt, nested(LookAt)] = LookAt()
    predict: Annotated[Prediction, nested(Prediction)] | None = None
    naive: Annotated[Naive, nested(Naive)] | None = None
    practice: Words | None = Field(default=None, description="What to try in the app, on a copy")
    expect: Annotated[ScriptExpectation, nested(ScriptExpectation)] | None = None


SERIES = {
    "basics": LessonText(en="The basics", zh="基础"),
    "lost": LessonText(en="How context gets lost", zh="上下文是怎样丢失的"),
    "documents": LessonText(en="The source documents", zh="源文档"),
    "own": LessonText(en="Your own", zh="自己的课程"),
}
"""The series that lessons belong to, in the order they are listed."""
OWN = "own"
FIRST_MOMENT = 1_767_225_600_000
SECOND = 1000
"""When every lesson starts, so that it is the same each time: 2026 begins, a second a change."""


class LessonStart(Model):
    """What a lesson starts with: messages, settings, and what was done before the first step."""

    title = "start"
    messages: Annotated[tuple[Message, ...], Checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    do: Annotated[tuple[ScriptStep, ...], Checked(read_doing)] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A story in steps; ``remember`` is the one sentence to take home."""

    title: LessonText
    start: LessonStart
    steps: tuple[LessonStep, ...]
    about: LessonText | None = None
    remember: LessonText | None = None
    series: str = OWN
    order: int = 0

    def begin(self) -> Conversation:
        """Return the conversation before anything is done; its clock is the lesson's own."""
        ticks = iter(range(FIRST_MOMENT, FIRST_MOMENT * 2, SECOND))
        return Conversation(
            self.start.messages,
            self.start.settings,
            meta={"title": self.title.en},
            clock=lambda: next(ticks),
        )


def read_lesson(data: object) -> Lesson:
    """Return a lesson from JSON data, or refuse the first thing that is wrong."""
    fields, refusals = read_parts(data)
    if refusals:
        raise refusals[0]
    return Lesson(**fields)


def read_parts(data: object) -> tuple[dict[str, Any], list[Refused]]:
    """Return the fields of a lesson that can be read, and a refusal for each thing that can't."""
    if not isinstance(data, Mapping):
        return {}, [wrong_type("lesson", data, "an object")]
    fields: dict[str, Any] = {}
    refusals: list[Refused] = []
    for key, value in data.items():
        if key not in READERS:
            refusals.append(unknown_key(key, value, "a lesson", READERS))
        elif key == "steps":
            fields[key], bad = _read_steps(value)
            refusals += bad
        else:
            try:
                fields[key] = READERS[key](value, key)
            except Refused as refusal:
                refusals += refusal.all
    refusals += [
        Refused(f"the lesson has no {name}", name)
        for name in ("title", "start", "steps")
        if name not in data
    ]
    return fields, refusals


def _read_steps(value: object) -> tuple[tuple[LessonStep, ...], list[Refused]]:
    """Return the steps that can be read, and what is wrong with the others."""
    if not isinstance(value, list | tuple) or not value:
        return (), [wrong_type("steps", value, "a list of one step or more")]
    steps: list[LessonStep] = []
    refusals: list[Refused] = []
    for i, one in enumerate(value):
        try:
            steps.append(LessonStep.from_dict(one))
        except Refused as refusal:
            refusals += refusal.prefixed(f"steps[{i}]").all
    seen = Counter(step.id for step in steps)
    refusals += [
        Refused(f"steps: {count} steps have the id {format_value(id)}", "steps", id)
        for id, count in seen.items()
        if count > 1
    ]
    return tuple(steps), refusals


def _read_series(value: object, field: str) -> str:
    series: str = read_choice(value, field, tuple(SERIES))
    return series


READERS: dict[str, Callable[[Any, str], Any]] = {
    "title": nested(LessonText).read,
    "about": nested(LessonText).read,
    "remember": nested(LessonText).read,
    "series": _read_series,
    "order": read_count,
    "start": nested(LessonStart).read,
    "steps": lambda value, _: _read_steps(value),
}
"""How each field of a lesson is read, in the order in which they are best written."""


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
    texts = {name: getattr(lesson, name) for name in ("title", "about", "remember", "steps")}
    found = [
        problem
        for place, value in texts.items()
        if must_translate
        for problem in _without_chinese(value, place)
    ]
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
    count = NUMBERS[asked.number.of]
    if count is not None:
        return count(conversation)
    answer = asked.query.ask(conversation) if asked.query else None
    return len(answer) if isinstance(answer, list) else answer
