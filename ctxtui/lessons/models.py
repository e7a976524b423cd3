"""Answers of a learner, and what is right about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.engine.state import State
from ctxtui.core.errors import format_value
from ctxtui.core.lessons import Lesson, LessonStage, LessonStep, run_lesson
from ctxtui.core.lessons.lesson import LookAt, Prediction
from ctxtui.core.scripts.steps import ScriptStep
from ctxtui.inspector.models.look import Frame

Row = Literal["right", "missed", "not sent", "left"]
"""A row after the reveal: picked and sent, sent only, picked only, or neither."""
Part = Literal["rows", "number", "answer"]
"""What a question can ask for."""
MOST_DIGITS = 9


class Given(NamedTuple):
    """What a learner has answered so far: rows picked, a number, one of the answers.

    ``is_none`` says that no row is right, which is an answer; no row picked yet is none.
    """

    rows: frozenset[int] = frozenset()
    number: int | None = None
    answer: int | None = None
    is_none: bool = False

    def picking(self, raw: int) -> Given:
        """Return this with a row picked, or put back where it was."""
        return self._replace(rows=self.rows ^ {raw}, is_none=False)

    def picking_none(self) -> Given:
        """Return this with the answer that no row is right, or without it where it was given."""
        return self._replace(rows=frozenset(), is_none=not self.is_none)

    def typing(self, digit: int) -> Given:
        """Return this with one more digit of the number."""
        number = (self.number or 0) * 10 + digit
        return self if number >= 10**MOST_DIGITS else self._replace(number=number)

    def rubbing_out(self) -> Given:
        """Return this without the last digit of the number."""
        return self._replace(number=(self.number or 0) // 10 or None)

    def missing(self, asked: Prediction) -> list[Part]:
        """Return what is asked for and not answered yet, in the order it is asked for."""
        is_missing: dict[Part, bool] = {
            "rows": asked.rows is not None and not self.rows and not self.is_none,
            "number": asked.number is not None and self.number is None,
            "answer": bool(asked.answers) and self.answer is None,
        }
        return [part for part, missing in is_missing.items() if missing]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data."""
        return {
            "rows": sorted(self.rows),
            "number": self.number,
            "answer": self.answer,
            "none": self.is_none,
        }


def read_given(data: object) -> Given:
    """Return an answer from JSON data; whatever is no answer is none."""
    if not isinstance(data, Mapping):
        return Given()
    rows, number, answer = (data.get(name) for name in ("rows", "number", "answer"))
    picked = [raw for raw in rows if _is_count(raw)] if isinstance(rows, list) else ()
    return Given(
        frozenset(picked),
        number if _is_count(number) else None,
        answer if _is_count(answer) else None,
        data.get("none") is True and not picked,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS


class Verdict(NamedTuple):
    """How right an answer is, each part on its own; None where nothing was asked."""

    rows: bool | None = None
    number: bool | None = None
    answer: bool | None = None

    @property
    def asked(self) -> int:
        """Return how many things were asked."""
        return sum(part is not None for part in self)

    @property
    def right(self) -> int:
        """Return how many of them are right."""
        return sum(part is True for part in self)

    @property
    def is_right(self) -> bool:
        """Tell whether all of them are."""
        return self.right == self.asked


def judge(asked: Prediction, given: Given) -> Verdict:
    """Return how right an answer is."""
    number = asked.number
    return Verdict(
        None if asked.rows is None else given.rows == set(asked.rows),
        None
        if number is None
        else given.number is not None and abs(given.number - number.answer) <= number.within,
        None if asked.right is None else given.answer == asked.right,
    )


def judge_row(asked: Prediction, given: Given, raw: int) -> Row:
    """Return what a row is after the reveal."""
    is_sent = raw in (asked.rows or ())
    if raw in given.rows:
        return "right" if is_sent else "not sent"
    return "missed" if is_sent else "left"


# What a step does, in the words of its operations.


class Doing(NamedTuple):
    """An operation of a step: its name, and what it is given."""

    name: str
    argument: str


def doing(steps: tuple[ScriptStep, ...]) -> list[Doing]:
    """Return the operations of a step in order, those of a transaction one by one."""
    found = []
    for step in steps:
        if step.policy is not None:
            found.append(Doing("POLICY", step.policy.name if step.policy.is_named else ""))
        else:
            asks = step.ask if isinstance(step.ask, list) else [step.ask]
            found += [_told(one) for one in asks]
    return found


def _told(ask: Any) -> Doing:
    """Return an operation in the words it is written in, shortened as everywhere."""
    named = ask.get("operation") if isinstance(ask, Mapping) else None
    if not isinstance(named, str):
        return Doing("?", "")
    try:
        name, _, argument = read_operation(ask).sentence().partition(" ")
    except Refused:
        return Doing(named, _own_words(ask, named))  # What must be refused.
    return Doing(name, argument) if named.isupper() else Doing(named, _own_words(ask, named))


def _own_words(ask: Mapping[str, Any], named: str) -> str:
    """Return the fields of an operation as they are written; those in a nested object as well."""
    fields = {key: value for key, value in ask.items() if key != "operation"}
    inner = fields.pop(named, None)
    if isinstance(inner, Mapping):
        fields = {**inner, **fields}
    return ", ".join(f"{key} {_value(value)}" for key, value in fields.items())


def _value(value: Any) -> str:
    match value:
        case {"role": str(role)}:
            return role
        case list() if any(isinstance(one, Mapping) for one in value):
            return " ".join(map(_value, value))
        case list():
            return f"[{', '.join(map(str, value))}]"
        case Mapping():
            return " ".join(f"{key} {_value(one)}" for key, one in value.items())
        case bool() | None:
            return format_value(value)
        case _:
            return str(value)


# How far a learner has come with a lesson, as it is remembered.


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


# The player of a lesson: which step it stands at, what is covered, and what was answered.


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
    def stage(self) -> LessonStage:
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


# A step of a lesson as it is shown: the conversation so far, and what the step did to it.


class StepFrame(Frame):
    """A look at what a step left, with the differences to what it began with."""

    def __init__(self, conversation: Conversation, since: int, place: int) -> None:
        super().__init__(conversation, place, is_still=since == place)
        self._since = since

    @cached_property
    def was(self) -> State | None:
        """Return the state that the step began with."""
        return self.state if self.is_still else self.conversation.at_record(self._since).moment


class PickRow(NamedTuple):
    """A message that can be picked; ``verdict`` is None while the answer is covered."""

    raw: int
    message: Message
    tokens: int
    is_picked: bool
    is_new: bool
    verdict: Row | None
    position: int | None


class NaiveRow(NamedTuple):
    """A message as a simpler rule leaves it: kept by both, kept wrongly, or lost."""

    raw: int | None
    role: str | None
    text: str
    is_kept: bool
    is_shared: bool


class ShownStep:
    """What the screen of a lesson shows at one moment; made anew at every key that changes it.

    Its conversation ends where the step is: what comes later in the lesson is nowhere in it.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self.conversation = player.practice()
        stage = player.stage
        since = player.place if player.is_covered else stage.before
        self.frame = StepFrame(self.conversation, since, player.place)
        self.doing: list[Doing] = doing(player.step.do)

    @property
    def pending(self) -> list[Doing]:
        """Return what will be done once the answer is revealed."""
        return self.doing if self.player.is_covered else []

    @property
    def look(self) -> LookAt:
        """Return what the step points at; nothing while that could give its answer away."""
        return LookAt() if self.player.is_covered else self.player.step.look

    @property
    def has_rows(self) -> bool:
        """Tell whether rows are picked in this step."""
        return self.player.question is not None and self.player.question.rows is not None

    @property
    def has_naive(self) -> bool:
        """Tell whether the outcome of a simpler rule is to be shown beside the engine's."""
        return self.player.step.naive is not None and not self.player.is_covered

    @property
    def first_moved(self) -> int | None:
        """Return the first message that the step has sent, hidden or added, if any."""
        change = self.frame.change
        if change is None or self.frame.is_still:
            return None
        moved = (change.added, change.shown, change.hidden, change.moved)
        return min((view[0] for view in moved if len(view)), default=None)

    def pick_rows(self) -> list[PickRow]:
        """Return the rows to pick from; none where the step asks for no rows."""
        player, asked = self.player, self.player.question
        if asked is None or not self.has_rows:
            return []
        whole = player.run.conversation
        log, counter = whole.log, self.frame.counter
        old = len(whole.at_record(player.stage.before).log)
        return [
            PickRow(
                raw,
                log[raw],
                log.tokens(raw, counter),
                raw in player.given.rows,
                raw >= old,
                None if player.is_covered else judge_row(asked, player.given, raw),
                self.frame.view.position(raw) if raw < self.frame.log_size else None,
            )
            for raw in player.candidates
        ]

    def naive_rows(self) -> list[NaiveRow]:
        """Return what a simpler rule leaves, and then what it has lost."""
        naive = self.player.step.naive
        if naive is None or naive.error is not None:
            return []
        log, view = self.frame.state.log, self.frame.view
        if naive.texts is not None:
            texts = [log[raw].text for raw in view]
            kept = [NaiveRow(None, None, one, True, one in texts) for one in naive.texts]
            lost = [raw for raw in view if log[raw].text not in naive.texts]
        else:
            rows = naive.visible or ()
            kept = [NaiveRow(raw, log[raw].role, "", True, raw in view) for raw in rows]
            lost = [raw for raw in view if raw not in rows]
        return [*kept, *(NaiveRow(raw, log[raw].role, "", False, False) for raw in lost)]
