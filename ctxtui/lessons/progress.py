"""How far a learner has come with a lesson, as it is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.lessons import Lesson
from ctxtui.lessons.answers import Given, judge, read_given


@dataclass(frozen=True, slots=True)
class Progress:
    """The step a learner stands at, whether its answer is shown, and every answer revealed.

    Steps are named by id, so that a lesson may be edited meanwhile.
    """

    step: str = ""
    is_revealed: bool = False
    is_done: bool = False
    answers: Mapping[str, Given] = field(default_factory=dict)

    @property
    def is_begun(self) -> bool:
        """Tell whether there is anything to remember."""
        return bool(self.step)

    def place_in(self, lesson: Lesson) -> int:
        """Return the step's place, or the first where the lesson has no such step any more."""
        return next((i for i, one in enumerate(lesson.steps) if one.id == self.step), 0)

    def score(self, lesson: Lesson) -> tuple[int, int]:
        """Return how many questions were answered rightly, and how many were answered."""
        verdicts = [
            judge(step.predict, self.answers[step.id])
            for step in lesson.steps
            if step.predict is not None and step.id in self.answers
        ]
        return sum(one.right for one in verdicts), sum(one.asked for one in verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as JSON-ready data."""
        return {
            "step": self.step,
            "revealed": self.is_revealed,
            "done": self.is_done,
            "answers": {id: given.to_dict() for id, given in self.answers.items()},
        }


def read_progress(data: object) -> Progress:
    """Return progress from JSON data; whatever can't be read is not remembered."""
    if not isinstance(data, Mapping):
        return Progress()
    step, answers = data.get("step"), data.get("answers")
    return Progress(
        step if isinstance(step, str) else "",
        data.get("revealed") is True,
        data.get("done") is True,
        {str(id): read_given(one) for id, one in answers.items()}
        if isinstance(answers, Mapping)
        else {},
    )
