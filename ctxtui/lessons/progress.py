"""How far a learner has come with a lesson, as it is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxtui.core.lessons import Lesson, LessonStep
from ctxtui.lessons.answers import Given, judge, read_given


@dataclass(frozen=True, slots=True)
class Progress:
    """The step a learner stands at, whether its answer is shown, and every answer revealed.

    A lesson is *seen* once its last step was shown, and *done* when no question is open either:
    one that was given up, or came into the lesson later. Steps are named by id, so that a lesson
    may be edited meanwhile.
    """

    step: str = ""
    is_revealed: bool = False
    is_seen: bool = False
    answers: Mapping[str, Given] = field(default_factory=dict)

    @property
    def is_begun(self) -> bool:
        """Tell whether there is anything to remember."""
        return bool(self.step)

    def place_in(self, lesson: Lesson) -> int:
        """Return the step's place, or the first where the lesson has no such step any more."""
        return next((i for i, one in enumerate(lesson.steps) if one.id == self.step), 0)

    def is_open(self, step: LessonStep) -> bool:
        """Tell whether a step asks something that was not answered, or not wholly."""
        asked = step.predict
        return asked is not None and bool(self.answers.get(step.id, Given()).missing(asked))

    def answered(self, lesson: Lesson) -> tuple[int, int]:
        """Return how many steps that ask something were answered, and how many there are."""
        asking = [step for step in lesson.steps if step.predict is not None]
        return sum(not self.is_open(step) for step in asking), len(asking)

    def is_done(self, lesson: Lesson) -> bool:
        """Tell whether the lesson was seen to its end, and every question answered."""
        return self.is_seen and not any(map(self.is_open, lesson.steps))

    def score(self, lesson: Lesson) -> tuple[int, int]:
        """Return how many questions were answered rightly, and how many were answered."""
        verdicts = [
            judge(step.predict, self.answers[step.id])
            for step in lesson.steps
            if step.predict is not None and not self.is_open(step)
        ]
        return sum(one.right for one in verdicts), sum(one.asked for one in verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as JSON-ready data."""
        return {
            "step": self.step,
            "revealed": self.is_revealed,
            "seen": self.is_seen,
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
        data.get("seen", data.get("done")) is True,  # Called so before questions could stay open.
        {str(id): read_given(one) for id, one in answers.items()}
        if isinstance(answers, Mapping)
        else {},
    )
