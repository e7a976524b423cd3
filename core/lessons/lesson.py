"""A lesson: its title, the conversation it starts with, and its steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..conversation.conversation import Conversation
from ..errors import Refused, key_name, not_a, shown
from ..messages.message import Message, read_messages
from ..scripts.steps import Step
from ..settings import Settings
from ..values.models import Model, checked, nested, read_choice, read_count
from .said import LANGUAGES, Said
from .steps import LessonStep, read_doing

SERIES = {
    "basics": Said(en="The basics", zh="基础"),
    "lost": Said(en="How context gets lost", zh="上下文是怎样丢失的"),
    "documents": Said(en="The source documents", zh="源文档"),
    "own": Said(en="Your own", zh="自己的课程"),
}
"""The series that lessons belong to, in the order they are listed."""
OWN = "own"
FIRST_MOMENT = 1_767_225_600_000
SECOND = 1000
"""When every lesson starts, so that it is the same each time: 2026 begins, a second a change."""


class Start(Model):
    """What a lesson starts with: messages, settings, and what was done before the first step."""

    title: ClassVar[str] = "start"
    messages: Annotated[tuple[Message, ...], checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    do: Annotated[tuple[Step, ...], checked(read_doing)] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A story in steps; ``remember`` is the one sentence to take home."""

    title: Said
    start: Start
    steps: tuple[LessonStep, ...]
    about: Said | None = None
    remember: Said | None = None
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
        return {}, [not_a("lesson", data, "an object")]
    fields: dict[str, Any] = {}
    refusals: list[Refused] = []
    for key, value in data.items():
        if key not in READERS:
            legal = ", ".join(READERS)
            refusals.append(
                Refused(
                    f"{shown(key)} is not a field of a lesson; it takes {legal}",
                    field=key_name(key),
                    value=value,
                    legal=legal,
                )
            )
        elif key == "steps":
            fields[key], bad = _read_steps(value)
            refusals += bad
        else:
            try:
                fields[key] = READERS[key](value, key)
            except Refused as refusal:
                refusals += refusal.all
    refusals += [
        Refused(f"the lesson has no {name}", field=name)
        for name in ("title", "start", "steps")
        if name not in data
    ]
    return fields, refusals


def _read_steps(value: object) -> tuple[tuple[LessonStep, ...], list[Refused]]:
    """Return the steps that can be read, and what is wrong with the others."""
    if not isinstance(value, list | tuple) or not value:
        return (), [not_a("steps", value, "a list of one step or more")]
    steps: list[LessonStep] = []
    refusals: list[Refused] = []
    for i, one in enumerate(value):
        try:
            steps.append(LessonStep.from_dict(one))
        except Refused as refusal:
            refusals += refusal.inside(f"steps[{i}]").all
    seen = Counter(step.id for step in steps)
    refusals += [
        Refused(f"steps: {count} steps have the id {shown(id)}", field="steps", value=id)
        for id, count in seen.items()
        if count > 1
    ]
    return tuple(steps), refusals


def _model(model: type[Model]) -> Callable[[Any, str], Any]:
    def read(value: Any, field: str) -> Any:
        try:
            return model.from_dict(value)
        except Refused as refusal:
            raise refusal.inside(field) from None

    return read


def _read_series(value: object, field: str) -> str:
    series: str = read_choice(value, field, tuple(SERIES))
    return series


READERS: dict[str, Callable[[Any, str], Any]] = {
    "title": _model(Said),
    "about": _model(Said),
    "remember": _model(Said),
    "series": _read_series,
    "order": read_count,
    "start": _model(Start),
    "steps": lambda value, _: _read_steps(value),
}
"""How each field of a lesson is read, in the order in which they are best written."""

__all__ = ["LANGUAGES", "SERIES", "Lesson", "Start", "read_lesson", "read_parts"]
