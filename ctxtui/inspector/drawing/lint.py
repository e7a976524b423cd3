"""Lint findings: the rule and the place, the sentence, the cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.core import Finding
from ctxtui.core.what_if import WhatIfOutcome
from ctxtui.inspector.drawing.head import unlinted
from ctxtui.inspector.drawing.lists import finding_lines, mark_kind
from ctxtui.inspector.keys import KEYS_OF_OPERATIONS, KEYS_OF_REPAIRS
from ctxtui.inspector.models.links import helping, reason
from ctxtui.inspector.models.lint import PairRow, pair_rows
from ctxtui.inspector.models.look import Look
from ctxtui.text.icons import ERROR, PASSED, errors_piece, icon_of
from ctxtui.text.line_source import NumberedSource, RowBlock
from ctxtui.text.lines import Line, Piece, fit, fit_pieces, hanging, line_width, paragraph
from ctxtui.text.message import GLYPHS, WORDS, message_row, who
from ctxtui.text.numbers import tokens
from ctxtui.text.symbols import printable

# The repairs of a finding: a row for each, with what it would leave before anybody does it.

REPAIRS = {
    "restore": "bring the missing half back",
    "stub": "put a stand-in where it is missing",
    "drop": "hide the half that is left",
}
"""What each repair does; the one that loses least comes first."""

Repairs = Mapping[str, WhatIfOutcome | str]
"""What each repair would do, or why it is refused, as far as that is known."""

KEY_CELLS = 3
WORDS_CELLS = 37
FIGURE_CELLS = 18
ROOMY_CELLS = KEY_CELLS + WORDS_CELLS + 4 * FIGURE_CELLS - 4
COLUMNS = ("messages", "tokens", "lint", "prompt cache")
BY_HAND = "No repair fixes this: go there with enter, and change it by hand."
NOT_NEEDED = "A warning needs no repair: the provider may take it as it is."
ABOUT = "of all broken pairs at once; u undoes"


def repair_lines(look: Look, finding: Finding, repairs: Repairs, width: int) -> list[Line]:
    """Return the repairs that help a finding, each with before → after, and the form's key."""
    helps = helping(finding)
    if not look.is_live:
        return paragraph("Only the present is repaired: escape returns to it.", width, "muted")
    if not helps:
        told = BY_HAND if finding.severity == "error" else NOT_NEEDED
        return paragraph(told, width, "muted")
    lines: list[Line] = []
    if width >= ROOMY_CELLS:
        names = "".join(f"{name:<{FIGURE_CELLS}}" for name in COLUMNS)
        lines.append([Piece(" " * KEY_CELLS + f"{'repair':<{WORDS_CELLS}}{names}", "faint")])
    for policy, words in REPAIRS.items():
        if policy in helps:
            lines += _row(KEYS_OF_REPAIRS[policy], words, repairs.get(policy), width)
    form = Piece(f"{KEYS_OF_OPERATIONS['REPAIR']:<{KEY_CELLS}}", "key")
    return [
        *lines,
        fit_pieces([form, Piece("choose one with a preview of every row", "muted")], width),
    ]


def _row(key: str, words: str, outcome: WhatIfOutcome | str | None, width: int) -> list[Line]:
    lead = [Piece(f"{key:<{KEY_CELLS}}", "key")]
    if outcome is None or isinstance(outcome, str):
        told = "…" if outcome is None else printable(outcome, 60)
        line = [*lead, Piece(f"{words:<{WORDS_CELLS}}", "bright"), Piece(told, "muted")]
        return [fit_pieces(line, width)]
    figures = _figures(outcome)
    if width >= ROOMY_CELLS:
        cells = [Piece(fit(piece.text, FIGURE_CELLS), piece.kind) for piece in figures]
        return [fit_pieces([*lead, Piece(f"{words:<{WORDS_CELLS}}", "bright"), *cells], width)]
    messages, sums, lint, cache = figures
    above = [*lead, Piece(f"{words}  ", "bright"), lint]
    below = [
        Piece(" " * KEY_CELLS),
        Piece(f"{messages.text} messages  {sums.text} tokens", "muted"),
    ]
    kept = Piece(f"  cache {cache.text}", "muted")
    if line_width([*below, kept]) <= width:
        below.append(kept)
    return [fit_pieces(above, width), fit_pieces(below, width)]


def _figures(outcome: WhatIfOutcome) -> list[Piece]:
    before, errors = outcome.before, outcome.error_count
    left = f"{ERROR.glyph} {errors}" if errors else PASSED.glyph
    kept = outcome.prefix.messages
    cache = "kept" if kept >= before.messages else f"breaks at {kept}"
    return [
        Piece(f"{before.messages:,} → {outcome.messages:,}"),
        Piece(f"{tokens(before.tokens)} → {tokens(outcome.tokens)}"),
        Piece(
            f"{ERROR.glyph} {before.error_count} → {left}", ERROR.kind if errors else PASSED.kind
        ),
        Piece(cache, "muted"),
    ]


# Why a finding is one: the rule, both halves of the exchange with the cut, and when it came.

BRACKET_CELLS = 2
LEAST_ROOM = 12
"""Cells of a message below which its place is not shown."""


def why_lines(look: Look, finding: Finding, width: int, *, is_tight: bool = True) -> list[Line]:
    """Return why there is such a rule, and the messages this finding is about."""
    lines = paragraph(reason(finding), width, "bright")
    rows = pair_rows(look, finding)
    space: list[Line] = [] if is_tight or not rows else [[]]
    return [*lines, *space, *_picture(look, finding, rows, width)]


def cause_lines(
    look: Look, finding: Finding, history: Sequence[tuple[int, int | None]], width: int
) -> list[Line]:
    """Return the sentence of a finding with its cause, and the errors of the batches before."""
    lines = finding_lines(look, finding, width)
    return [*lines, [], *_history(history, look.batch.number, width)] if len(history) > 1 else lines


def _picture(look: Look, finding: Finding, rows: Sequence[PairRow], width: int) -> list[Line]:
    if not rows:
        return []
    parts = [at for at, row in enumerate(rows) if row.is_part]
    first, last = (parts[0], parts[-1]) if len(parts) > 1 else (-1, -1)
    digits = max(3, len(str(max(row.raw or 0 for row in rows))))
    kind = icon_of(finding).kind
    lines = []
    for at, row in enumerate(rows):
        mark = "╭" if at == first else "╰" if at == last else "│" if first < at < last else " "
        arm = "╌" if at in (first, last) else " "
        lead = [Piece(f"{mark}{arm}", kind)]
        room = width - BRACKET_CELLS
        if row.is_cut:
            line = _cut(row.words, room)
        elif row.raw is None:
            sign, ink = ("✗", "error") if row.is_part else ("⋮", "faint")
            line = [Piece(f"{sign:>{digits + 2}} {row.words}", ink)]
        else:
            line = _message(look, row.raw, row.raw == finding.raw_index, (digits, room))
        lines.append(fit_pieces([*lead, *line], width))
    return lines


def _cut(words: str, room: int) -> Line:
    told = f" {printable(words, 60)} "
    rest = max(2, room - len(told))
    return [
        Piece("╌" * (rest // 2), "error"),
        Piece(told, "error"),
        Piece("╌" * (rest - rest // 2), "error"),
    ]


def _message(look: Look, raw: int, is_meant: bool, sizes: tuple[int, int]) -> Line:
    """Return a message with its position; hidden ones are faint, with what hid them."""
    digits, room = sizes
    message, position = look.state.log[raw], look.view.position(raw)
    sign = ERROR.glyph if is_meant else " "
    place = _hidden_by(look, raw) if position is None else f"position {position}"
    lead = [
        Piece(sign, ERROR.kind),
        Piece(f"{raw:>{digits + 1}} ", "muted" if position is not None else "faint"),
        who(message.role),
    ]
    is_tight = room - line_width(lead) - len(place) - 2 < LEAST_ROOM
    tail = [] if is_tight else [Piece(f"  {place}", "muted")]
    line = message_row(look.state.log, raw, lead, tail, room)
    return line if position is not None else [Piece(text, "faint") for text, _ in line]


def _hidden_by(look: Look, raw: int) -> str:
    hidden = look.blame(raw)
    if hidden is None or hidden.batch is None:
        return "other branch"
    return f"hidden by {hidden.batch.number}"


def _history(history: Sequence[tuple[int, int | None]], shown: int, width: int) -> list[Line]:
    lead = "Errors  "
    lines: list[Line] = [[Piece(lead, "muted")]]
    used = len(lead)
    for number, errors in history:
        told = errors_piece(errors)
        size = len(f"{number} {told.text}   ")
        if used + size > width and len(lines[-1]) > 1:
            lines.append([Piece(" " * len(lead))])
            used = len(lead)
        name = Piece(f"{number} ", "bright" if number == shown else "muted")
        lines[-1] += [name, told, Piece("   ")]
        used += size
    return lines


LOW_ROWS = 2
HIGH_ROWS = 4
"""Rows of a finding where there is little room, and where its cause and a space have some."""
INDENT = "   "


class LintSource(NumberedSource):
    """Some lines for every finding; its key is its place in the list of findings."""

    def __init__(self, look: Look, *, is_low: bool = False) -> None:
        self.look = look
        self._rows = LOW_ROWS if is_low else HIGH_ROWS

    def __len__(self) -> int:
        return len(self.look.findings)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return [RowBlock(len(self), self._rows)]

    def line(self, at: int, width: int) -> Line:
        finding = self.look.findings[at]
        sign = icon_of(finding)
        line = [Piece(f" {sign.text(finding.rule):<6}", sign.kind), *_place(finding)]
        if finding.raw_index is None:
            return line
        role = self.look.state.log[finding.raw_index].role
        who = Piece(f"{GLYPHS[role]} {WORDS[role]} ", role)
        room = max(0, width - len(who.text))
        return [*fit_pieces(line, room), who] if line_width(line) < room else line

    def below(self, at: int, width: int) -> list[Line]:
        finding = self.look.findings[at]
        lines: list[Line] = [[Piece(INDENT), Piece(finding.message)]]
        if self._rows == HIGH_ROWS:
            half = self.look.other_half(finding)
            lines += [
                []
                if half is None
                else [Piece(f"{INDENT}cause  ", "faint"), Piece(half.in_short, "muted")],
                [],
            ]
        return lines


def _place(finding: Finding) -> Line:
    if finding.position is None:
        return [Piece("the whole projection", "muted")]
    return [
        Piece("position ", "muted"),
        Piece(f"{finding.position:,}", "bright"),
        Piece(f"   raw {finding.raw_index:,}", "muted"),
    ]


# What needs attention, in one small pane: lint findings with their cause, and lost marks.

MOST_FINDINGS = 50


def attention_lines(look: Look, width: int) -> list[Line]:
    """Return the findings, then each label with how many of its messages are hidden."""
    lines = _findings(look, width)
    marks = look.conversation.marks
    if marks:
        lines += [[], [Piece("Marks", "bright")]]
    sent = set(look.view) if marks else set()
    for label, raws in list(marks.items())[:MOST_FINDINGS]:
        hidden = [raw for raw in raws if raw not in sent]
        told = f"{len(hidden)} of {len(raws)} hidden" if hidden else f"{len(raws)} sent"
        places = ", ".join(str(raw) for raw in (hidden or raws)[:6])
        lines.append(
            [
                Piece("★ ", mark_kind(label)),
                Piece(f"{label[:20]}  ", "text"),
                Piece(told, "error" if hidden else "muted"),
                Piece(f"  raw {places}", "faint"),
            ]
        )
    return lines


def _findings(look: Look, width: int) -> list[Line]:
    if not look.is_linted:
        return [[unlinted(look)]]
    if not look.findings:
        profile = look.conversation.settings.profile
        return [[PASSED.piece(), Piece(f"Every rule of {profile} passes.", "muted")]]
    lines: list[Line] = []
    for finding in look.findings[:MOST_FINDINGS]:
        glyph, kind = icon_of(finding)
        place = "all" if finding.position is None else f"pos {finding.position}"
        lead = [Piece(f"{glyph} {finding.rule:<3}", kind), Piece(f"{place:>7} ", "muted")]
        told = f"{finding.message} {look.cause(finding)}".strip()
        lines += hanging(lead, told, width - 1)
    more = len(look.findings) - MOST_FINDINGS
    return [*lines, [Piece(f"… {more} more: L", "faint")]] if more > 0 else lines
