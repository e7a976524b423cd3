"""A lesson being played: the story at the left, the conversation it happens to at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget

from ctxtui.clipboard import save_picture
from ctxtui.commands import LESSON, LISTS, Facts
from ctxtui.files.lessons import LessonFile, load_learnt, save_language, save_progress
from ctxtui.lessons.player import Player
from ctxtui.lessons.screen_words import say
from ctxtui.messages import LeaveLesson, OpenLesson, OpenPractice
from ctxtui.models.lesson_step import ShownStep
from ctxtui.models.told import note
from ctxtui.palette import LessonProvider
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.lesson_panes import PANES, LessonPanes
from ctxtui.screens.lessons import OTHER
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.story_pane import StoryPane
from ctxtui.widgets.text_pane import TextPane

COUNTS = {2: "two", 3: "three", 4: "four"}
"""What the line of keys calls so many answers."""


class LessonScreen(Scene, Screen[None]):
    """Plays a lesson: tells, asks, reveals, and shows what each step does in every pane."""

    AUTO_FOCUS = "#lesson-visible"
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LESSON]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {LessonProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
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
        yield KeyLine(self.say)

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
            tell(self, note(self.say("There is no next lesson")))
        elif self.player.is_last:
            self.post_message(OpenLesson(self._following))
        else:
            tell(self, note(self.say("The lesson is not at its end")))

    def action_back(self) -> None:
        """Rub out a digit, else go back to what was shown before."""
        if self.player.rub_out():
            self.panes.show_answer()
        elif self.player.back():
            self.show_step()
        else:
            tell(self, note(self.say("This is the first step")))

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

    def key_facts(self) -> Facts:
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

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*LESSON, *LISTS), keys_here(self)))
