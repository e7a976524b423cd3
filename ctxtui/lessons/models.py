"""A lesson being played: the learner's answers and progress, and the step that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.engine.state import State
from ctxtui.core.errors import format_value
from ctxtui.core.lessons import Lesson, LessonStage, LessonStep, LookAt, Prediction, run_lesson
from ctxtui.core.scripts import ScriptStep
from ctxtui.inspector.models.look import Frame

RowVerdict = Literal["right", "missed", "not sent", "left"]
"""A row after the reveal: picked and right, right only, picked only, or neither."""
QuestionPart = Literal["rows", "number", "answer"]
"""The parts of an answer that a question can ask for."""
MOST_DIGITS = 9


class GivenAnswer(NamedTuple):
    """The answer of a learner so far: rows picked, a number, the index of a choice.

    ``is_none`` is the answer that no row is right, as opposed to no row picked yet.
    """

    rows: frozenset[int] = frozenset()
    number: int | None = None
    answer: int | None = None
    is_none: bool = False

    def missing(self, asked: Prediction) -> list[QuestionPart]:
        is_missing: dict[QuestionPart, bool] = {
            "rows": asked.rows is not None and not self.rows and not self.is_none,
            "number": asked.number is not None and self.number is None,
            "answer": bool(asked.answers) and self.answer is None,
        }
        return [part for part, missing in is_missing.items() if missing]

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": sorted(self.rows),
            "number": self.number,
            "answer": self.answer,
            "none": self.is_none,
        }


def read_answer(data: object) -> GivenAnswer:
    """Return an answer from JSON data; anything invalid is no answer."""
    if not isinstance(data, Mapping):
        return GivenAnswer()
    rows, number, answer = (data.get(name) for name in ("rows", "number", "answer"))
    picked = [raw for raw in rows if _is_count(raw)] if isinstance(rows, list) else ()
    return GivenAnswer(
        frozenset(picked),
        number if _is_count(number) else None,
        answer if _is_count(answer) else None,
        data.get("none") is True and not picked,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**MOST_DIGITS


class AnswerScore(NamedTuple):
    """Which parts of an answer are right; None for a part that was not asked."""

    rows: bool | None = None
    number: bool | None = None
    answer: bool | None = None

    @property
    def asked(self) -> int:
        return sum(part is not None for part in self)

    @property
    def right(self) -> int:
        return sum(part is True for part in self)

    @property
    def is_right(self) -> bool:
        return self.right == self.asked


def judge(asked: Prediction, given: GivenAnswer) -> AnswerScore:
    """Return which parts of an answer are right."""
    number = asked.number
    return AnswerScore(
        None if asked.rows is None else given.rows == set(asked.rows),
        None
        if number is None
        else given.number is not None and abs(given.number - number.answer) <= number.within,
        None if asked.right is None else given.answer == asked.right,
    )


def judge_row(asked: Prediction, given: GivenAnswer, raw: int) -> RowVerdict:
    """Return how a row was picked."""
    is_right = raw in (asked.rows or ())
    if raw in given.rows:
        return "right" if is_right else "not sent"
    return "missed" if is_right else "left"


class OperationWords(NamedTuple):
    """An operation of a step in words: its name and its arguments."""

    name: str
    argument: str


def operation_words(steps: tuple[ScriptStep, ...]) -> list[OperationWords]:
    """Return the operations of a step in order, those of a transaction one by one."""
    found = []
    for step in steps:
        if step.policy is not None:
            found.append(OperationWords("POLICY", step.policy.name if step.policy.is_named else ""))
        else:
            asks = step.ask if isinstance(step.ask, list) else [step.ask]
            found += [_words_of(one) for one in asks]
    return found


def _words_of(ask: Any) -> OperationWords:
    """Return an operation as the lesson writes it, shortened as in the app."""
    named = ask.get("operation") if isinstance(ask, Mapping) else None
    if not isinstance(named, str):
        return OperationWords("?", "")
    try:
        operation = read_operation(ask)
        name, argument = operation.title, operation.arguments_text()
    except Refused:
        name = argument = ""  # A lesson may show a refusal.
    if not name or not named.isupper():
        name, argument = named, _own_words(ask, named)
    return OperationWords(name, argument)


def _own_words(ask: Mapping[str, Any], named: str) -> str:
    """Return the fields of an operation as they are written, also those in a nested object."""
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


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """The step that is shown, whether its answer is revealed, and all answers so far.

    A lesson is *seen* once its last step was shown, and *done* when all questions are answered
    too. Steps are named by id, so that a lesson may be edited meanwhile.
    """

    step: str = ""
    is_revealed: bool = False
    is_seen: bool = False
    answers: Mapping[str, GivenAnswer] = field(default_factory=dict)

    @property
    def is_begun(self) -> bool:
        return bool(self.step)

    def place_in(self, lesson: Lesson) -> int:
        return next((i for i, one in enumerate(lesson.steps) if one.id == self.step), 0)

    def is_open(self, step: LessonStep) -> bool:
        asked = step.predict
        return asked is not None and bool(self.answers.get(step.id, GivenAnswer()).missing(asked))

    def answered(self, lesson: Lesson) -> tuple[int, int]:
        asking = [step for step in lesson.steps if step.predict is not None]
        return sum(not self.is_open(step) for step in asking), len(asking)

    def is_done(self, lesson: Lesson) -> bool:
        return self.is_seen and not any(map(self.is_open, lesson.steps))

    def score(self, lesson: Lesson) -> tuple[int, int]:
        """Return how many parts of questions were answered right, of how many answered."""
        verdicts = [
            judge(step.predict, self.answers[step.id])
            for step in lesson.steps
            if step.predict is not None and not self.is_open(step)
        ]
        return sum(one.right for one in verdicts), sum(one.asked for one in verdicts)

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "revealed": self.is_revealed,
            "seen": self.is_seen,
            "answers": {id: given.to_dict() for id, given in self.answers.items()},
        }


def read_progress(data: object) -> LessonProgress:
    """Return progress from JSON data; anything invalid is ignored."""
    if not isinstance(data, Mapping):
        return LessonProgress()
    step, answers = data.get("step"), data.get("answers")
    return LessonProgress(
        step if isinstance(step, str) else "",
        data.get("revealed") is True,
        data.get("seen", data.get("done")) is True,  # "done" is the older name.
        {str(id): read_answer(one) for id, one in answers.items()}
        if isinstance(answers, Mapping)
        else {},
    )


class Player:
    """A lesson being played, without a screen."""

    def __init__(self, lesson: Lesson, progress: LessonProgress | None = None) -> None:
        progress = progress or LessonProgress()
        self.lesson = lesson
        self.run = run_lesson(lesson)
        self.at = progress.place_in(lesson)
        self.is_revealed = progress.is_revealed and self.question is not None
        self.is_seen = progress.is_seen or self.is_last
        self.answers: dict[str, GivenAnswer] = dict(progress.answers)
        self.given = self.answers.get(self.step.id, GivenAnswer())
        self.is_hinted = self.is_asked = False

    @property
    def step(self) -> LessonStep:
        return self.lesson.steps[self.at]

    @property
    def stage(self) -> LessonStage:
        return self.run.stages[self.at]

    @property
    def question(self) -> Prediction | None:
        return self.step.predict

    @property
    def is_covered(self) -> bool:
        """Return whether the result of the step must stay hidden."""
        return self.question is not None and not self.is_revealed

    @property
    def place(self) -> int:
        """Return the index of the journal record that is shown."""
        return self.stage.before if self.is_covered else self.stage.after

    @property
    def is_last(self) -> bool:
        """Return whether the end of the lesson is shown."""
        return self.at == len(self.lesson.steps) - 1 and not self.is_covered

    @property
    def verdict(self) -> AnswerScore | None:
        asked = self.question
        if asked is None or self.is_covered or self.given.missing(asked):
            return None
        return judge(asked, self.given)

    @property
    def score(self) -> tuple[int, int]:
        return self.progress.score(self.lesson)

    @property
    def is_done(self) -> bool:
        return self.progress.is_done(self.lesson)

    def is_open(self, at: int) -> bool:
        return self.is_seen and self.progress.is_open(self.lesson.steps[at])

    @property
    def progress(self) -> LessonProgress:
        return LessonProgress(self.step.id, self.is_revealed, self.is_seen, dict(self.answers))

    @property
    def missing(self) -> list[QuestionPart]:
        asked = self.question
        return [] if asked is None or not self.is_covered else self.given.missing(asked)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return the raw indices that can be picked: those given, or the whole log of the step."""
        asked = self.question
        if asked is None or asked.rows is None:
            return ()
        if asked.among is not None:
            return asked.among
        return tuple(range(len(self.run.conversation.at_record(self.stage.after).log)))

    def ask(self) -> bool:
        """Ask for the missing parts of the answer; return whether there are any."""
        self.is_asked = bool(self.missing)
        return self.is_asked

    def next(self) -> bool:
        """Reveal the answer, or show the next step; return False at the end.

        A question without a complete answer stays open.
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
        if self.question is not None and self.is_revealed:
            self.is_revealed = self.is_hinted = self.is_asked = False
            return True
        if self.at == 0:
            return False
        self._go(self.at - 1, is_revealed=True)
        return True

    def restart(self) -> None:
        self.answers.clear()
        self._go(0, is_revealed=False)
        self.is_seen = self.is_last

    def _go(self, at: int, *, is_revealed: bool) -> None:
        self.at = at
        self.given = self.answers.get(self.step.id, GivenAnswer())
        self.is_revealed = is_revealed and self.question is not None
        self.is_hinted = self.is_asked = False

    def pick(self, raw: int) -> bool:
        if not self.is_covered or raw not in self.candidates:
            return False
        return self._set(rows=self.given.rows ^ {raw}, is_none=False)

    def pick_none(self) -> bool:
        """Toggle the answer that no row is right; return False if no rows are asked for."""
        if not self.is_covered or self.question is None or self.question.rows is None:
            return False
        return self._set(rows=frozenset(), is_none=not self.given.is_none)

    def choose(self, answer: int) -> bool:
        if not self.is_covered or not self.question or answer >= len(self.question.answers):
            return False
        return self._set(answer=answer)

    def type(self, digit: int) -> bool:
        if not self._asks_number:
            return False
        number = (self.given.number or 0) * 10 + digit
        return self._set(number=number if number < 10**MOST_DIGITS else self.given.number)

    def rub_out(self) -> bool:
        if not self._asks_number or self.given.number is None:
            return False
        return self._set(number=self.given.number // 10 or None)

    def _set(self, **news: Any) -> bool:
        self.given, self.is_asked = self.given._replace(**news), False
        return True

    @property
    def _asks_number(self) -> bool:
        asked = self.question
        return self.is_covered and asked is not None and asked.number is not None

    def hint(self) -> bool:
        if not self.is_covered or self.question is None or self.question.hint is None:
            return False
        self.is_hinted = True
        return True

    def practice(self) -> Conversation:
        """Return a copy of the conversation as it is shown, with its history."""
        return Conversation.replay(self.run.conversation.journal[: self.place + 1])


class StepFrame(Frame):
    """The state after a step, with its differences to the state before."""

    def __init__(self, conversation: Conversation, since: int, place: int) -> None:
        super().__init__(conversation, place, is_still=since == place)
        self._since = since

    @cached_property
    def was(self) -> State | None:
        return self.state if self.is_still else self.conversation.at_record(self._since).moment


class PickRow(NamedTuple):
    """A message that can be picked; ``verdict`` is None before the reveal."""

    raw: int
    message: Message
    tokens: int
    is_picked: bool
    is_new: bool
    verdict: RowVerdict | None
    position: int | None


class NaiveRow(NamedTuple):
    """A message in the result of the naive rule: kept by both, kept by it alone, or lost."""

    raw: int | None
    role: str | None
    text: str
    is_kept: bool
    is_shared: bool


class ShownStep:
    """What the lesson screen shows of a step; made again whenever that changes.

    Its conversation ends at the step, so that nothing of later steps is in it.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self.conversation = player.practice()
        stage = player.stage
        since = player.place if player.is_covered else stage.before
        self.frame = StepFrame(self.conversation, since, player.place)
        self.operations = operation_words(player.step.do)

    @property
    def pending(self) -> list[OperationWords]:
        """Return the operations that are applied at the reveal."""
        return self.operations if self.player.is_covered else []

    @property
    def look(self) -> LookAt:
        """Return what the step points at; nothing before the reveal, as it may show the answer."""
        return LookAt() if self.player.is_covered else self.player.step.look

    @property
    def has_rows(self) -> bool:
        return self.player.question is not None and self.player.question.rows is not None

    @property
    def has_naive(self) -> bool:
        """Return whether the result of the naive rule is shown next to the engine's."""
        return self.player.step.naive is not None and not self.player.is_covered

    @property
    def first_moved(self) -> int | None:
        """Return the first message that the step added, hid, showed or moved, if any."""
        change = self.frame.change
        if change is None or self.frame.is_still:
            return None
        moved = (change.added, change.shown, change.hidden, change.moved)
        return min((view[0] for view in moved if len(view)), default=None)

    def pick_rows(self) -> list[PickRow]:
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
        """Return the messages that the naive rule keeps, then those that it loses."""
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
