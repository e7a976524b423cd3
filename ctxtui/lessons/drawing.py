"""The index arrays in a lesson: before and after a step, covered until the answer is revealed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.core import Batch
from ctxtui.core.lessons import SERIES, Lesson
from ctxtui.core.lessons.lesson import Prediction
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.lists import RawSource, VisibleSource
from ctxtui.inspector.drawing.timeline import TimelineSource
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Frame, Look
from ctxtui.lessons.files import Learnt, LessonFile
from ctxtui.lessons.models import Doing, NaiveRow, PickRow, Player, Progress, ShownStep, judge
from ctxtui.lessons.words import (
    HEADS,
    HINT,
    LEAVE,
    NEXT,
    NEXT_LESSON,
    PARTLY,
    PREDICT,
    REFUSED,
    REVEAL,
    RIGHT,
    SIMPLER,
    SO_FAR,
    STILL_OPEN,
    THE_END,
    UNANSWERED,
    YOURS,
    answered_words,
    first_words,
    place_words,
    progress_words,
    say,
    score_words,
    step_words,
    told_to_do,
)
from ctxtui.lessons.words import WRONG as WORDS_WRONG
from ctxtui.text.icons import BOXES, ERROR, PASSED, WARNING, worst_of
from ctxtui.text.line_source import Block, LineSource, NumberedSource
from ctxtui.text.lines import (
    EDGE,
    Line,
    Piece,
    digits,
    filled_row,
    fit,
    fit_pieces,
    line_width,
    longest,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS, preview, tool_names
from ctxtui.text.numbers import shown_indices, tokens
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

COVER = "▒" * 6
"""What stands over an answer: always as long, so that it does not give the answer away."""
NAME_CELLS, LEAST_NAME_CELLS = 17, 13
EMPTY = "–"


def lesson_array_lines(
    frame: Frame, arrays: IndexArrays, looked_at: Collection[str], width: int, *, is_covered: bool
) -> list[Line]:
    """Return a line for each array: what it was, and what it is unless that is covered."""
    was = frame.was or frame.state
    before = (was.path, was.batch.number)
    now = (frame.state.path, frame.batch.number)
    rows = [("originalIndices", "muted", arrays.before.indices, arrays.now.indices)]
    rows += [
        (role, role, arrays.roles_before[role].indices, arrays.roles_now[role].indices)
        for role in ROLES
    ]
    shown = [
        (name, kind, _indices(old), _indices(new), "  " * (name in ROLES))
        for name, kind, old, new in rows
    ]
    edges = [" ".join(str(batch.boundary) for batch in path) for path, _ in (before, now)]
    shown.append(("batchBoundaries", "muted", edges[0], edges[1], ""))
    shown.append(("currentBatch", "muted", str(before[1]), str(now[1]), ""))
    return [
        _row(row, width, is_covered=is_covered, is_still=frame.is_still, is_lit=row[0] in looked_at)
        for row in shown
    ]


def _indices(indices: list[int]) -> str:
    return shown_indices(indices).replace(",", "") or EMPTY


Row = tuple[str, str, str, str, str]
"""Name, ink, before, now, indent."""


def _row(row: Row, width: int, *, is_covered: bool, is_still: bool, is_lit: bool) -> Line:
    name, kind, before, now, indent = row
    name_cells = max(LEAST_NAME_CELLS, min(NAME_CELLS, width // 2))
    line = [Piece(f"{fit(indent + name, name_cells - 1)} ", kind)]
    room = max(4, width - name_cells)
    if is_still and not is_covered:
        line.append(Piece(now, "text"))
    else:
        half = max(2, min(room // 2 - 2, max(len(before), 6)))
        after = (
            Piece(COVER, "faint") if is_covered else Piece(now, "ok" if now != before else "text")
        )
        line += [Piece(fit(before, half), "text"), Piece(" → ", "muted"), after]
    return filled_row(line, "select", width) if is_lit else fit_pieces(line, width)


# What the borders of a lesson's panes say: what each shows, and what was picked.

BORDERS_MOST_TITLE = 50


def raw_about(frame: Frame, language: str) -> Line:
    """Return how many messages were ever added."""
    said = say("everything ever added", language)
    return [Piece(f"{said} ", "muted"), Piece(f"{frame.log_size:,} ", "bright")]


def visible_title(shown: ShownStep, language: str) -> str:
    """Return when what is sent is sent: before what comes is done, or after it."""
    if not shown.doing:
        return say("Visible", language)
    when = "Visible before {operation}" if shown.pending else "Visible after {operation}"
    return say(when, language, operation=_operation(shown))


def visible_about(frame: Frame, language: str) -> Line:
    """Return how many messages are sent, and how many were before."""
    now = Piece(f"{len(frame.view):,} ", "bright")
    if frame.is_still or frame.before is None:
        return [Piece(f"{say('what the model is sent', language)} ", "muted"), now]
    return [Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def pick_title(shown: ShownStep, language: str) -> str:
    """Return what the rows are picked for."""
    asked = shown.player.question
    if asked is not None and asked.query is not None:
        return say("Which rows", language)
    if not shown.doing:
        return say("Visible", language)
    return say("Visible after {operation}", language, operation=_operation(shown))


def _operation(shown: ShownStep) -> str:
    last = shown.doing[-1]
    return printable(f"{last.name} {last.argument}".strip(), BORDERS_MOST_TITLE)


def pick_about(rows: Sequence[PickRow], language: str, *, is_none: bool) -> Line:
    """Return how much was picked, or how much of it was right."""
    if rows and rows[0].verdict is not None:
        counts = Counter(row.verdict for row in rows)
        extra, missed, right = (counts[one] for one in ("not sent", "missed", "right"))
        said = say("{count} not sent", language, count=extra)
        told = [Piece(f"{said}  ", "warn" if extra else "muted")]
        said = say("{count} missed", language, count=missed)
        told.append(Piece(f"{said}  ", "error" if missed else "muted"))
        return [*told, Piece(f"{say('{count} right', language, count=right)} ", "text")]
    picked = sum(row.is_picked for row in rows)
    said = "none of them" if is_none else "{count} picked"
    yours = Piece(say("your prediction: ", language), "muted")
    return [yours, Piece(f"{say(said, language, count=picked)} ", "bright")]


def pick_foot(rows: Sequence[PickRow], language: str) -> Line:
    """Return what was picked, or what the signs mean."""
    if rows and rows[0].verdict is not None:
        return [
            Piece(f"{PASSED.text(say('right', language))}  ", "text"),
            Piece(f"✗ {say('missed', language)}  ", "error"),
            Piece(f"+ {say('not sent', language)}", "warn"),
        ]
    picked = [row for row in rows if row.is_picked]
    said = say(
        "picked {messages}, {tokens} tokens",
        language,
        messages=plural(len(picked), "message"),
        count=len(picked),
        tokens=f"{sum(row.tokens for row in picked):,}",
    )
    return [Piece(said, "muted")]


def naive_about(shown: ShownStep) -> Line:
    """Return how many messages a simpler rule would send."""
    rows = shown.naive_rows()
    kept = sum(row.is_kept for row in rows)
    return [Piece(f"{kept:,} ", "bright")] if rows else []


def timeline_about(shown: ShownStep, language: str) -> Line:
    """Return how many batches there are, and what is still to come."""
    if shown.pending:
        return [Piece(f"{say('not applied yet', language)} ", "muted")]
    count = len(shown.conversation.batches)
    said = say("{batches}", language, batches=plural(count, "batch", "batches"), count=count)
    return [Piece(f"{said} ", "muted")]


def arrays_about(language: str, *, is_covered: bool) -> Line:
    """Return whether the arrays are as they are, or covered."""
    return [Piece(f"{say('covered' if is_covered else 'live', language)} ", "muted")]


# The two lines above a lesson: where one is in the app, and how far in the lesson.

HEAD_MOST_TITLE = 60
KEPT, NOT_KEPT = "practice copy, nothing is saved", "nothing is saved; progress can't be kept"
"""What the head says of a lesson, by whether it is kept how far one is."""
OPEN = ("◌", "warn")
"""The sign of a step whose question is still to be answered."""


def lessons_bar(language: str, width: int, right: str = KEPT) -> Line:
    """Return the line that says that lessons are shown, and that nothing here is kept."""
    left = [
        Piece(" ctxtui  ", "bright"),
        Piece(f" {say('Library', language)}  ", "muted"),
        Piece(f" {say('Lessons', language)} ", "chip"),
    ]
    right = say(right, language)
    return longest([(left, [Piece(f"{right} ", "muted")]), (left, [])], width)


def lesson_head(player: Player, place: tuple[int, int], language: str, width: int) -> Line:
    """Return which lesson this is, a dot for each step, and the score."""
    lesson, steps = player.lesson, len(player.lesson.steps)
    right, asked = player.score
    score = [Piece(f"{score_words(right, asked, language)} ", "text")] if asked else []
    number = [Piece(f" {place_words(*place, language)}  " if place[0] else " ", "muted")]
    title = [Piece(lesson.title.to(language)[:HEAD_MOST_TITLE], "bright")]
    at = Piece(f"  {step_words(player.at + 1, steps, language)}", "muted")
    ways: list[tuple[Line, Line]] = [
        ([*number, *title, Piece("   "), *_dots(player, "──"), at], score),
        ([*number, *title, Piece("  "), *_dots(player, "─"), at], score),
        ([Piece(" "), *title, Piece("  "), *_dots(player, ""), at], score),
        ([Piece(" "), *title, at], score),
        ([Piece(" "), *title, at], []),
    ]
    return longest(ways, width)


def _dots(player: Player, gap: str) -> Line:
    line: Line = []
    for at in range(len(player.lesson.steps)):
        sign, kind = _dot(player, at)
        if at:
            line.append(Piece(gap, "ok" if at <= player.at else "track"))
        line.append(Piece(sign, kind))
    return line


def _dot(player: Player, at: int) -> tuple[str, str]:
    """Return the dot of a step: done, with a wrong answer or without one, shown, or to come."""
    if at == player.at:
        return "◉", "key"
    if player.is_open(at):
        return OPEN
    if at > player.at:
        return "○", "track"
    step = player.lesson.steps[at]
    given = player.answers.get(step.id)
    is_wrong = step.predict and given is not None and not judge(step.predict, given).is_right
    return "●", "warn" if is_wrong else "ok"


# The names of columns in another language, each where the English one stood.

LEFT = ("role", "message", "operation")
"""Columns whose names begin where their values do; the others end there."""
ELLIPSIS = "…"


def said_head(line: Line | None, language: str) -> Line | None:
    """Return a line of column names in a language; the English one as it is."""
    if line is None or language != "zh":
        return line
    text = "".join(piece.text for piece in line)
    found = list(re.finditer(r"\S+", text))
    said = ""
    for nth, match in enumerate(found):
        following = found[nth + 1].start() if nth + 1 < len(found) else len(text) + 1
        least = cell_len(said) + bool(said)
        start, name = _placed(match[0], match.start(), match.end(), least, following - 1)
        said += " " * (start - cell_len(said)) + name
    kind = line[0].kind if line else "faint"
    return [Piece(said + " " * (len(text) - cell_len(said)), kind)]


def _placed(word: str, start: int, end: int, least: int, most: int) -> tuple[int, str]:
    """Return where the longest name begins that fits between two cells, or the English one."""
    name = next((one for one in HEADS if _is_cut_from(word, one)), word)
    for said in HEADS.get(name, ()):
        size = cell_len(said)
        at = start if name in LEFT else end - size
        if at >= least and at + size <= most:
            return at, said
    return start, word


def _is_cut_from(word: str, name: str) -> bool:
    return word == name or (word.endswith(ELLIPSIS) and name.startswith(word[: -len(ELLIPSIS)]))


# Lessons in a list: a row for each, and one of them at length.

NUMBER_CELLS = 4
SERIES_CELLS = 24
LEAST_SERIES = 90
"""Cells of the name of a series, and of the row from which on there is one."""
MOST_TEXT = 500


def lesson_row(
    lesson: Lesson, progress: Progress, language: str, width: int, *, is_first: bool
) -> Line:
    """Return one lesson: its series, a sign, its number, its title, and how far it was taken.

    The first lesson of a series names it, in narrow lists behind its title where there is room.
    """
    sign, kind = _listing_sign(lesson, progress)
    far = Piece(f" {progress_words(lesson, progress, language)} ", "muted")
    series = SERIES[lesson.series].to(language) if is_first else ""
    number = f"{lesson.order or '':>2}  "
    lead = [
        Piece(fit(f" {series}", SERIES_CELLS) if width >= LEAST_SERIES else "", "muted"),
        Piece(f" {sign} ", kind),
        Piece(number, "muted"),
    ]
    room = max(0, width - line_width([*lead, far]))
    title = printable(lesson.title.to(language), MOST_TEXT)
    behind = Piece(f"  {series}  " if series and width < LEAST_SERIES else "", "key")
    if line_width([Piece(title), behind]) > room:
        behind = Piece("")
    return [*lead, Piece(fit(title, room - line_width([behind])), "bright"), behind, far]


def _listing_sign(lesson: Lesson, progress: Progress) -> tuple[str, str]:
    if progress.is_done(lesson):
        return PASSED.glyph, PASSED.kind
    return ("◐", "key") if progress.is_begun else ("○", "muted")


def lesson_lines(lesson: Lesson, progress: Progress, language: str, width: int) -> list[Line]:
    """Return what a lesson is about, and its steps."""
    width = max(10, width)
    series = f"{SERIES[lesson.series].to(language)} {lesson.order or ''}".rstrip()
    lines = [[Piece(series, "muted")], *_wrapped(lesson.title.to(language), "bright", width)]
    if lesson.about is not None:
        lines += [[], *_wrapped(lesson.about.to(language), "text", width)]
    far = progress_words(lesson, progress, language)
    lines += [[], [Piece(far, "ok" if progress.is_done(lesson) else "muted")], []]
    place = progress.place_in(lesson) if progress.is_begun else -1
    for at, step in enumerate(lesson.steps):
        sign, kind = ("●", "ok") if at < place or progress.is_seen else ("○", "faint")
        if sign == "●" and progress.is_open(step):
            sign, kind = OPEN
        elif sign == "○" and at == place:
            sign, kind = "◉", "key"
        question = Piece("? ", "key") if step.predict else Piece("  ")
        brief = fit(step.brief.to(language)[:MOST_TEXT], width - NUMBER_CELLS)
        lines.append([Piece(f"{sign} ", kind), question, Piece(brief, "text")])
    if lesson.remember is not None and progress.is_seen:
        lines += [[], *_wrapped(lesson.remember.to(language), "faint", width)]
    return lines


def _wrapped(text: str, kind: str, width: int) -> list[Line]:
    return [[Piece(row, kind)] for row in wrap(text, width)]


# The story of a lesson: what is told, done, asked and explained, and the steps so far.

WRONG = "✗"
STORY_EDGE = 2
HEADING_LINES = 3
"""Lines of the heading above the steps, and the space before it."""
WAYS = ((True, True, False), (False, True, False), (False, False, False), (False, False, True))
"""How to tell a story, until it fits: with space between answers, with a last word, with only
some of the steps.
"""


class Story(NamedTuple):
    """The lines of the story, and which answer stands on which of them."""

    lines: list[Line]
    answers: dict[int, int]


class StoryTeller:
    """Tells what a player shows in one language, for some room."""

    def __init__(
        self, player: Player, doing: list[Doing], language: str, *, has_next: bool = False
    ) -> None:
        self.player = player
        self.doing = doing
        self.language = language
        self.has_next = has_next

    def tell(self, width: int, height: int, *, is_brief: bool = False) -> Story:
        """Return the story; a brief one leaves out what a small pane has no room for.

        Answers stand apart from each other, and the last word is said, where there is room.
        """
        self.width = max(8, width - 1)
        self.is_brief = is_brief
        story = Story([], {})
        for self.is_loose, self.has_last_word, self.is_trimmed in WAYS:
            story = self._told(height)
            if is_brief or len(story.lines) <= height:
                break
        return story

    def _told(self, height: int) -> Story:
        player, asked = self.player, self.player.question
        self.lines: list[Line] = []
        self.answers: dict[int, int] = {}
        if not (self.is_brief and asked is not None and player.is_revealed):
            self._paragraphs(player.step.tell.to(self.language))
        self._operations()
        if asked is not None:
            self._question(asked)
        self._naive()
        self._practice()
        self._buttons()
        if not self.is_brief:
            self._so_far(height)
        return Story(self.lines, self.answers)

    # Parts

    def _gap(self) -> None:
        if not self.is_brief and self.lines and self.lines[-1]:
            self.lines.append([])

    def _text(self, text: str, kind: str = "text", lead: str = "") -> None:
        pad = " " * len(lead)
        for at, row in enumerate(wrap(text, max(4, self.width - len(lead)))):
            self.lines.append([Piece(pad if at else lead, kind), Piece(row, kind)])

    def _paragraphs(self, text: str, kind: str = "text") -> None:
        for paragraph in text.split("\n"):
            if paragraph.strip():
                self._text(paragraph, kind)
            else:
                self._gap()

    def _operations(self) -> None:
        if not self.doing:
            return
        self._gap()
        for one in self.doing:
            first, *rest = wrap(f"{one.name} {one.argument}", self.width - STORY_EDGE)
            name, _, argument = first.partition(" ")
            line = [Piece(f" {name} ", "bright"), Piece(argument, "text")]
            self.lines.append(filled_row(line, "opened", self.width))
            for row in rest:
                self.lines.append(filled_row([Piece(f"   {row}", "text")], "opened", self.width))
        for refusal in () if self.player.is_covered else self.player.stage.refusals:
            said = f"{REFUSED.to(self.language)} {refusal}"
            self._text(said, ERROR.kind, f"{ERROR.glyph} ")

    def _question(self, asked: Prediction) -> None:
        self._gap()
        rows = [PREDICT.to(self.language)]
        rows += wrap(asked.question.to(self.language), self.width - STORY_EDGE)
        for at, row in enumerate(rows):
            line = [Piece("▌ ", "key"), Piece(row, "bright" if at else "key")]
            self.lines.append(filled_row(line, "cursor", self.width))
        if self.player.is_covered:
            self._gap()
            if self.player.is_asked:
                missing = first_words(self.player.missing, self.language)
                self._text(missing, WARNING.kind, WARNING.text(""))
            else:
                self._text(told_to_do(asked).to(self.language), "muted")
            self._answers(asked)
            if self.player.is_hinted and asked.hint is not None:
                self._gap()
                self._text(asked.hint.to(self.language), "warn", "? ")
        else:
            self._verdict(asked)

    def _answers(self, asked: Prediction) -> None:
        given = self.player.given
        if asked.number is not None:
            typed = "" if given.number is None else f"{given.number}"
            self.lines.append([Piece("  "), Piece(f" {typed}_ ", "picked")])
        for at, answer in enumerate(asked.answers):
            if self.is_loose:
                self._gap()
            is_known = at in (asked.right, given.answer)
            if self.is_brief and self.player.is_revealed and not is_known:
                continue
            lead, kind = self._mark(asked, at)
            self.answers[len(self.lines)] = at
            for nth, row in enumerate(wrap(answer.text.to(self.language), self.width - 6)):
                start = Piece(f"{lead} ", kind) if nth == 0 else Piece("    ")
                number = Piece(f"{at + 1} " if nth == 0 else "  ", "muted")
                self.lines.append([start, number, Piece(row, _ink(kind))])

    def _mark(self, asked: Prediction, at: int) -> tuple[str, str]:
        """Return the sign before an answer, and its ink."""
        is_chosen = self.player.given.answer == at
        if self.player.is_covered:
            return ("(●)", "key") if is_chosen else ("( )", "muted")
        if at == asked.right:
            return f" {PASSED.glyph} ", PASSED.kind
        return (f" {WRONG} ", ERROR.kind) if is_chosen else ("   ", "faint")

    def _verdict(self, asked: Prediction) -> None:
        self._gap()
        if asked.answers:
            self._answers(asked)
            self._gap()
        line = self._judgement()
        if asked.number is not None:
            given = self.player.given.number
            yours = f"  ({YOURS.to(self.language)}: {'–' if given is None else given})"
            line += [Piece(f"  {asked.number.answer}", "ok"), Piece(yours, "muted")]
        self.lines.append(line)
        self._paragraphs(asked.explain.to(self.language))

    def _judgement(self) -> Line:
        """Return how right the answer was, in a word or two."""
        verdict = self.player.verdict
        if verdict is None:
            return [Piece(UNANSWERED.to(self.language), "bright")]
        said = RIGHT if verdict.is_right else PARTLY if verdict.right else WORDS_WRONG
        sign = (
            Piece(f"{PASSED.glyph} ", PASSED.kind) if verdict.right else Piece(f"{WRONG} ", "error")
        )
        return [sign, Piece(said.to(self.language), "bright")]

    def _naive(self) -> None:
        naive = self.player.step.naive
        if naive is None or self.player.is_covered:
            return
        self._gap()
        tab = [Piece("  "), Piece(" tab ", "pill")] if self.is_brief else []
        self.lines.append([Piece(SIMPLER.to(self.language), "warn"), *tab])
        self._paragraphs(naive.says.to(self.language), "text")

    def _practice(self) -> None:
        """Tell what could be tried on a copy, once the outcome is seen."""
        practice = self.player.step.practice
        if practice is not None and not self.player.is_covered:
            self._gap()
            self._paragraphs(practice.to(self.language))

    def _buttons(self) -> None:
        player = self.player
        self._gap()
        if player.is_last:
            self._end()
            return
        says = REVEAL if player.is_covered else NEXT
        line = [Piece(" enter ", "chip"), Piece(f" {says.to(self.language)}", "bright")]
        asked_now = player.question if player.is_covered else None
        if asked_now is not None and asked_now.hint is not None and not player.is_hinted:
            line += [
                Piece("   "),
                Piece(" h ", "pill"),
                Piece(f" {HINT.to(self.language)}", "muted"),
            ]
        self.lines.append(line)

    def _end(self) -> None:
        """Tell how it went, what is still open, and the ways on, of which none is enter."""
        player, said = self.player, self.language
        right, asked = player.score
        end = [Piece(THE_END.to(said), "bright")]
        if asked:
            end.append(Piece(f" {score_words(right, asked, said)}", "ok"))
        self.lines.append(end)
        if not player.is_done:
            answered = answered_words(*player.progress.answered(player.lesson), said)
            sign, kind = OPEN
            self._text(f"{answered}{STILL_OPEN.to(said)}", kind, f"{sign} ")
        self._gap()
        leave = Piece(f" {LEAVE.to(said)}", "muted" if self.has_next else "bright")
        line = [Piece(" esc ", "pill" if self.has_next else "chip"), leave]
        if self.has_next:
            on = [Piece(" N ", "chip"), Piece(f" {NEXT_LESSON.to(said)}", "bright")]
            line = [*on, Piece("   "), *line]
        self.lines.append(line)

    def _so_far(self, height: int) -> None:
        """Tell of the steps, at the bottom; where room is short, of those around this one."""
        above, self.lines = self.lines, []
        steps = [self._step(at) for at in range(len(self.player.lesson.steps))]
        remember = self.player.lesson.remember
        if remember is not None and self.has_last_word:
            self.lines.append([])
            self._paragraphs(remember.to(self.language), "faint")
        room = height - len(above) - len(self.lines) - HEADING_LINES
        shown = _around(steps, self.player.at, room) if self.is_trimmed else steps
        lines = [line for step in shown for line in step]
        if lines:
            heading: list[Line] = [
                [Piece("─" * self.width, "track")],
                [Piece(SO_FAR.to(self.language), "muted")],
            ]
            self.lines = [*heading, *lines, *self.lines]
        gap = height - len(above) - len(self.lines)
        self.lines = [*above, *([[]] * max(1, gap)), *self.lines] if self.lines else above

    def _step(self, at: int) -> list[Line]:
        sign, kind = self._sign(at)
        text = printable(self.player.lesson.steps[at].brief.to(self.language))
        here = at == self.player.at
        ink = "bright" if here else "text" if at < self.player.at else "faint"
        rows = wrap(text, self.width - STORY_EDGE)
        return [
            [Piece("  " if nth else f"{sign} ", kind), Piece(row, ink)]
            for nth, row in enumerate(rows)
        ]

    def _sign(self, at: int) -> tuple[str, str]:
        if at == self.player.at:
            return "◉", "key"
        if self.player.is_open(at):
            return OPEN
        return (PASSED.glyph, PASSED.kind) if at < self.player.at else ("○", "faint")


def _ink(kind: str) -> str:
    """Return how an answer is written behind its sign."""
    return {"key": "bright", "ok": "bright", "muted": "text", "error": "text"}.get(kind, kind)


def _around(steps: list[list[Line]], at: int, room: int) -> list[list[Line]]:
    """Return as many steps around one as there is room for; nothing where it has none itself."""
    first = last = at
    if len(steps[at]) > room:
        return []
    while True:
        wider = [(first, last + 1), (first - 1, last)]
        fits = [
            (lo, hi)
            for lo, hi in wider
            if lo >= 0 and hi < len(steps) and sum(map(len, steps[lo : hi + 1])) <= room
        ]
        if not fits:
            return steps[first : last + 1]
        # To both sides in turn, so that the step stays in the middle.
        first, last = min(fits, key=lambda ends: abs((ends[0] + ends[1]) / 2 - at))


# The lists of a lesson: log, rows to be picked, what a simpler rule leaves, and the timeline.

WORD = 5
TOKENS = 7
LEAST_WORD, LEAST_TOKENS = 50, 36
"""Cells of a row below which the role has no word, and the message no tokens."""
SIGNS = {
    "right": (f"{PASSED.glyph}  ", "ok", "added"),
    "missed": ("✗  ", "error", "finding"),
    "not sent": ("+  ", "warn", "warning"),
    "left": ("   ", "faint", ""),
}
"""A row after the reveal: its sign, the ink of that, and the tint of the row."""
TEXT_LENGTH = 300


class LessonRaw(RawSource):
    """The log, with the words of a lesson's language."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language
        self.branch_words = say("other branch", language)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)


class LessonVisible(VisibleSource):
    """What is sent, with the words of a lesson's language."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)


class PickSource(LineSource):
    """A row for each message that can be picked, with a box; after the reveal with a verdict."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self._language = language
        self.rows: list[PickRow] = shown.pick_rows()
        self._log = shown.player.run.conversation.log
        self._places = {row.raw: at for at, row in enumerate(self.rows)}
        self._findings = {} if shown.player.is_covered else shown.frame.findings_at
        self.digits = digits(len(self._log))

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def key(self, at: int) -> int:
        """Return the raw index of a row."""
        return self.rows[at].raw

    def find(self, key: int) -> int | None:
        """Return the row of a raw index."""
        return self._places.get(key)

    def tint(self, at: int) -> str:
        """Return the tint of a row that was judged."""
        verdict = self.rows[at].verdict
        return "" if verdict is None else SIGNS[verdict][2]

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        is_judged = bool(self.rows) and self.rows[0].verdict is not None
        first = "     " if is_judged else "sent "
        role = "role   " if width >= LEAST_WORD else "  "
        lead = f"{first}{'raw':>{self.digits}} {role}"
        tail = f"{'tokens':>{TOKENS}}{' ' * EDGE}" if width >= LEAST_TOKENS else " " * EDGE
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return said_head([Piece(lead, "faint"), *body, Piece(tail, "faint")], self._language)

    def line(self, at: int, width: int) -> Line:
        """Return one row."""
        row = self.rows[at]
        lead = [self._box(row), Piece(f" {row.raw:>{self.digits}} ", "muted")]
        is_bright = row.is_picked if row.verdict is None else row.verdict in ("right", "missed")
        dull = "muted" if row.verdict is None else "faint"
        role = row.message.role
        word = f"{WORDS[role]:<{WORD}}" if width >= LEAST_WORD else ""
        glyph = Piece(f"{GLYPHS[role]} {word}", role if is_bright else dull)
        tail = self._tail(row, is_bright, has_tokens=width >= LEAST_TOKENS)
        body = preview(row.message, tool_names(self._log, row.raw))
        room = max(0, width - line_width([*lead, glyph, *tail]))
        shown = fit_pieces(body, room)
        if not is_bright:
            shown = [Piece(text, dull) for text, _ in shown]
        return [*lead, glyph, *shown, *tail]

    def _box(self, row: PickRow) -> Piece:
        if row.verdict is not None:
            sign, kind, _ = SIGNS[row.verdict]
            return Piece(f" {sign}", kind)
        return Piece(f" {BOXES[row.is_picked]}", "key" if row.is_picked else "text")

    def _tail(self, row: PickRow, is_bright: bool, *, has_tokens: bool) -> Line:
        new = [Piece(f" {say('new', self._language)}", "ok")] if row.is_new else []
        new += worst_of(self._findings.get(row.position, []) if row.position is not None else [])
        count = Piece(f"{tokens(row.tokens):>{TOKENS}}", "text" if is_bright else "faint")
        return [*new, *([count] if has_tokens else []), Piece(" " * EDGE)]


class NaiveSource(NumberedSource):
    """What a simpler rule leaves, with what it keeps wrongly, and struck what it loses."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self.rows: list[NaiveRow] = shown.naive_rows()
        self._log = shown.frame.state.log
        naive = shown.player.step.naive
        error = naive.error if naive else None
        self._error = printable(error.to(language)) if error else ""

    def __len__(self) -> int:
        """Return how many rows there are; what happens instead of rows is one."""
        return 1 if self._error else len(self.rows)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows it takes to say what happens."""
        return [Block(1, len(self._said(width)))] if self._error else ()

    def below(self, at: int, width: int) -> list[Line]:
        """Return the rest of what happens."""
        return self._said(width)[1:] if self._error else []

    def _said(self, width: int) -> list[Line]:
        rows = wrap(self._error, max(4, width - len(ERROR.text(" "))))
        return [
            [Piece("  " if nth else ERROR.text(""), ERROR.kind), Piece(row)]
            for nth, row in enumerate(rows)
        ]

    def tint(self, at: int) -> str:
        """Return the tint of a row in which the rule and the engine differ."""
        if self._error:
            return ""
        row = self.rows[at]
        if row.is_shared:
            return ""
        return "warning" if row.is_kept else "hidden"

    def line(self, at: int, width: int) -> Line:
        """Return one row."""
        if self._error:
            return self._said(width)[0]
        row = self.rows[at]
        lead, body = [_lesson_sign(row)], [Piece(f" {row.text[:TEXT_LENGTH]}")]
        if row.raw is not None and row.role is not None:
            kind = row.role if row.is_kept else "faint"
            lead += [Piece(f" {row.raw:>2} ", "muted"), Piece(f"{GLYPHS[row.role]} ", kind)]
            body = preview(self._log[row.raw], tool_names(self._log, row.raw))
        if not row.is_kept:
            body = [Piece(text, "struck") for text, _ in body]
        return [*lead, *fit_pieces(body, max(0, width - line_width(lead)))]


def _lesson_sign(row: NaiveRow) -> Piece:
    """Return how a row of a simpler rule differs from what the engine sends."""
    if row.is_shared:
        return Piece(" ")
    return Piece("+", "warn") if row.is_kept else Piece("−", "error")


class LessonBatches(TimelineSource):
    """The batches so far, with the words of a lesson's language."""

    def __init__(self, look: Look, errors: ErrorCounts, language: str) -> None:
        super().__init__(look, errors)
        self._language = language

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)

    def about(self, batch: Batch) -> str:
        """Return the arguments of a batch, or how many messages it all began with."""
        if batch.operation is not None:
            return super().about(batch)
        count = len(self.conversation.revisions[0].view)
        messages = plural(count, "message")
        return say("{messages}", self._language, messages=messages, count=count)


class LessonTimeline(LineSource):
    """The batches so far, and what is about to be done, with a question mark."""

    def __init__(self, batches: LessonBatches, pending: Sequence[Doing]) -> None:
        self._batches = batches
        self._pending = pending

    def __len__(self) -> int:
        """Return how many batches and coming operations there are."""
        return len(self._batches) + len(self._pending)

    def key(self, at: int) -> int:
        """Return the id of a batch; what comes has numbers behind those."""
        return at

    def find(self, key: int) -> int | None:
        """Return the line of a batch."""
        return key if 0 <= key < len(self) else None

    def tint(self, at: int) -> str:
        """Return the tint of the batch that the step has opened."""
        look = self._batches.look
        if not isinstance(look, Frame) or look.was is None or at >= len(self._batches):
            return ""
        return "added" if at >= len(look.was.batches) else ""

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return self._batches.header(width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return rows for arguments that don't fit beside the figures."""
        return self._batches.blocks(width)

    def below(self, at: int, width: int) -> list[Line]:
        """Return the arguments of a batch that don't fit beside its figures."""
        return self._batches.below(at, width) if at < len(self._batches) else []

    def line(self, at: int, width: int) -> Line:
        """Return one batch, or something that is not applied yet."""
        if at < len(self._batches):
            return self._batches.line(at, width)
        coming = self._pending[at - len(self._batches)]
        layout = self._batches.layout(width)
        lead = [
            Piece(fit(" ◌", layout.graph + 3), "key"),
            Piece(f"{coming.name} ", "text"),
            Piece(coming.argument, "muted"),
        ]
        return [*fit_pieces(lead, max(0, width - 3)), Piece(" ? ", "key")]


# The lessons there are, in the order of their series.


class LessonSource(NumberedSource):
    """A line for each lesson, with how far it was taken."""

    def __init__(self, lessons: Sequence[LessonFile], learnt: Learnt, language: str) -> None:
        self._lessons = lessons
        self._learnt = learnt
        self._language = language

    def __len__(self) -> int:
        """Return how many lessons there are."""
        return len(self._lessons)

    def line(self, at: int, width: int) -> Line:
        """Return one lesson."""
        one = self._lessons[at]
        is_first = at == 0 or self._lessons[at - 1].lesson.series != one.lesson.series
        progress = self._learnt.of(one.name)
        return lesson_row(one.lesson, progress, self._language, width, is_first=is_first)
