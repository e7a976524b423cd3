"""A lesson being played: the story at the left, its conversation at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.lessons.drawing import (
    NOT_SAVED,
    SAVED,
    LessonRaw,
    LessonTimeline,
    LessonVisible,
    NaiveSource,
    PickSource,
    StoryDrawing,
    StoryLines,
    arrays_about,
    lesson_array_lines,
    lesson_head,
    lessons_bar,
    naive_about,
    pick_about,
    pick_foot,
    pick_title,
    raw_about,
    timeline_about,
    visible_about,
    visible_title,
)
from ctxtui.lessons.files import LessonFile, load_learner, save_language, save_progress
from ctxtui.lessons.keys import LESSON
from ctxtui.lessons.list_screen import OTHER
from ctxtui.lessons.models import Player, ShownStep
from ctxtui.lessons.words import say
from ctxtui.messages import LeaveLesson, OpenLesson, OpenPractice
from ctxtui.notify import notify
from ctxtui.text.lines import Line
from ctxtui.text.toast import note
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

PANES = ("visible", "naive", "story", "raw", "timeline", "arrays")
"""The panes in the order of the tab key."""
COUNTS = {2: "two", 3: "three", 4: "four"}
"""The condition in the footer for so many answers."""


class StoryPane(TextPane):
    """The story; a click on an answer chooses it."""

    @dataclass
    class AnswerChosen(Message):
        """An answer was clicked."""

        answer: int

    _answers: dict[int, int]

    def draw(self, story: Callable[[int, int], StoryLines], *, top: bool) -> None:
        def make(width: int) -> Sequence[Line]:
            drawn = story(width, self.scrollable_content_region.height)
            self._answers = drawn.answers
            return drawn.lines

        self._answers = {}
        self.show(make, top=top)

    def on_click(self, event: events.Click) -> None:
        answer = self._answers.get(event.y - self.gutter.top + self.scroll_offset.y)
        if answer is not None:
            self.post_message(self.AnswerChosen(answer))


class LessonScreen(BaseScreen[None]):
    """Plays a lesson: asks, reveals, and shows in every pane what each step does."""

    AUTO_FOCUS = "#lesson-visible"
    CSS_PATH = "lesson.tcss"
    HOME = "lesson"
    HELP_COMMANDS = (*LESSON, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSON)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (180, "-huge")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012 - Textual's own

    def __init__(self, found: LessonFile, language: str, among: Sequence[LessonFile] = ()) -> None:
        super().__init__()
        self.found, self.language = found, language
        names = [one.name for one in among]
        place = names.index(found.name) + 1 if found.name in names else 0
        rest = among[place:] if place else ()
        self._place = place, len(among)
        """Which lesson of its series it is, of how many."""
        self._following = rest[0] if rest else None
        self.player = Player(found.lesson, load_learner().of(found.name))
        self.shown = ShownStep(self.player)

    def compose(self) -> ComposeResult:
        yield LineBox(id="lesson-bar")
        yield LineBox(id="lesson-head")
        with Horizontal(id="lesson"):
            yield StoryPane(id="lesson-story")
            with Vertical(id="stage"):
                yield LineList(id="lesson-raw", is_quiet=True)
                with Horizontal(id="outcomes"):
                    yield LineList(id="lesson-visible", is_quiet=True)
                    yield LineList(id="lesson-naive", is_quiet=True)
                with Horizontal(id="below"):
                    yield LineList(id="lesson-timeline", is_quiet=True)
                    yield TextPane(id="lesson-arrays")
        yield KeyFooter(self.say)

    def on_mount(self) -> None:
        self.add_class("-at-visible")
        self.show_step()

    def on_resize(self) -> None:
        self._draw_story(top=False)

    def say(self, text: str) -> str:
        return say(text, self.language)

    # Showing

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#lesson-{name}", LineList)

    def show_step(self) -> None:
        """Show another step or its result, and save the progress; the head says if that fails."""
        bar_end = SAVED if save_progress(self.found.name, self.player.progress) else NOT_SAVED
        language = self.language
        shown = self.shown = ShownStep(self.player)
        self.set_class(shown.has_naive, "-naive")
        self.query_one("#lesson-bar", LineBox).show(partial(lessons_bar, language, right=bar_end))
        frame, raw, timeline = shown.frame, self._list("raw"), self._list("timeline")
        raw.show(LessonRaw(frame, language))
        raw.frame(self.say("Raw"), raw_about(frame, language))
        errors = ErrorCounts(shown.conversation)
        errors.prepare(shown.conversation.revisions)
        timeline.show(LessonTimeline(frame, errors, shown.pending, language))
        timeline.go_to(frame.batch.id)
        timeline.frame(self.say("Timeline"), timeline_about(shown, language))
        arrays = self.query_one("#lesson-arrays", TextPane)
        is_covered = self.player.is_covered
        arrays.frame(self.say("Index arrays"), arrays_about(language, is_covered=is_covered))
        index_arrays = IndexArrays(frame)
        arrays.show(
            lambda width: lesson_array_lines(
                frame, index_arrays, shown.look.arrays, width, is_covered=is_covered
            )
        )
        if shown.has_naive:
            naive = self._list("naive")
            naive.empty = self.say("Nothing is sent.")
            naive.show(NaiveSource(shown, language))
            naive.frame(self.say("A simpler rule"), naive_about(shown))
        self._show_answer(top=True)
        self._point()

    def _show_answer(self, *, top: bool = False) -> None:
        shown, language = self.shown, self.language
        visible = self._list("visible")
        visible.empty = self.say("Nothing is sent.")
        if shown.has_rows:
            source = PickSource(shown, language)
            visible.show(source)
            about = pick_about(source.rows, language, is_none=self.player.given.is_none)
            visible.frame(
                pick_title(shown, language), about, partial(pick_foot, source.rows, language)
            )
        else:
            visible.show(LessonVisible(shown.frame, language))
            visible.frame(visible_title(shown, language), visible_about(shown.frame, language))
        if top:
            visible.action_edge(0)
        head = partial(lesson_head, self.player, self._place, language)
        self.query_one("#lesson-head", LineBox).show(head)
        self._draw_story(top=top)
        self.refresh_bindings()

    def _draw_story(self, *, top: bool) -> None:
        has_next = self._following is not None
        operations, pane = self.shown.operations, self.query_one("#lesson-story", StoryPane)
        drawing = StoryDrawing(self.player, operations, self.language, has_next=has_next)
        pane.frame(self.say("The story"), [])
        pane.draw(partial(drawing.draw, is_brief=self._is_small), top=top)

    @property
    def _is_small(self) -> bool:
        """Return whether only one pane fits next to the story."""
        return self.has_class("-narrow") or self.has_class("-low")

    def _point(self) -> None:
        """Scroll to what the step points at, or else to what it changed."""
        look, moved = self.shown.look, self.shown.first_moved
        for name in PANES:
            self.query_one(f"#lesson-{name}").set_class(name == look.pane, "-looked-at")
        for name in ("raw", "visible"):
            self._list(name).selected = set(look.raw)
        if self._is_small or (self.has_class("-at-naive") and not self.shown.has_naive):
            self.go_to(look.pane or "visible")
        raw = look.raw[0] if look.raw else moved
        if raw is not None:
            self._list("raw").go_to(raw)
            if not self.shown.has_rows:
                self._list("visible").go_to(raw)

    # Actions

    def action_next(self) -> None:
        """Reveal the answer once there is one, or show the next step; stop at the end."""
        if self.player.ask():
            self._show_answer()
        elif self.player.next():
            self.show_step()
        else:
            self.query_one("#lesson-story", StoryPane).scroll_end(animate=False)

    def action_show_answer(self) -> None:
        """Reveal the answer without giving one; the question stays open."""
        if self.player.is_covered and self.player.next():
            self.show_step()

    def action_next_lesson(self) -> None:
        if self._following is None:
            notify(self, note(self.say("There is no next lesson")))
        elif self.player.is_last:
            self.post_message(OpenLesson(self._following))
        else:
            notify(self, note(self.say("The lesson is not at its end")))

    def action_back(self) -> None:
        if self.player.rub_out():
            self._show_answer()
        elif self.player.back():
            self.show_step()
        else:
            notify(self, note(self.say("This is the first step")))

    def action_restart(self) -> None:
        self.player.restart()
        self.show_step()

    def action_leave(self) -> None:
        """Leave the lesson; it continues here next time."""
        self.post_message(LeaveLesson(self.found.name))

    def action_practice(self) -> None:
        title = self.found.lesson.title.to(self.language)
        self.post_message(OpenPractice(self.player.practice(), title))

    def action_pick(self) -> None:
        visible = self._list("visible")
        if not visible.has_focus:
            self.go_to("visible")
        elif visible.key is not None and self._pick(visible.key):
            visible.action_move(1)

    def action_none(self) -> None:
        if self.player.pick_none():
            self._show_answer()

    def _pick(self, raw: int) -> bool:
        is_picked = self.player.pick(raw)
        if is_picked:
            self._show_answer()
        return is_picked

    @on(LineList.Opened, "#lesson-visible")
    @on(LineList.Picked, "#lesson-visible")
    def _clicked(self, event: LineList.Opened | LineList.Picked) -> None:
        self._pick(event.key)

    @on(StoryPane.AnswerChosen)
    def _chosen(self, event: StoryPane.AnswerChosen) -> None:
        if self.player.choose(event.answer):
            self._show_answer()

    def action_digit(self, digit: int) -> None:
        if self.player.type(digit) or (digit and self.player.choose(digit - 1)):
            self._show_answer()

    def action_hint(self) -> None:
        if self.player.hint():
            self._show_answer()

    def action_pane(self, by: int) -> None:
        """Focus another pane; a small screen shows only that one."""
        shown = [name for name in PANES if name != "naive" or self.shown.has_naive]
        focused = self.focused
        here = "" if focused is None or focused.id is None else focused.id.removeprefix("lesson-")
        at = shown.index(here) if here in shown else 0
        self.go_to(shown[(at + by) % len(shown)])

    def go_to(self, name: str) -> None:
        if name != "story":
            for one in PANES:
                self.set_class(one == name, f"-at-{one}")
        self.query_one(f"#lesson-{name}", Widget).focus()

    def key_conditions(self) -> Conditions:
        player, asked = self.player, self.player.question
        is_covered = player.is_covered
        answers = COUNTS.get(len(asked.answers), "") if asked and is_covered else ""
        return {
            "covered": is_covered,
            "rows": bool(is_covered and asked and asked.rows is not None),
            "number": bool(is_covered and asked and asked.number),
            "typed": bool(is_covered and player.given.number is not None),
            "hint": bool(is_covered and asked and asked.hint and not player.is_hinted),
            "begun": player.at > 0 or player.is_revealed,
            "asked": player.is_asked,
            "on": not player.is_last,
            "last": player.is_last,
            "another": self._following is not None,
            "other": OTHER[self.language],
            **({answers: True} if answers else {}),
        }

    def action_language(self) -> None:
        self.language = "en" if self.language == "zh" else "zh"
        save_language(self.language)
        self.show_step()
