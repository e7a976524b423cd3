"""The list of lessons with the progress in each, and the lesson under the cursor."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.lessons.drawing import LessonSource, lesson_lines, lessons_bar
from ctxtui.lessons.files import (
    LearnerState,
    LessonFile,
    language_of,
    list_lessons,
    load_learner,
    save_language,
)
from ctxtui.lessons.keys import LESSONS
from ctxtui.lessons.words import say
from ctxtui.messages import OpenLesson, OpenLibrary
from ctxtui.notify import notify
from ctxtui.text.lines import Piece
from ctxtui.text.plurals import plural
from ctxtui.text.toast import failed
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

OTHER = {"en": "中文", "zh": "English"}
"""The hint of the key that switches the language, by the current language."""


class LessonsScreen(BaseScreen[None]):
    """Lists the lessons; enter opens one at the step where it was left."""

    AUTO_FOCUS = "#lessons"
    CSS_PATH = "lessons.tcss"
    HELP_COMMANDS = (*LESSONS, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSONS)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._first = name
        self.lessons: list[LessonFile] = []
        self.learner = LearnerState()
        self.language = "en"

    def compose(self) -> ComposeResult:
        yield LineBox(id="lessons-bar")
        with Horizontal():
            yield LineList(id="lessons")
            yield TextPane(id="lesson-about")
        yield KeyFooter(self.say)

    def on_mount(self) -> None:
        self.lessons, problems = list_lessons()
        for problem in problems:
            notify(self, failed(problem))
        self._show()
        places = [at for at, one in enumerate(self.lessons) if one.name == self._first]
        if places:
            self.query_one("#lessons", LineList).go_to(places[0])
            self._show_lesson()

    def on_screen_resume(self) -> None:
        if self.lessons:
            self._show()

    def _show(self) -> None:
        self.learner = load_learner()
        self.language = language_of(self.learner)
        bar = partial(lessons_bar, self.language, right="")
        self.query_one("#lessons-bar", LineBox).show(bar)
        listed = self.query_one("#lessons", LineList)
        listed.empty = self.say("There are no lessons here.")
        listed.show(LessonSource(self.lessons, self.learner, self.language))
        done = sum(self.learner.of(one.name).is_done(one.lesson) for one in self.lessons)
        count = len(self.lessons)
        about = say(
            "{done} of {lessons} done",
            self.language,
            done=done,
            lessons=plural(count, "lesson"),
            count=count,
        )
        listed.frame(self.say("Lessons"), [Piece(f"{about} ", "muted")])
        self._show_lesson()

    def say(self, text: str) -> str:
        return say(text, self.language)

    @property
    def lesson(self) -> LessonFile | None:
        at = self.query_one("#lessons", LineList).cursor
        return self.lessons[at] if at < len(self.lessons) else None

    @on(LineList.Moved, "#lessons")
    def _show_lesson(self) -> None:
        pane, one = self.query_one("#lesson-about", TextPane), self.lesson
        if one is not None:
            pane.frame(self.say("Lesson"), [Piece(f"{one.name[-40:]} ", "muted")])
            progress = self.learner.of(one.name)
            pane.show(partial(lesson_lines, one.lesson, progress, self.language))
        self.refresh_bindings()

    def key_conditions(self) -> Conditions:
        return {
            "lesson": bool(self.lessons),
            "several": len(self.lessons) > 1,
            "other": OTHER[self.language],
        }

    @on(LineList.Opened, "#lessons")
    def _opened(self) -> None:
        if self.lesson is not None:
            self.post_message(OpenLesson(self.lesson))

    def action_language(self) -> None:
        save_language("en" if self.language == "zh" else "zh")
        self._show()

    def action_library(self) -> None:
        self.post_message(OpenLibrary())
