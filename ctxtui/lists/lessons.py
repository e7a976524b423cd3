"""The lessons there are, in the order of their series."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.files.lessons import Learnt, LessonFile
from ctxtui.lists.source import NumberedSource
from ctxtui.render.lesson.listing import lesson_row
from ctxtui.render.text.lines import Line


class LessonSource(NumberedSource):
    """A line for each lesson, with how far it was taken."""

    def __init__(self, lessons: Sequence[LessonFile], learnt: Learnt, language: str) -> None:
        self._lessons = lessons
        self._learnt = learnt
        self._language = language

    def __len__(self) -> int:
        """Return how many lessons there are."""
        return len(self._lessons)

    def line(self, at: int, width: int) -> Line:
        """Return one lesson."""
        one = self._lessons[at]
        is_first = at == 0 or self._lessons[at - 1].lesson.series != one.lesson.series
        progress = self._learnt.of(one.name)
        return lesson_row(one.lesson, progress, self._language, width, is_first=is_first)
