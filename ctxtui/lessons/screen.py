"""A lesson being played: the story at the left, the conversation it happens to at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import LISTS
from ctxtui.help.palette import LessonProvider
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.lessons.drawing import (
    KEPT,
    NOT_KEPT,
    LessonBatches,
    LessonRaw,
    LessonTimeline,
    LessonVisible,
    NaiveSource,
    PickSource,
    Story,
    StoryTeller,
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
from ctxtui.lessons.files import LessonFile, load_learnt, save_language, save_progress
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

# The pane that tells the story of a lesson; a click on an answer chooses it.


class StoryPane(TextPane):
    """Shows a story for whatever room there is."""

    @dataclass
    class Chosen(Message):
        """An answer was clicked."""

        answer: int

    _answers: dict[int, int]

    def tell(self, story: Callable[[int, int], Story], *, top: bool) -> None:
        """Show a story, from the top unless it is the same step as before."""

        def make(width: int) -> Sequence[Line]:
            told = story(width, self.scrollable_content_region.height)
            self._answers = told.answers
            return told.lines

        self._answers = {}
        self.show(make, top=top)

    def on_click(self, event: events.Click) -> None:
        """Choose the answer that was clicked."""
        answer = self._answers.get(event.y - self.gutter.top + self.scroll_offset.y)
        if answer is not None:
            self.post_message(self.Chosen(answer))


# What the panes of a lesson show: the story, both lists, the timeline and the index arrays.

PANES = ("visible", "naive", "story", "raw", "timeline", "arrays")
"""The panes in the order in which tab goes through them."""


class LessonPanes:
    """Fills the panes of a lesson with the step that its player stands at."""

    def __init__(self, screen: LessonScreen, place: tuple[int, int], *, has_next: bool) -> None:
        self._screen = screen
        self._place = place
        """Which lesson it is, of how many."""
        self._has_next = has_next
        self.shown = ShownStep(screen.player)

    def show_step(self) -> None:
        """Show another step, or its outcome; what was picked begins at the first row."""
        screen, language = self._screen, self._screen.language
        self.shown = ShownStep(screen.player)
        screen.set_class(self.shown.has_naive, "-naive")
        bar = partial(lessons_bar, language, right=KEPT if screen.is_kept else NOT_KEPT)
        screen.query_one("#lesson-bar", LineBox).show(bar)
        frame = self.shown.frame
        raw = screen.query_one("#lesson-raw", LineList)
        raw.show(LessonRaw(frame, language))
        raw.frame(screen.say("Raw"), raw_about(frame, language))
        errors = ErrorCounts(self.shown.conversation)
        errors.prepare(self.shown.conversation.revisions)
        batches = LessonBatches(frame, errors, language)
        timeline = screen.query_one("#lesson-timeline", LineList)
        timeline.show(LessonTimeline(batches, self.shown.pending))
        timeline.go_to(frame.batch.id)
        timeline.frame(screen.say("Timeline"), timeline_about(self.shown, language))
        self._show_arrays()
        if self.shown.has_naive:
            naive = screen.query_one("#lesson-naive", LineList)
            naive.empty = screen.say("Nothing is sent.")
            naive.show(NaiveSource(self.shown, language))
            naive.frame(screen.say("A simpler rule"), naive_about(self.shown))
        self.show_answer(top=True)
        self._point()

    def _show_arrays(self) -> None:
        screen, frame, player = self._screen, self.shown.frame, self._screen.player
        arrays = screen.query_one("#lesson-arrays", TextPane)
        about = arrays_about(screen.language, is_covered=player.is_covered)
        arrays.frame(screen.say("Index arrays"), about)
        arrays.show(
            lambda width: lesson_array_lines(
                frame,
                IndexArrays(frame),
                self.shown.look.arrays,
                width,
                is_covered=player.is_covered,
            )
        )

    def show_answer(self, *, top: bool = False) -> None:
        """Show what was picked, typed or chosen by now."""
        shown, language = self.shown, self._screen.language
        visible = self._screen.query_one("#lesson-visible", LineList)
        visible.empty = self._screen.say("Nothing is sent.")
        if shown.has_rows:
            source = PickSource(shown, language)
            visible.show(source)
            foot = partial(pick_foot, source.rows, language)
            is_none = shown.player.given.is_none
            about = pick_about(source.rows, language, is_none=is_none)
            visible.frame(pick_title(shown, language), about, foot)
        else:
            visible.show(LessonVisible(shown.frame, language))
            about = visible_about(shown.frame, language)
            visible.frame(visible_title(shown, language), about)
        if top:
            visible.action_edge(0)
        head = partial(lesson_head, self._screen.player, self._place, self._screen.language)
        self._screen.query_one("#lesson-head", LineBox).show(head)
        self.tell_story(top=top)
        self._screen.refresh_bindings()

    def tell_story(self, *, top: bool) -> None:
        """Tell the story for the room there is, from its beginning or where it was scrolled to."""
        teller = StoryTeller(
            self._screen.player, self.shown.doing, self._screen.language, has_next=self._has_next
        )
        story = self._screen.query_one("#lesson-story", StoryPane)
        story.frame(self._screen.say("The story"), [])
        story.tell(partial(teller.tell, is_brief=self._is_small), top=top)

    def show_end(self) -> None:
        """Bring the end of the story in sight: what is left, and the ways on."""
        self._screen.query_one("#lesson-story", StoryPane).scroll_end(animate=False)

    @property
    def _is_small(self) -> bool:
        """Tell whether there is room for only one pane beside the story."""
        return self._screen.has_class("-narrow") or self._screen.has_class("-low")

    def _point(self) -> None:
        """Bring in sight what the step points at, or else what it has moved."""
        look, moved = self.shown.look, self.shown.first_moved
        for name in PANES:
            self._screen.query_one(f"#lesson-{name}").set_class(name == look.pane, "-looked-at")
        for name in ("raw", "visible"):
            self._screen.query_one(f"#lesson-{name}", LineList).selected = set(look.raw)
        if self._is_small or (self._screen.has_class("-at-naive") and not self.shown.has_naive):
            self._screen.go_to(look.pane or "visible")
        raw = look.raw[0] if look.raw else moved
        if raw is not None:
            self._screen.query_one("#lesson-raw", LineList).go_to(raw)
            if not self.shown.has_rows:
                self._screen.query_one("#lesson-visible", LineList).go_to(raw)


COUNTS = {2: "two", 3: "three", 4: "four"}
"""What the line of keys calls so many answers."""


class LessonScreen(BaseScreen[None]):
    """Plays a lesson: tells, asks, reveals, and shows what each step does in every pane."""

    AUTO_FOCUS = "#lesson-visible"
    CSS_PATH = "lesson.tcss"
    HELP_COMMANDS = (*LESSON, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = bindings(LESSON)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {LessonProvider}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (180, "-huge")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012 - Textual's own

    def __init__(self, found: LessonFile, language: str, among: Sequence[LessonFile] = ()) -> None:
        super().__init__()
        self.found = found
        self.language = language
        names = [one.name for one in among]
        place = names.index(found.name) + 1 if found.name in names else 0
        rest = among[place:] if place else ()
        self._following = rest[0] if rest else None
        self.player = Player(found.lesson, load_learnt().of(found.name))
        self.panes = LessonPanes(self, (place, len(among)), has_next=bool(rest))
        self.is_kept = True
        """Whether it is remembered how far the lesson was taken."""

    def compose(self) -> ComposeResult:
        """Lay out the story and the panes."""
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
        """Show where the lesson was left."""
        self.add_class("-at-visible")
        self.show_step()

    def on_resize(self) -> None:
        """Tell the story for the room there is now."""
        self.panes.tell_story(top=False)

    # Showing

    def say(self, text: str) -> str:
        """Return a text of this screen in the language of the lesson."""
        return say(text, self.language)

    @property
    def shown(self) -> ShownStep:
        """Return the step that is shown, as its panes need it."""
        return self.panes.shown

    def show_step(self) -> None:
        """Show another step, or its outcome, and remember that it was taken."""
        self._keep()
        self.panes.show_step()

    def _keep(self) -> None:
        """Remember how far the lesson was taken; if that can't be done, the head says so.

        That is so from the first step on for whoever only reads here: nothing to be stopped by.
        """
        self.is_kept = save_progress(self.found.name, self.player.progress)

    # Moving

    def action_next(self) -> None:
        """Reveal the answer once there is one, or take the next step; stop at the end."""
        if self.player.ask():
            self.panes.show_answer()
        elif self.player.next():
            self.show_step()
        else:
            self.panes.show_end()

    def action_show_answer(self) -> None:
        """Show the answer to whoever gives none; the question stays open."""
        if self.player.is_covered and self.player.next():
            self.show_step()

    def action_next_lesson(self) -> None:
        """Open the next lesson of the series, from the end of this one."""
        if self._following is None:
            notify(self, note(self.say("There is no next lesson")))
        elif self.player.is_last:
            self.post_message(OpenLesson(self._following))
        else:
            notify(self, note(self.say("The lesson is not at its end")))

    def action_back(self) -> None:
        """Rub out a digit, else go back to what was shown before."""
        if self.player.rub_out():
            self.panes.show_answer()
        elif self.player.back():
            self.show_step()
        else:
            notify(self, note(self.say("This is the first step")))

    def action_restart(self) -> None:
        """Begin the lesson anew."""
        self.player.restart()
        self.show_step()

    def action_leave(self) -> None:
        """Leave the lesson, which goes on here next time."""
        self.post_message(LeaveLesson(self.found.name))

    def action_practice(self) -> None:
        """Open this state as a copy to try things on."""
        title = self.found.lesson.title.to(self.language)
        self.post_message(OpenPractice(self.player.practice(), title))

    # Answering

    def action_pick(self) -> None:
        """Pick the row under the cursor, or put it back, and go on to the next."""
        visible = self.query_one("#lesson-visible", LineList)
        if not visible.has_focus:
            self.go_to("visible")
        elif visible.key is not None and self._pick(visible.key):
            visible.action_move(1)

    def action_none(self) -> None:
        """Answer that none of the rows is right."""
        if self.player.pick_none():
            self.panes.show_answer()

    def _pick(self, raw: int) -> bool:
        is_picked = self.player.pick(raw)
        if is_picked:
            self.panes.show_answer()
        return is_picked

    @on(LineList.Opened, "#lesson-visible")
    @on(LineList.Picked, "#lesson-visible")
    def _clicked(self, event: LineList.Opened | LineList.Picked) -> None:
        self._pick(event.key)

    @on(StoryPane.Chosen)
    def _chosen(self, event: StoryPane.Chosen) -> None:
        if self.player.choose(event.answer):
            self.panes.show_answer()

    def action_digit(self, digit: int) -> None:
        """Type a digit of a number, or choose an answer."""
        if self.player.type(digit) or (digit and self.player.choose(digit - 1)):
            self.panes.show_answer()

    def action_hint(self) -> None:
        """Show the hint."""
        if self.player.hint():
            self.panes.show_answer()

    # Looking

    def action_pane(self, by: int) -> None:
        """Go to another pane; a small screen shows it instead of the one before."""
        shown = [name for name in PANES if name != "naive" or self.shown.has_naive]
        focused = self.focused
        here = "" if focused is None or focused.id is None else focused.id.removeprefix("lesson-")
        at = shown.index(here) if here in shown else 0
        self.go_to(shown[(at + by) % len(shown)])

    def go_to(self, name: str) -> None:
        """Go to a pane by its name."""
        if name != "story":
            for one in PANES:
                self.set_class(one == name, f"-at-{one}")
        self.query_one(f"#lesson-{name}", Widget).focus()

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
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
        """Switch between English and Chinese, and remember it."""
        self.language = "en" if self.language == "zh" else "zh"
        save_language(self.language)
        self.show_step()
