"""A lesson as data: its texts in English and Chinese, its steps, and what they ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, model_validator

from ..conversation.conversation import Conversation
from ..engine.messages import Message, read_messages
from ..engine.settings import Settings
from ..errors import Refused, format_value, refusals_at, unknown_key, wrong_type
from ..scripts.steps import RawIndices, ScriptExpectation, ScriptQuery, ScriptStep, read_step
from ..values.models import (
    ROLES,
    Checked,
    Count,
    Flag,
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
NUMBERS = ("visible", "hidden", "rawCount", "tokens", "batch", "batches", "errors", "query")
"""What a lesson can point at, and the numbers that it can ask for."""
FEWEST_ANSWERS, MOST_ANSWERS = 2, 4
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

M = TypeVar("M", bound=Model)


def each(model: type[M], what: str) -> Callable[[object, str], tuple[M, ...]]:
    """Return a reader for a list of models, which says which of them is wrong."""

    def read(value: object, field: str) -> tuple[M, ...]:
        if not isinstance(value, list | tuple):
            raise wrong_type(field, value, f"a list of {what}")
        return read_each(value, field, read_one)

    def read_one(value: Any) -> M:
        return value if isinstance(value, model) else model.from_dict(value)

    return read


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


def read_texts(value: object, field: str) -> tuple[str, ...]:
    """Return a list of texts, which may be empty."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of texts")
    return tuple(read_text(one, f"{field}[{i}]") for i, one in enumerate(value))


def read_arrays(value: object, field: str) -> tuple[str, ...]:
    """Return the names of index arrays."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of index arrays")
    for one in value:
        if one not in ARRAYS:
            raise wrong_type(field, one, f"one of {', '.join(ARRAYS)}")
    return tuple(value)


class LessonChoice(Model):
    """One of the answers to choose from; what it claims of the engine is so if it is right."""

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
    answers: Annotated[tuple[LessonChoice, ...], Checked(each(LessonChoice, "answers"))] = ()
    hint: Words | None = None
    explain: Words

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if self.rows is None and self.number is None and not self.answers:
            raise _wrong("predict asks for nothing; give rows, number or answers", "rows")
        if self.number is not None and self.answers:
            raise _wrong("predict has both number and answers; give one of them", "number")
        if self.rows is None and self.among is not None:
            raise _wrong("among is given without rows", "among")
        if self.query is None and self.number is not None and self.number.of == "query":
            raise _wrong("number asks for that of a query, and there is no query", "number")
        self._check_answers()
        return self

    def _check_answers(self) -> None:
        if not self.answers:
            return
        if not FEWEST_ANSWERS <= len(self.answers) <= MOST_ANSWERS:
            raise _wrong(
                f"answers has {len(self.answers)}; {FEWEST_ANSWERS} to {MOST_ANSWERS} are legal",
                "answers",
            )
        right = [i for i, one in enumerate(self.answers) if one.right]
        if len(right) != 1:
            raise _wrong(f"answers has {len(right)} right ones; exactly one is", "answers")

    @property
    def right(self) -> int | None:
        """Return the index of the right answer; None if there are no answers."""
        return next((i for i, one in enumerate(self.answers) if one.right), None)


class Naive(Model):
    """What a simpler rule gives after the same steps: rows, texts or an error, and why."""

    title = "naive"
    says: Words
    visible: RawIndices | None = None
    texts: Annotated[tuple[str, ...], Checked(read_texts)] | None = None
    error: Words | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        given = [name for name in ("visible", "texts", "error") if getattr(self, name) is not None]
        if len(given) != 1:
            told = " and ".join(given) if given else "none"
            raise _wrong(f"naive has {told} of visible, texts and error; exactly one is", "naive")
        return self


class LookAt(Model):
    """What a step points at: rows of the log, index arrays, or a whole pane."""

    title = "look"
    raw: RawIndices = ()
    arrays: Annotated[tuple[str, ...], Checked(read_arrays)] = ()
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


def _wrong(sentence: str, field: str) -> Refused:
    return Refused(sentence, field)


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
