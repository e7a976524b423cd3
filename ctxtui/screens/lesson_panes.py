"""What the panes of a lesson show: the story, both lists, the timeline and the index arrays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ctxtui.lists.lesson import (
    LessonBatches,
    LessonRaw,
    LessonTimeline,
    LessonVisible,
    NaiveSource,
    PickSource,
)
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.models.lesson_step import ShownStep
from ctxtui.render.lesson import borders
from ctxtui.render.lesson.arrays import lesson_array_lines
from ctxtui.render.lesson.head import KEPT, NOT_KEPT, lesson_head, lessons_bar
from ctxtui.render.lesson.story import StoryTeller
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.story_pane import StoryPane
from ctxtui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from ctxtui.screens.lesson import LessonScreen

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
        raw.frame(screen.say("Raw"), borders.raw_about(frame, language))
        errors = ErrorCounts(self.shown.conversation)
        errors.prepare(self.shown.conversation.revisions)
        batches = LessonBatches(frame, errors, language)
        timeline = screen.query_one("#lesson-timeline", LineList)
        timeline.show(LessonTimeline(batches, self.shown.pending))
        timeline.go_to(frame.batch.id)
        timeline.frame(screen.say("Timeline"), borders.timeline_about(self.shown, language))
        self._show_arrays()
        if self.shown.has_naive:
            naive = screen.query_one("#lesson-naive", LineList)
            naive.empty = screen.say("Nothing is sent.")
            naive.show(NaiveSource(self.shown, language))
            naive.frame(screen.say("A simpler rule"), borders.naive_about(self.shown))
        self.show_answer(top=True)
        self._point()

    def _show_arrays(self) -> None:
        screen, frame, player = self._screen, self.shown.frame, self._screen.player
        arrays = screen.query_one("#lesson-arrays", TextPane)
        about = borders.arrays_about(screen.language, is_covered=player.is_covered)
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
            foot = partial(borders.pick_foot, source.rows, language)
            is_none = shown.player.given.is_none
            about = borders.pick_about(source.rows, language, is_none=is_none)
            visible.frame(borders.pick_title(shown, language), about, foot)
        else:
            visible.show(LessonVisible(shown.frame, language))
            about = borders.visible_about(shown.frame, language)
            visible.frame(borders.visible_title(shown, language), about)
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
