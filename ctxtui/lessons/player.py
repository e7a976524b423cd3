"""The player of a lesson: which step it stands at, what is covered, and what was answered.

A lesson is run once, to its end, on one conversation: its journal is what every step shows. So a
step back shows exactly what was there, and a question covers only what is drawn.
"""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.core.lessons import Lesson, LessonStep, Stage, run_lesson
from ctxtui.core.lessons.lesson import Prediction
from ctxtui.lessons.answers import Given, Part, Verdict, judge
from ctxtui.lessons.progress import Progress


class Player:
    """A lesson being played; the screen asks it and tells it, and draws what it says."""

    def __init__(self, lesson: Lesson, progress: Progress | None = None) -> None:
        progress = progress or Progress()
        self.lesson = lesson
        self.run = run_lesson(lesson)
        self.at = progress.place_in(lesson)
        self.is_revealed = progress.is_revealed and self.question is not None
        self.is_seen = progress.is_seen or self.is_last
        self.answers: dict[str, Given] = dict(progress.answers)
        self.given = self.answers.get(self.step.id, Given())
        self.is_hinted = self.is_asked = False

    # Where it stands

    @property
    def step(self) -> LessonStep:
        """Return the step that is shown."""
        return self.lesson.steps[self.at]

    @property
    def stage(self) -> Stage:
        """Return what the step did."""
        return self.run.stages[self.at]

    @property
    def question(self) -> Prediction | None:
        """Return what the step asks, if anything."""
        return self.step.predict

    @property
    def is_covered(self) -> bool:
        """Tell whether the outcome of the step must not be seen yet."""
        return self.question is not None and not self.is_revealed

    @property
    def place(self) -> int:
        """Return the record of the journal that is shown."""
        return self.stage.before if self.is_covered else self.stage.after

    @property
    def is_last(self) -> bool:
        """Tell whether nothing comes after what is shown."""
        return self.at == len(self.lesson.steps) - 1 and not self.is_covered

    @property
    def verdict(self) -> Verdict | None:
        """Return how right the answer was; None where there is none, or all is covered."""
        asked = self.question
        if asked is None or self.is_covered or self.given.missing(asked):
            return None
        return judge(asked, self.given)

    @property
    def score(self) -> tuple[int, int]:
        """Return how many questions were answered rightly so far, and how many were answered."""
        return self.progress.score(self.lesson)

    @property
    def is_done(self) -> bool:
        """Tell whether the lesson was seen to its end, and every question answered."""
        return self.progress.is_done(self.lesson)

    def is_open(self, at: int) -> bool:
        """Tell whether a step's question is still to be answered, once the end was seen."""
        return self.is_seen and self.progress.is_open(self.lesson.steps[at])

    @property
    def progress(self) -> Progress:
        """Return what there is to remember."""
        return Progress(self.step.id, self.is_revealed, self.is_seen, dict(self.answers))

    @property
    def missing(self) -> list[Part]:
        """Return what has to be answered before the outcome is shown."""
        asked = self.question
        return [] if asked is None or not self.is_covered else self.given.missing(asked)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return the raw indices that can be picked: those named, or the whole log of the step."""
        asked = self.question
        if asked is None or asked.rows is None:
            return ()
        if asked.among is not None:
            return asked.among
        return tuple(range(len(self.run.conversation.at_record(self.stage.after).log)))

    # Moving

    def ask(self) -> bool:
        """Ask for what is missing of an answer; False where nothing is."""
        self.is_asked = bool(self.missing)
        return self.is_asked

    def next(self) -> bool:
        """Reveal the answer, or go to the next step; False at the end.

        A question that was not wholly answered is given up: it stays open.
        """
        if self.is_covered:
            if not self.missing:
                self.answers[self.step.id] = self.given
            self.is_revealed = True
        elif self.at == len(self.lesson.steps) - 1:
            return False
        else:
            self._go(self.at + 1, is_revealed=False)
        self.is_seen = self.is_seen or self.is_last
        return True

    def back(self) -> bool:
        """Cover the answer again, or go to the step before as it was left; False at the start."""
        if self.question is not None and self.is_revealed:
            self.is_revealed = self.is_hinted = self.is_asked = False
            return True
        if self.at == 0:
            return False
        self._go(self.at - 1, is_revealed=True)
        return True

    def restart(self) -> None:
        """Begin anew; what was answered is forgotten."""
        self.answers.clear()
        self._go(0, is_revealed=False)
        self.is_seen = self.is_last

    def _go(self, at: int, *, is_revealed: bool) -> None:
        self.at = at
        self.given = self.answers.get(self.step.id, Given())
        self.is_revealed = is_revealed and self.question is not None
        self.is_hinted = self.is_asked = False

    # Answering

    def pick(self, raw: int) -> bool:
        """Pick a row, or put it back; False where that can't be done now."""
        if not self.is_covered or raw not in self.candidates:
            return False
        return self._take(self.given.picking(raw))

    def pick_none(self) -> bool:
        """Answer that no row is right, or take that back; False where no rows are asked for."""
        if not self.is_covered or self.question is None or self.question.rows is None:
            return False
        return self._take(self.given.picking_none())

    def choose(self, answer: int) -> bool:
        """Choose one of the answers; False where there is no such answer."""
        if not self.is_covered or not self.question or answer >= len(self.question.answers):
            return False
        return self._take(self.given._replace(answer=answer))

    def type(self, digit: int) -> bool:
        """Type a digit of the number that is asked for; False where none is."""
        if not self._asks_number:
            return False
        return self._take(self.given.typing(digit))

    def rub_out(self) -> bool:
        """Take the last digit back; False where there is none."""
        if not self._asks_number or self.given.number is None:
            return False
        return self._take(self.given.rubbing_out())

    def _take(self, given: Given) -> bool:
        """Take an answer, or a part of one: then nothing is asked for until it is needed again."""
        self.given, self.is_asked = given, False
        return True

    @property
    def _asks_number(self) -> bool:
        asked = self.question
        return self.is_covered and asked is not None and asked.number is not None

    def hint(self) -> bool:
        """Show the hint; False where there is none, or no question."""
        if not self.is_covered or self.question is None or self.question.hint is None:
            return False
        self.is_hinted = True
        return True

    def practice(self) -> Conversation:
        """Return a conversation of one's own as it stands in what is shown, with its history."""
        return Conversation.replay(self.run.conversation.journal[: self.place + 1])
