"""A lesson being played: the story at the left, the conversation it happens to at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
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
from ctxtui.lessons import words
from ctxtui.lessons.player import Player
from ctxtui.lists.lesson import LessonTimeline, NaiveSource, PickSource
from ctxtui.lists.raw import RawSource
from ctxtui.lists.timeline import TimelineSource
from ctxtui.lists.visible import VisibleSource
from ctxtui.messages import LeaveLesson, OpenLesson, OpenPractice
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.models.lesson_step import ShownStep
from ctxtui.models.told import note, warned
from ctxtui.palette import LessonProvider
from ctxtui.render.lesson import borders
from ctxtui.render.lesson.arrays import lesson_array_lines
from ctxtui.render.lesson.head import lesson_head, lessons_bar
from ctxtui.render.lesson.story import StoryTeller
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.lessons import OTHER
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.story_pane import StoryPane
from ctxtui.widgets.text_pane import TextPane

PANES = ("visible", "naive", "story", "raw", "timeline", "arrays")
"""The panes in the order in which tab goes through them."""
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
        self._place = names.index(found.name) + 1 if found.name in names else 0
        self._count = len(among)
        rest = among[self._place :] if self._place else ()
        self._following = rest[0] if rest else None
        self.player = Player(found.lesson, load_learnt().of(found.name))
        self.shown = ShownStep(self.player)
        self._has_warned = False

    def compose(self) -> ComposeResult:
        """Lay out the story and the panes."""
        yield LineBox(id="lesson-bar")
        yield LineBox(id="lesson-head")
        with Horizontal(id="lesson"):
            yield StoryPane(id="lesson-story")
            with Vertical(id="stage"):
                yield LineList(id="lesson-raw", is_quiet=True)
                with Horizontal(id="outcomes"):
                    yield LineList(id="lesson-visible", empty="Nothing is sent.", is_quiet=True)
                    yield LineList(id="lesson-naive", empty="Nothing is sent.", is_quiet=True)
                with Horizontal(id="below"):
                    yield LineList(id="lesson-timeline", is_quiet=True)
                    yield TextPane(id="lesson-arrays")
        yield KeyLine()

    def on_mount(self) -> None:
        """Show where the lesson was left."""
        self.query_one("#lesson-bar", LineBox).show(lessons_bar)
        self.add_class("-at-visible")
        self._show_step()

    def on_resize(self) -> None:
        """Tell the story for the room there is now."""
        self._tell_story(top=False)

    # Showing

    def _show_step(self) -> None:
        """Show another step, or its outcome; what was picked begins at the first row."""
        self.shown = ShownStep(self.player)
        self._keep()
        self.set_class(self.shown.has_naive, "-naive")
        frame = self.shown.frame
        raw = self.query_one("#lesson-raw", LineList)
        raw.show(RawSource(frame))
        raw.frame("Raw", borders.raw_about(frame))
        errors = ErrorCounts(self.shown.conversation)
        errors.prepare(self.shown.conversation.revisions)
        batches = TimelineSource(frame, errors)
        timeline = self.query_one("#lesson-timeline", LineList)
        timeline.show(LessonTimeline(batches, self.shown.pending))
        timeline.go_to(frame.batch.id)
        timeline.frame("Timeline", borders.timeline_about(self.shown))
        self._show_arrays()
        if self.shown.has_naive:
            naive = self.query_one("#lesson-naive", LineList)
            naive.show(NaiveSource(self.shown, self.language))
            naive.frame("A simpler rule", borders.naive_about(self.shown))
        self._show_answer(top=True)
        self._point()

    def _show_arrays(self) -> None:
        frame, player = self.shown.frame, self.player
        arrays = self.query_one("#lesson-arrays", TextPane)
        arrays.frame("Index arrays", borders.arrays_about(is_covered=player.is_covered))
        arrays.show(
            lambda width: lesson_array_lines(
                frame,
                IndexArrays(frame),
                self.shown.look.arrays,
                width,
                is_covered=player.is_covered,
            )
        )

    def _show_answer(self, *, top: bool = False) -> None:
        """Show what was picked, typed or chosen by now."""
        shown = self.shown
        visible = self.query_one("#lesson-visible", LineList)
        if shown.has_rows:
            source = PickSource(shown)
            visible.show(source)
            foot = partial(borders.pick_foot, source.rows)
            visible.frame(borders.pick_title(shown), borders.pick_about(source.rows), foot)
        else:
            visible.show(VisibleSource(shown.frame))
            visible.frame(borders.visible_title(shown), borders.visible_about(shown.frame))
        if top:
            visible.action_edge(0)
        head = partial(lesson_head, self.player, (self._place, self._count), self.language)
        self.query_one("#lesson-head", LineBox).show(head)
        self._tell_story(top=top)
        self.refresh_bindings()

    def _tell_story(self, *, top: bool) -> None:
        teller = StoryTeller(
            self.player, self.shown.doing, self.language, has_next=self._following is not None
        )
        story = self.query_one("#lesson-story", StoryPane)
        story.frame("The story", [])
        story.tell(partial(teller.tell, is_brief=self._is_small), top=top)

    @property
    def _is_small(self) -> bool:
        """Tell whether there is room for only one pane beside the story."""
        return self.has_class("-narrow") or self.has_class("-low")

    def _point(self) -> None:
        """Bring in sight what the step points at, or else what it has moved."""
        look, moved = self.shown.look, self.shown.first_moved
        for name in PANES:
            self.query_one(f"#lesson-{name}").set_class(name == look.pane, "-looked-at")
        for name in ("raw", "visible"):
            self.query_one(f"#lesson-{name}", LineList).selected = set(look.raw)
        if self._is_small or (self.has_class("-at-naive") and not self.shown.has_naive):
            self._go_to(look.pane or "visible")
        raw = look.raw[0] if look.raw else moved
        if raw is not None:
            self.query_one("#lesson-raw", LineList).go_to(raw)
            if not self.shown.has_rows:
                self.query_one("#lesson-visible", LineList).go_to(raw)

    def _keep(self) -> None:
        """Remember how far the lesson was taken; if that can't be done, say so once."""
        is_kept = save_progress(self.found.name, self.player.progress)
        if not is_kept and not self._has_warned:
            self._has_warned = True
            tell(self, warned("Progress can't be kept", "The lesson can be played all the same."))

    # Moving

    def action_next(self) -> None:
        """Reveal the answer, or take the next step; after the last one, the next lesson."""
        if self.player.ask():
            self._ask()
        elif self.player.next():
            self._show_step()
        elif self._following is not None:
            self.post_message(OpenLesson(self._following))
        else:
            self.action_leave()

    def _ask(self) -> None:
        """Ask for the answer that is missing, once; whoever has none may see it all the same."""
        asked, said = self.player.question, self.language
        if asked is not None:
            to_do = words.told_to_do(asked).to(said).rstrip(".:。：")
            comma = "；" if said == "zh" else "; "
            tell(self, note(words.FIRST.to(said), f"{to_do}{comma}{words.AGAIN.to(said)}"))

    def action_back(self) -> None:
        """Rub out a digit, else go back to what was shown before."""
        if self.player.rub_out():
            self._show_answer()
        elif self.player.back():
            self._show_step()
        else:
            tell(self, note("This is the first step"))

    def action_restart(self) -> None:
        """Begin the lesson anew."""
        self.player.restart()
        self._show_step()

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
            self._go_to("visible")
        elif visible.key is not None and self._pick(visible.key):
            visible.action_move(1)

    def _pick(self, raw: int) -> bool:
        is_picked = self.player.pick(raw)
        if is_picked:
            self._show_answer()
        return is_picked

    @on(LineList.Opened, "#lesson-visible")
    @on(LineList.Picked, "#lesson-visible")
    def _clicked(self, event: LineList.Opened | LineList.Picked) -> None:
        self._pick(event.key)

    @on(StoryPane.Chosen)
    def _chosen(self, event: StoryPane.Chosen) -> None:
        if self.player.choose(event.answer):
            self._show_answer()

    def action_digit(self, digit: int) -> None:
        """Type a digit of a number, or choose an answer."""
        if self.player.type(digit) or (digit and self.player.choose(digit - 1)):
            self._show_answer()

    def action_hint(self) -> None:
        """Show the hint."""
        if self.player.hint():
            self._show_answer()

    # Looking

    def action_pane(self, by: int) -> None:
        """Go to another pane; a small screen shows it instead of the one before."""
        shown = [name for name in PANES if name != "naive" or self.shown.has_naive]
        focused = self.focused
        here = "" if focused is None or focused.id is None else focused.id.removeprefix("lesson-")
        at = shown.index(here) if here in shown else 0
        self._go_to(shown[(at + by) % len(shown)])

    def _go_to(self, name: str) -> None:
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
            "last": player.is_last,
            "another": self._following is not None,
            "other": OTHER[self.language],
            **({answers: True} if answers else {}),
        }

    def action_language(self) -> None:
        """Switch between English and Chinese, and remember it."""
        self.language = "en" if self.language == "zh" else "zh"
        save_language(self.language)
        self._show_step()

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*LESSON, *LISTS), keys_here(self)))
