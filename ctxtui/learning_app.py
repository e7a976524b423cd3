"""An app that plays lessons: the ways between their list, a lesson, and a copy to try things on."""

from __future__ import annotations

from textual import on

from core import Refused
from ctxtui.files.lessons import LessonFile, language_of, list_lessons, load_learnt
from ctxtui.messages import LeaveLesson, OpenLesson, OpenLessons, OpenPractice
from ctxtui.models.told import failed
from ctxtui.preferring_app import PreferringApp
from ctxtui.screens.lesson import LessonScreen
from ctxtui.screens.lessons import LessonsScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.practice import PracticeScreen


class LearningApp(PreferringApp):
    """Opens lessons and what belongs to them."""

    def lesson_screen(self, found: LessonFile, language: str | None = None) -> LessonScreen:
        """Return the screen of a lesson, which knows those of its series."""
        series = [one for one in list_lessons()[0] if one.lesson.series == found.lesson.series]
        return LessonScreen(found, language_of(load_learnt(), language), series)

    @on(OpenLessons)
    def _open_lessons(self) -> None:
        if isinstance(self.screen, LibraryScreen):
            self.push_screen(LessonsScreen())

    @on(OpenLesson)
    def _open_lesson(self, event: OpenLesson) -> None:
        try:
            if isinstance(self.screen, LessonsScreen):
                self.push_screen(self.lesson_screen(event.found))
            elif isinstance(self.screen, LessonScreen):
                self.switch_screen(self.lesson_screen(event.found, self.screen.language))
        except Refused as refusal:
            self.tell(failed(f"{event.found.name}: {refusal}"))

    @on(LeaveLesson)
    def _leave_lesson(self, event: LeaveLesson) -> None:
        if not isinstance(self.screen, LessonScreen):
            return
        if isinstance(self.screen_stack[-2], LessonsScreen):
            self.pop_screen()
        else:
            self.switch_screen(LessonsScreen(event.name))

    @on(OpenPractice)
    def _open_practice(self, event: OpenPractice) -> None:
        if isinstance(self.screen, LessonScreen):
            self.push_screen(PracticeScreen(event.conversation, event.title))
