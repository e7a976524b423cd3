"""The lines of lessons: the list of them, and of one that is played its head, panes and story."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.core import Batch
from ctxtui.core.lessons import SERIES, Lesson, LessonText, Prediction
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.lists import RawSource, VisibleSource
from ctxtui.inspector.drawing.mark_map import array_runs
from ctxtui.inspector.drawing.timeline import TimelineSource
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Frame, Look
from ctxtui.lessons.files import LearnerState, LessonFile
from ctxtui.lessons.models import (
    LessonProgress,
    NaiveRow,
    OperationWords,
    PickRow,
    Player,
    ShownStep,
    judge,
)
from ctxtui.lessons.words import (
    HEADS,
    answered_words,
    first_words,
    instruction,
    progress_words,
    say,
    score_words,
    step_words,
)
from ctxtui.text.icons import BOXES, ERROR, PASSED, WARNING, worst_of
from ctxtui.text.line_source import LineSource, NumberedSource, RowBlock
from ctxtui.text.lines import (
    EDGE,
    Line,
    Piece,
    digits,
    filled_row,
    fit,
    fit_pieces,
    hanging,
    line_width,
    longest,
    paragraph,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS, preview, tool_names
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

CROSS = "✗"
HERE, OPEN = ("◉", "key"), ("◌", "warn")
"""The symbols of the current step, and of one whose question is open."""
MOST_TEXT = 500


# The head

SAVED, NOT_SAVED = "practice copy, nothing is saved", "nothing is saved, not even progress"
"""What the head of a lesson says, by whether progress can be saved."""


def lessons_bar(language: str, width: int, right: str = SAVED) -> Line:
    """Return the breadcrumbs, and whether anything is saved."""
    left = [
        Piece(" ctxtui  ", "bright"),
        Piece(f" {say('Library', language)}  ", "muted"),
        Piece(f" {say('Lessons', language)} ", "chip"),
    ]
    return longest([(left, [Piece(f"{say(right, language)} ", "muted")]), (left, [])], width)


def lesson_head(player: Player, place: tuple[int, int], language: str, width: int) -> Line:
    """Return the title of a lesson, a symbol for each step, and the score."""
    lesson, steps = player.lesson, len(player.lesson.steps)
    right, asked = player.score
    score = [Piece(f"{score_words(right, asked, language)} ", "text")] if asked else []
    at, count = place
    said = say("Lesson {place} of {lessons}", language, place=at, lessons=count)
    number = Piece(f" {said}  " if at else " ", "muted")
    title = Piece(lesson.title.to(language)[:60], "bright")
    step = Piece(f"  {step_words(player.at + 1, steps, language)}", "muted")
    ways: list[tuple[Line, Line]] = [
        ([number, title, Piece("   "), *_symbols(player, "──"), step], score),
        ([number, title, Piece("  "), *_symbols(player, "─"), step], score),
        ([Piece(" "), title, Piece("  "), *_symbols(player, ""), step], score),
        ([Piece(" "), title, step], score),
        ([Piece(" "), title, step], []),
    ]
    return longest(ways, width)


def _symbols(player: Player, gap: str) -> Line:
    line: Line = []
    for at in range(len(player.lesson.steps)):
        line += [Piece(gap, "ok" if at <= player.at else "track")] if at else []
        line.append(Piece(*_step_symbol(player, at)))
    return line


def _step_symbol(player: Player, at: int) -> tuple[str, str]:
    """Return the symbol of a step: current, open, to come, or done with a right or wrong answer."""
    if at == player.at:
        return HERE
    if player.is_open(at):
        return OPEN
    if at > player.at:
        return "○", "track"
    step = player.lesson.steps[at]
    given = player.answers.get(step.id)
    is_wrong = step.predict and given is not None and not judge(step.predict, given).is_right
    return "●", "warn" if is_wrong else "ok"


# The borders of panes


def raw_about(frame: Frame, language: str) -> Line:
    """Return how many messages were ever added."""
    said = say("all messages", language)
    return [Piece(f"{said} ", "muted"), Piece(f"{frame.log_size:,} ", "bright")]


def visible_title(shown: ShownStep, language: str) -> str:
    """Return whether the visible messages are those before or after the operation."""
    if not shown.operations:
        return say("Visible", language)
    when = "Visible before {operation}" if shown.pending else "Visible after {operation}"
    return say(when, language, operation=_last_operation(shown))


def visible_about(frame: Frame, language: str) -> Line:
    """Return how many messages are visible, and how many were before."""
    now = Piece(f"{len(frame.view):,} ", "bright")
    if frame.is_still or frame.before is None:
        return [Piece(f"{say('what the model is sent', language)} ", "muted"), now]
    return [Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def pick_title(shown: ShownStep, language: str) -> str:
    """Return what the rows are picked for."""
    asked = shown.player.question
    if asked is not None and asked.query is not None:
        return say("Which rows", language)
    if not shown.operations:
        return say("Visible", language)
    return say("Visible after {operation}", language, operation=_last_operation(shown))


def _last_operation(shown: ShownStep) -> str:
    last = shown.operations[-1]
    return printable(f"{last.name} {last.argument}".strip(), 50)


def pick_about(rows: Sequence[PickRow], language: str, *, is_none: bool) -> Line:
    """Return how many rows were picked, or how many of them are right."""
    if _is_judged(rows):
        counts = Counter(row.verdict for row in rows)
        extra, missed, right = (counts[one] for one in ("not sent", "missed", "right"))
        return [
            Piece(say("{count} not sent", language, count=extra), "warn" if extra else "muted"),
            Piece(
                f"  {say('{count} missed', language, count=missed)}", "error" if missed else "muted"
            ),
            Piece(f"  {say('{count} right', language, count=right)} ", "text"),
        ]
    picked = sum(row.is_picked for row in rows)
    said = say("none of them" if is_none else "{count} picked", language, count=picked)
    return [Piece(say("your prediction: ", language), "muted"), Piece(f"{said} ", "bright")]


def _is_judged(rows: Sequence[PickRow]) -> bool:
    return bool(rows) and rows[0].verdict is not None


def pick_foot(rows: Sequence[PickRow], language: str) -> Line:
    """Return what was picked, or the meaning of the symbols."""
    if _is_judged(rows):
        return [
            Piece(f"{PASSED.text(say('right', language))}  ", "text"),
            Piece(f"{CROSS} {say('missed', language)}  ", "error"),
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
    """Return how many messages the naive rule would send."""
    rows = shown.naive_rows()
    return [Piece(f"{sum(row.is_kept for row in rows):,} ", "bright")] if rows else []


def timeline_about(shown: ShownStep, language: str) -> Line:
    """Return how many batches there are, or that the operation is still to come."""
    if shown.pending:
        return [Piece(f"{say('not applied yet', language)} ", "muted")]
    count = len(shown.conversation.batches)
    said = say("{batches}", language, batches=plural(count, "batch", "batches"), count=count)
    return [Piece(f"{said} ", "muted")]


# Index arrays

COVER = "▒" * 6
"""Shown instead of an answer: always as long, so that it does not show how long that is."""
ARROW = Piece("→ ", "muted")


def lesson_array_lines(
    frame: Frame, arrays: IndexArrays, looked_at: Collection[str], width: int, *, is_covered: bool
) -> list[Line]:
    """Return a line for each index array, before and after the step; covered before the reveal."""
    was = frame.was or frame.state
    name_cells = max(13, min(17, width // 2))
    cells = max(4, width - name_cells)
    is_still = frame.is_still and not is_covered

    def row(name: str, kind: str, before: Line, now: Line) -> Line:
        line = [Piece(f"{fit(name, name_cells - 1)} ", kind)]
        if not is_still:
            size = min(half, max(7, line_width(before)))
            line += [*fit_pieces(before, size), ARROW]
        line += [Piece(COVER, "faint")] if is_covered else now
        is_lit = name.strip() in looked_at
        return filled_row(line, "select", width) if is_lit else fit_pieces(line, width)

    def texts(before: str, now: str) -> tuple[Line, Line]:
        kind = "text" if before == now else "ok"
        return [Piece(f"{before} ")], [Piece(f"{now} ", kind)]

    compared = [("originalIndices", "muted", arrays.before, arrays.now)]
    compared += [
        (f"  {role}", role, arrays.roles_before[role], arrays.roles_now[role]) for role in ROLES
    ]
    half = cells if is_still else cells // 2 - 1
    boundaries = [" ".join(str(one.boundary) for one in state.path) for state in (was, frame.state)]
    return [
        *(
            row(
                name,
                kind,
                array_runs(before, half, ("text", "struck")),
                array_runs(now, half, ("text", "ok")),
            )
            for name, kind, before, now in compared
        ),
        row("batchBoundaries", "muted", *texts(*boundaries)),
        row("currentBatch", "muted", *texts(str(was.batch.number), str(frame.batch.number))),
    ]


def arrays_about(language: str, *, is_covered: bool) -> Line:
    """Return whether the arrays are covered."""
    return [Piece(f"{say('covered' if is_covered else 'live', language)} ", "muted")]


# Lists of messages and batches

LEFT = ("role", "message", "operation")
"""Columns that are aligned at the left; the others are aligned at the right."""
ELLIPSIS = "…"
TOKENS = 7
LEAST_WORD, LEAST_TOKENS = 50, 36
"""Cells of a row from which on it has the word of the role, and the tokens of the message."""
SYMBOLS = {
    "right": (f"{PASSED.glyph}  ", "ok", "added"),
    "missed": (f"{CROSS}  ", "error", "finding"),
    "not sent": ("+  ", "warn", "warning"),
    "left": ("   ", "faint", ""),
}
"""A row after the reveal: its symbol, the kind of that, and the tint of the row."""


def translated_header(line: Line | None, language: str) -> Line | None:
    """Return a line of column names in Chinese, each name where the English one was."""
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
    """Return the longest Chinese name that fits between two cells, else the English one."""
    start_of_name = word.removesuffix(ELLIPSIS)
    is_cut = start_of_name != word
    found = (one for one in HEADS if one == word or (is_cut and one.startswith(start_of_name)))
    name = next(found, word)
    for said in HEADS.get(name, ()):
        size = cell_len(said)
        at = start if name in LEFT else end - size
        if at >= least and at + size <= most:
            return at, said
    return start, word


class LessonRaw(RawSource):
    """The log, in the language of the lesson."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language
        self.branch_words = say("other branch", language)

    def header(self, width: int) -> Line | None:
        return translated_header(super().header(width), self._language)


class LessonVisible(VisibleSource):
    """The visible messages, in the language of the lesson."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language

    def header(self, width: int) -> Line | None:
        return translated_header(super().header(width), self._language)


class PickSource(LineSource):
    """A row with a box for each message that can be picked; after the reveal with a verdict."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self._language = language
        self.rows: list[PickRow] = shown.pick_rows()
        self._log = shown.player.run.conversation.log
        self._places = {row.raw: at for at, row in enumerate(self.rows)}
        self._findings = {} if shown.player.is_covered else shown.frame.findings_at
        self.digits = digits(len(self._log))

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, at: int) -> int:
        return self.rows[at].raw

    def find(self, key: int) -> int | None:
        return self._places.get(key)

    def tint(self, at: int) -> str:
        verdict = self.rows[at].verdict
        return "" if verdict is None else SYMBOLS[verdict][2]

    def header(self, width: int) -> Line | None:
        first = "     " if _is_judged(self.rows) else "sent "
        role = "role   " if width >= LEAST_WORD else "  "
        lead = f"{first}{'raw':>{self.digits}} {role}"
        tail = f"{'tokens':>{TOKENS}}{' ' * EDGE}" if width >= LEAST_TOKENS else " " * EDGE
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        line = [Piece(lead, "faint"), *body, Piece(tail, "faint")]
        return translated_header(line, self._language)

    def line(self, at: int, width: int) -> Line:
        row = self.rows[at]
        lead = [self._box(row), Piece(f" {row.raw:>{self.digits}} ", "muted")]
        is_bright = row.is_picked if row.verdict is None else row.verdict in ("right", "missed")
        dull = "muted" if row.verdict is None else "faint"
        role = row.message.role
        word = f"{WORDS[role]:<5}" if width >= LEAST_WORD else ""
        glyph = Piece(f"{GLYPHS[role]} {word}", role if is_bright else dull)
        tail = self._tail(row, is_bright, has_tokens=width >= LEAST_TOKENS)
        body = preview(row.message, tool_names(self._log, row.raw))
        shown = fit_pieces(body, max(0, width - line_width([*lead, glyph, *tail])))
        if not is_bright:
            shown = [Piece(text, dull) for text, _ in shown]
        return [*lead, glyph, *shown, *tail]

    def _box(self, row: PickRow) -> Piece:
        if row.verdict is not None:
            symbol, kind, _ = SYMBOLS[row.verdict]
            return Piece(f" {symbol}", kind)
        return Piece(f" {BOXES[row.is_picked]}", "key" if row.is_picked else "text")

    def _tail(self, row: PickRow, is_bright: bool, *, has_tokens: bool) -> Line:
        new = [Piece(f" {say('new', self._language)}", "ok")] if row.is_new else []
        new += worst_of(self._findings.get(row.position, []) if row.position is not None else [])
        count = Piece(f"{tokens(row.tokens):>{TOKENS}}", "text" if is_bright else "faint")
        return [*new, *([count] if has_tokens else []), Piece(" " * EDGE)]


class NaiveSource(NumberedSource):
    """The result of the naive rule, marked where it differs from the engine's; or its error."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self.rows: list[NaiveRow] = shown.naive_rows()
        self._log = shown.frame.state.log
        naive = shown.player.step.naive
        self._error = naive.error.to(language) if naive and naive.error else ""

    def __len__(self) -> int:
        return 1 if self._error else len(self.rows)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return [RowBlock(1, len(self._error_lines(width)))] if self._error else ()

    def below(self, at: int, width: int) -> list[Line]:
        return self._error_lines(width)[1:] if self._error else []

    def _error_lines(self, width: int) -> list[Line]:
        return hanging([ERROR.piece("")], self._error, width)

    def tint(self, at: int) -> str:
        if self._error or self.rows[at].is_shared:
            return ""
        return "warning" if self.rows[at].is_kept else "hidden"

    def line(self, at: int, width: int) -> Line:
        if self._error:
            return self._error_lines(width)[0]
        row = self.rows[at]
        sign = Piece("+", "warn") if row.is_kept else Piece("−", "error")
        lead, body = [Piece(" ") if row.is_shared else sign], [Piece(f" {row.text[:MOST_TEXT]}")]
        if row.raw is not None and row.role is not None:
            kind = row.role if row.is_kept else "faint"
            lead += [Piece(f" {row.raw:>2} ", "muted"), Piece(f"{GLYPHS[row.role]} ", kind)]
            body = preview(self._log[row.raw], tool_names(self._log, row.raw))
        if not row.is_kept:
            body = [Piece(text, "struck") for text, _ in body]
        return [*lead, *fit_pieces(body, max(0, width - line_width(lead)))]


class LessonTimeline(TimelineSource):
    """The batches so far, in the language of the lesson, and the operations still to come."""

    def __init__(
        self, look: Look, errors: ErrorCounts, pending: Sequence[OperationWords], language: str
    ) -> None:
        super().__init__(look, errors)
        self._pending, self._language = pending, language
        self._count = super().__len__()

    def __len__(self) -> int:
        return self._count + len(self._pending)

    def tint(self, at: int) -> str:
        look = self.look
        if not isinstance(look, Frame) or look.was is None or at >= self._count:
            return ""
        return "added" if at >= len(look.was.batches) else ""

    def header(self, width: int) -> Line | None:
        return translated_header(super().header(width), self._language)

    def about(self, batch: Batch) -> str:
        if batch.operation is not None:
            return super().about(batch)
        count = len(self.conversation.revisions[0].view)
        messages = plural(count, "message")
        return say("{messages}", self._language, messages=messages, count=count)

    def line(self, at: int, width: int) -> Line:
        if at < self._count:
            return super().line(at, width)
        coming = self._pending[at - self._count]
        line = [
            Piece(fit(" ◌", self.layout(width).graph + 3), "key"),
            Piece(f"{coming.name} ", "text"),
            Piece(coming.argument, "muted"),
        ]
        return [*fit_pieces(line, max(0, width - 3)), Piece(" ? ", "key")]


# The story

INDENT = 2
LAYOUTS = ((True, True, False), (False, True, False), (False, False, False), (False, False, True))
"""Tried until one fits: with space between answers, with the last word, with some steps only."""


class StoryLines(NamedTuple):
    """The lines of the story, and the index of the answer on each line that has one."""

    lines: list[Line]
    answers: dict[int, int]


class StoryDrawing:
    """Draws the text, question and answers of the step that a player shows."""

    def __init__(
        self,
        player: Player,
        operations: list[OperationWords],
        language: str,
        *,
        has_next: bool = False,
    ) -> None:
        self.player, self.operations = player, operations
        self.language, self.has_next = language, has_next

    def draw(self, width: int, height: int, *, is_brief: bool = False) -> StoryLines:
        """Return the story in the roomiest layout that fits; a brief one leaves out some parts."""
        self.width = max(8, width - 1)
        self.is_brief = is_brief
        for self.is_loose, self.has_last_word, self.is_trimmed in LAYOUTS:
            self.lines: list[Line] = []
            self.answers: dict[int, int] = {}
            self._draw(height)
            if is_brief or len(self.lines) <= height:
                break
        return StoryLines(self.lines, self.answers)

    def _draw(self, height: int) -> None:
        step, asked = self.player.step, self.player.question
        if not (self.is_brief and asked is not None and self.player.is_revealed):
            self._paragraphs(step.tell)
        self._operations()
        if asked is not None:
            self._question(asked)
        if not self.player.is_covered:
            self._naive()
            if step.practice is not None:
                self._gap()
                self._paragraphs(step.practice)
        self._gap()
        if self.player.is_last:
            self._end()
        else:
            self._buttons()
        if not self.is_brief:
            self._steps(height)

    def _say(self, text: LessonText | str) -> str:
        language = self.language
        return say(text, language) if isinstance(text, str) else text.to(language)

    def _gap(self) -> None:
        if not self.is_brief and self.lines and self.lines[-1]:
            self.lines.append([])

    def _text(self, text: str, kind: str = "text", lead: str = "") -> None:
        self.lines += hanging([Piece(lead, kind)], text, self.width, kind)

    def _paragraphs(self, text: LessonText, kind: str = "text") -> None:
        for row in self._say(text).split("\n"):
            if row.strip():
                self._text(row, kind)
            else:
                self._gap()

    def _operations(self) -> None:
        if not self.operations:
            return
        self._gap()
        for one in self.operations:
            first, *rest = wrap(f"{one.name} {one.argument}", self.width - INDENT)
            name, _, argument = first.partition(" ")
            line = [Piece(f" {name} ", "bright"), Piece(argument, "text")]
            self.lines.append(filled_row(line, "opened", self.width))
            for row in rest:
                self.lines.append(filled_row([Piece(f"   {row}", "text")], "opened", self.width))
        for refusal in () if self.player.is_covered else self.player.stage.refusals:
            self._text(f"{self._say('Refused:')} {refusal}", ERROR.kind, f"{ERROR.glyph} ")

    def _question(self, asked: Prediction) -> None:
        self._gap()
        rows = [self._say("PREDICT"), *wrap(self._say(asked.question), self.width - INDENT)]
        for at, row in enumerate(rows):
            line = [Piece("▌ ", "key"), Piece(row, "bright" if at else "key")]
            self.lines.append(filled_row(line, "cursor", self.width))
        self._gap()
        if not self.player.is_covered:
            self._verdict(asked)
            return
        if self.player.is_asked:
            missing = first_words(self.player.missing, self.language)
            self._text(missing, WARNING.kind, WARNING.text(""))
        else:
            self._text(self._say(instruction(asked)), "muted")
        self._answers(asked)
        if self.player.is_hinted and asked.hint is not None:
            self._gap()
            self._text(self._say(asked.hint), "warn", "? ")

    def _answers(self, asked: Prediction) -> None:
        given = self.player.given
        if asked.number is not None and self.player.is_covered:
            typed = "" if given.number is None else f"{given.number}"
            self.lines.append([Piece("  "), Piece(f" {typed}_ ", "picked")])
        for at, answer in enumerate(asked.answers):
            if self.is_loose:
                self._gap()
            is_known = at in (asked.right, given.answer)
            if self.is_brief and self.player.is_revealed and not is_known:
                continue
            lead, kind = self._mark(asked, at)
            ink = {"key": "bright", "ok": "bright", "muted": "text", "error": "text"}.get(kind)
            self.answers[len(self.lines)] = at
            for nth, row in enumerate(wrap(self._say(answer.text), self.width - 6)):
                start = Piece("    " if nth else f"{lead} ", kind)
                number = Piece("  " if nth else f"{at + 1} ", "muted")
                self.lines.append([start, number, Piece(row, ink or kind)])

    def _mark(self, asked: Prediction, at: int) -> tuple[str, str]:
        is_chosen = self.player.given.answer == at
        if self.player.is_covered:
            return ("(●)", "key") if is_chosen else ("( )", "muted")
        if at == asked.right:
            return f" {PASSED.glyph} ", PASSED.kind
        return (f" {CROSS} ", ERROR.kind) if is_chosen else ("   ", "faint")

    def _verdict(self, asked: Prediction) -> None:
        if asked.answers:
            self._answers(asked)
            self._gap()
        score = self.player.verdict
        if score is None:
            line = [Piece(self._say("Not answered."), "bright")]
        else:
            said = "Right." if score.is_right else "Partly right." if score.right else "Not quite."
            symbol = PASSED.piece() if score.right else Piece(f"{CROSS} ", "error")
            line = [symbol, Piece(self._say(said), "bright")]
        if asked.number is not None:
            given = self.player.given.number
            yours = f"  ({self._say('yours')}: {'–' if given is None else given})"
            line += [Piece(f"  {asked.number.answer}", "ok"), Piece(yours, "muted")]
        self.lines.append(line)
        self._paragraphs(asked.explain)

    def _naive(self) -> None:
        naive = self.player.step.naive
        if naive is None:
            return
        self._gap()
        tab = [Piece("  "), Piece(" tab ", "pill")] if self.is_brief else []
        self.lines.append([Piece(self._say("A simpler rule"), "warn"), *tab])
        self._paragraphs(naive.says)

    def _buttons(self) -> None:
        player, asked = self.player, self.player.question
        says = "Reveal" if player.is_covered else "Next step"
        line = [Piece(" enter ", "chip"), Piece(f" {self._say(says)}", "bright")]
        if player.is_covered and asked and asked.hint and not player.is_hinted:
            line += [Piece("   "), Piece(" h ", "pill"), Piece(f" {self._say('Hint')}", "muted")]
        self.lines.append(line)

    def _end(self) -> None:
        """Draw the score, how many questions are open, and the keys that lead on."""
        player = self.player
        right, asked = player.score
        end = [Piece(self._say("The end."), "bright")]
        if asked:
            end.append(Piece(f" {score_words(right, asked, self.language)}", "ok"))
        self.lines.append(end)
        if any(map(player.is_open, range(len(player.lesson.steps)))):
            answered = answered_words(*player.progress.answered(player.lesson), self.language)
            symbol, kind = OPEN
            self._text(
                f"{answered}{self._say('; backspace leads back to the others.')}",
                kind,
                f"{symbol} ",
            )
        self._gap()
        leave = Piece(f" {self._say('Leave')}", "muted" if self.has_next else "bright")
        line = [Piece(" esc ", "pill" if self.has_next else "chip"), leave]
        if self.has_next:
            following = Piece(f" {self._say('Next lesson')}", "bright")
            line = [Piece(" > ", "chip"), following, Piece("   "), *line]
        self.lines.append(line)

    def _steps(self, height: int) -> None:
        """Draw the steps at the bottom; in the trimmed layout only those around the current one."""
        above, self.lines = self.lines, []
        steps = [self._step(at) for at in range(len(self.player.lesson.steps))]
        remember = self.player.lesson.remember
        if remember is not None and self.has_last_word:
            self.lines.append([])
            self._paragraphs(remember, "faint")
        space = height - len(above) - len(self.lines) - 3
        shown = _around(steps, self.player.at, space) if self.is_trimmed else steps
        if lines := [line for step in shown for line in step]:
            rule, heading = Piece("─" * self.width, "track"), Piece(self._say("So far"), "muted")
            self.lines = [[rule], [heading], *lines, *self.lines]
        gap = height - len(above) - len(self.lines)
        self.lines = [*above, *([[]] * max(1, gap)), *self.lines] if self.lines else above

    def _step(self, at: int) -> list[Line]:
        symbol, kind = _step_symbol(self.player, at)
        ink = "bright" if at == self.player.at else "text" if at < self.player.at else "faint"
        brief = self._say(self.player.lesson.steps[at].brief)
        return hanging([Piece(f"{symbol} ", kind)], brief, self.width, ink)


def _around(steps: list[list[Line]], at: int, space: int) -> list[list[Line]]:
    """Return as many steps around one as fit, none if it does not fit itself."""
    first = last = at
    if len(steps[at]) > space:
        return []
    while True:
        wider = [(first, last + 1), (first - 1, last)]
        fits = [
            (lo, hi)
            for lo, hi in wider
            if lo >= 0 and hi < len(steps) and sum(map(len, steps[lo : hi + 1])) <= space
        ]
        if not fits:
            return steps[first : last + 1]
        # To both sides in turn, so that the step stays in the middle.
        first, last = min(fits, key=lambda ends: abs((ends[0] + ends[1]) / 2 - at))


# The list of lessons

LEAST_SERIES = 90
"""Cells of a row from which on there is a column of the series."""


class LessonSource(NumberedSource):
    """A line for each lesson with its progress."""

    def __init__(self, lessons: Sequence[LessonFile], learner: LearnerState, language: str) -> None:
        self._lessons, self._learner, self._language = lessons, learner, language

    def __len__(self) -> int:
        return len(self._lessons)

    def line(self, at: int, width: int) -> Line:
        one = self._lessons[at]
        is_first = at == 0 or self._lessons[at - 1].lesson.series != one.lesson.series
        progress = self._learner.of(one.name)
        return lesson_row(one.lesson, progress, self._language, width, is_first=is_first)


def lesson_row(
    lesson: Lesson, progress: LessonProgress, language: str, width: int, *, is_first: bool
) -> Line:
    """Return the series of a lesson, its symbol, number, title and progress.

    Only the first lesson of a series names it; narrow rows name it after the title.
    """
    symbol, kind = ("◐", "key") if progress.is_begun else ("○", "muted")
    if progress.is_done(lesson):
        symbol, kind = PASSED
    far = Piece(f" {progress_words(lesson, progress, language)} ", "muted")
    series = SERIES[lesson.series].to(language) if is_first else ""
    lead = [
        Piece(fit(f" {series}", 24) if width >= LEAST_SERIES else "", "muted"),
        Piece(f" {symbol} ", kind),
        Piece(f"{lesson.order or '':>2}  ", "muted"),
    ]
    space = max(0, width - line_width([*lead, far]))
    title = printable(lesson.title.to(language), MOST_TEXT)
    after = Piece(f"  {series}  " if series and width < LEAST_SERIES else "", "key")
    if line_width([Piece(title), after]) > space:
        after = Piece("")
    return [*lead, Piece(fit(title, space - line_width([after])), "bright"), after, far]


def lesson_lines(lesson: Lesson, progress: LessonProgress, language: str, width: int) -> list[Line]:
    """Return what a lesson is about, and its steps."""
    width = max(10, width)
    series = f"{SERIES[lesson.series].to(language)} {lesson.order or ''}".rstrip()
    lines = [[Piece(series, "muted")], *paragraph(lesson.title.to(language), width, "bright")]
    if lesson.about is not None:
        lines += [[], *paragraph(lesson.about.to(language), width, "text")]
    far = progress_words(lesson, progress, language)
    lines += [[], [Piece(far, "ok" if progress.is_done(lesson) else "muted")], []]
    place = progress.place_in(lesson) if progress.is_begun else -1
    for at, step in enumerate(lesson.steps):
        symbol, kind = HERE if at == place else ("○", "faint")
        if at < place or progress.is_seen:
            symbol, kind = OPEN if progress.is_open(step) else ("●", "ok")
        question = Piece("? " if step.predict else "  ", "key")
        brief = fit(step.brief.to(language)[:MOST_TEXT], width - 4)
        lines.append([Piece(f"{symbol} ", kind), question, Piece(brief, "text")])
    if lesson.remember is not None and progress.is_seen:
        lines += [[], *paragraph(lesson.remember.to(language), width, "faint")]
    return lines
