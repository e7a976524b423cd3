"""The story of a lesson: what is told, done, asked and explained, and the steps so far."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core.lessons.lesson import Prediction
from ctxtui.lessons import words
from ctxtui.lessons.doing import Doing
from ctxtui.lessons.player import Player
from ctxtui.render.lesson.head import OPEN
from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

WRONG = "✗"
EDGE = 2
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
        for at, row in enumerate(wrap(visible(text), max(4, self.width - len(lead)))):
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
            first, *rest = wrap(visible(f"{one.name} {one.argument}"), self.width - EDGE)
            name, _, argument = first.partition(" ")
            line = [Piece(f" {name} ", "bright"), Piece(argument, "text")]
            self.lines.append(on_row(line, "opened", self.width))
            for row in rest:
                self.lines.append(on_row([Piece(f"   {row}", "text")], "opened", self.width))
        for refusal in () if self.player.is_covered else self.player.stage.refusals:
            said = f"{words.REFUSED.to(self.language)} {refusal}"
            self._text(said, ERROR.kind, f"{ERROR.glyph} ")

    def _question(self, asked: Prediction) -> None:
        self._gap()
        rows = [words.PREDICT.to(self.language)]
        rows += wrap(visible(asked.question.to(self.language)), self.width - EDGE)
        for at, row in enumerate(rows):
            line = [Piece("▌ ", "key"), Piece(row, "bright" if at else "key")]
            self.lines.append(on_row(line, "cursor", self.width))
        if self.player.is_covered:
            self._gap()
            if self.player.is_asked:
                missing = words.first_words(self.player.missing, self.language)
                self._text(missing, WARNING.kind, WARNING.text(""))
            else:
                self._text(words.told_to_do(asked).to(self.language), "muted")
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
            for nth, row in enumerate(wrap(visible(answer.text.to(self.language)), self.width - 6)):
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
            yours = f"  ({words.YOURS.to(self.language)}: {'–' if given is None else given})"
            line += [Piece(f"  {asked.number.answer}", "ok"), Piece(yours, "muted")]
        self.lines.append(line)
        self._paragraphs(asked.explain.to(self.language))

    def _judgement(self) -> Line:
        """Return how right the answer was, in a word or two."""
        verdict = self.player.verdict
        if verdict is None:
            return [Piece(words.UNANSWERED.to(self.language), "bright")]
        said = words.RIGHT if verdict.is_right else words.PARTLY if verdict.right else words.WRONG
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
        self.lines.append([Piece(words.SIMPLER.to(self.language), "warn"), *tab])
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
        says = words.REVEAL if player.is_covered else words.NEXT
        line = [Piece(" enter ", "chip"), Piece(f" {says.to(self.language)}", "bright")]
        asked_now = player.question if player.is_covered else None
        if asked_now is not None and asked_now.hint is not None and not player.is_hinted:
            line += [
                Piece("   "),
                Piece(" h ", "pill"),
                Piece(f" {words.HINT.to(self.language)}", "muted"),
            ]
        self.lines.append(line)

    def _end(self) -> None:
        """Tell how it went, what is still open, and the ways on, of which none is enter."""
        player, said = self.player, self.language
        right, asked = player.score
        end = [Piece(words.THE_END.to(said), "bright")]
        if asked:
            end.append(Piece(f" {words.score_words(right, asked, said)}", "ok"))
        self.lines.append(end)
        if not player.is_done:
            answered = words.answered_words(*player.progress.answered(player.lesson), said)
            sign, kind = OPEN
            self._text(f"{answered}{words.STILL_OPEN.to(said)}", kind, f"{sign} ")
        self._gap()
        leave = Piece(f" {words.LEAVE.to(said)}", "muted" if self.has_next else "bright")
        line = [Piece(" esc ", "pill" if self.has_next else "chip"), leave]
        if self.has_next:
            on = [Piece(" N ", "chip"), Piece(f" {words.NEXT_LESSON.to(said)}", "bright")]
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
                [Piece(words.SO_FAR.to(self.language), "muted")],
            ]
            self.lines = [*heading, *lines, *self.lines]
        gap = height - len(above) - len(self.lines)
        self.lines = [*above, *([[]] * max(1, gap)), *self.lines] if self.lines else above

    def _step(self, at: int) -> list[Line]:
        sign, kind = self._sign(at)
        text = visible(self.player.lesson.steps[at].brief.to(self.language))
        here = at == self.player.at
        ink = "bright" if here else "text" if at < self.player.at else "faint"
        rows = wrap(text, self.width - EDGE)
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
