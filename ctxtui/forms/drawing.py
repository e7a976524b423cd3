"""Before and after as numbers, bars and ribbons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.cells import cell_len

from ctxtui.core import Finding
from ctxtui.core.conversation.conversation import Result
from ctxtui.core.engine.state import State
from ctxtui.core.suggestions import CandidateValue, Suggestion, ValueHint
from ctxtui.core.what_if import Assessment, WhatIfOutcome
from ctxtui.forms.keys import FORM
from ctxtui.inspector.drawing.lists import mark_kind, star
from ctxtui.inspector.models.look import Look
from ctxtui.text.figures import (
    LABEL_CELLS,
    Figure,
    cache_figure,
    change_piece,
    count_figure,
    figure_table,
)
from ctxtui.text.icons import ERROR, PASSED, WARNING, icon_of
from ctxtui.text.lines import (
    Line,
    Piece,
    cropped,
    filled_row,
    fit_pieces,
    flow,
    hanging,
    line_width,
    paragraph,
    stacked_up,
    wrap,
)
from ctxtui.text.message import WORDS, message_row, plain_preview, who
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import FULL, bar
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis, Weights
from ctxtui.text.symbols import printable
from ctxtui.text.word_diff import Edit, edit_lines

# What is drawn of an operation that was not done yet, worked out before it is drawn.


class MessagePlace(NamedTuple):
    """A message, and its position before or after; None where it is hidden."""

    raw: int
    position: int | None


class Moves(NamedTuple):
    """Messages that go, come or move: how many, and the first of them in visible order."""

    verb: str
    sign: str
    kind: str
    tint: str
    number: int
    places: tuple[MessagePlace, ...]


class Neighbour(NamedTuple):
    """A line of the place where something changes: ``−`` goes, ``+`` comes, a blank stays."""

    sign: str
    place: MessagePlace


class Swap(NamedTuple):
    """New messages among the others: the places around them, and how the text changes."""

    around: tuple[Neighbour, ...]
    old: int | None
    new: int | None
    edits: Sequence[Edit] = ()


class Held(NamedTuple):
    """What settings mean: findings by profile, tokens against the limit, batches above it."""

    profile: str
    assessed: Mapping[str, Assessment]
    limit: int | None
    batches_above: int
    highest: int


@dataclass(frozen=True)
class Prospect:
    """An operation as a form has it, and all that its preview shows."""

    look: Look
    asked: Mapping[str, Any]
    result: Result
    outcome: WhatIfOutcome
    moves: tuple[Moves, ...]
    weights: Weights
    notes: tuple[str, ...] = ()
    swap: Swap | None = None
    held: Held | None = None
    hint: ValueHint | None = None
    hint_label: str = ""
    can_keep_system: bool = False
    can_keep_marks: bool = False


@dataclass(frozen=True)
class Start:
    """A form that is not filled in yet: the state, and what one could start from."""

    look: Look
    sentence: str
    about: str
    suggestions: tuple[Suggestion, ...] = ()
    chosen: int = 0
    is_looking: bool = False
    held: Held | None = None
    position: int | None = None
    """Where something is to be put, if the form says so."""


NOW_AND_AFTER, COUNTED_CELLS = ("now", "after"), 7
"""What is before the ribbons, and the cells of it that are not the count."""


def figure_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return messages, tokens and cache, each before and after."""
    outcome = prospect.outcome
    before, after, total = outcome.before, outcome.messages, outcome.tokens
    figures = [count_figure("messages", before.messages, after)]
    if outcome.counter != before.counter:
        note = [Piece(f"as {outcome.counter} counts", "muted")]
        figures.append(Figure("tokens", "", tokens(total), note))
    else:
        share = f"  {percent(total, outcome.limit)} of limit" if outcome.limit else ""
        note = [change_piece(before.tokens, total), Piece(share, "muted")]
        figures.append(count_figure("tokens", before.tokens, total, note))
        if not outcome.keeps_projection:
            kept, sizes = outcome.prefix, (before.messages, after)
            figures.append(cache_figure(kept.tokens, kept.messages, sizes, total))
    return figure_table(figures, width)


def ribbon_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return the log as it is sent now and as it would be, red where something would go."""
    look, result = prospect.look, prospect.result
    log, outcome = result.moment.log, prospect.outcome
    now = Ribbon(log, prospect.weights, look.view, size=look.log_size)
    after = Ribbon(log, prospect.weights, result.revision.view, went=result.diff.hidden)
    counts = [tokens(outcome.before.messages), tokens(outcome.messages)]
    room = max(LABEL_CELLS - COUNTED_CELLS, *map(len, counts))
    labels = [
        f"{word:<6}{count:>{room}} " for word, count in zip(NOW_AND_AFTER, counts, strict=True)
    ]
    axis = RibbonAxis(len(log), width - len(labels[0]))
    return [
        [Piece(labels[0], "muted"), *now.line(axis)],
        [Piece(labels[1], "bright"), *after.line(axis)],
    ]


def now_line(look: Look, width: int) -> Line:
    """Return the log as it is sent now."""
    ribbon = Ribbon(look.state.log, look.figures, look.view, size=look.log_size)
    axis = RibbonAxis(look.log_size, width - LABEL_CELLS)
    return [Piece(f"{'now':<{LABEL_CELLS}}", "muted"), *ribbon.line(axis)]


LEGEND = (("▆", "assistant", "stays"), ("▂", "error", "would go"), ("▁", "faint", "hidden before"))


def legend() -> Line:
    """Return what the cells of a ribbon mean."""
    line: Line = []
    for sign, kind, words in LEGEND:
        line += [Piece("   " if line else ""), Piece(sign, kind), Piece(f" {words}", "muted")]
    return line


# What lint would say, what to be careful about, and the hint that fixes it.

MOST_FINDINGS = 5
MOST_LABELS = 4
LEAD_CELLS = 10
"""Cells of the sign and ``appears`` before the sentence."""
REMEDY_CELLS = 21
"""Cells of the key that fixes it, with its words."""
KEYS = {command.action: command.shown_keys() for command in FORM}


def lint_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return lint before and after, with each finding that appears or goes."""
    outcome = prospect.outcome
    come, gone = outcome.findings_come, outcome.findings_gone
    arrow = Piece(" → ", "muted")
    head = [Piece("Lint   ", "bright"), *_counts(outcome.before), arrow, *_counts(outcome)]
    lines: list[Line] = [head]
    lines += _findings("appears", come, width)
    lines += _findings("goes", gone, width)
    if not come and not gone:
        head.append(Piece("   nothing changes", "muted"))
    return lines


def _counts(assessed: Assessment) -> Line:
    signs = [
        ERROR.piece(str(assessed.error_count)) if assessed.error_count else None,
        WARNING.piece(str(assessed.warning_count)) if assessed.warning_count else None,
    ]
    found = [sign for sign in signs if sign is not None]
    if len(found) > 1:
        found.insert(1, Piece(" "))
    return found or [Piece(PASSED.glyph, PASSED.kind)]


def _findings(words: str, findings: Sequence[Finding], width: int) -> list[Line]:
    lines: list[Line] = []
    for finding in findings[:MOST_FINDINGS]:
        sign = icon_of(finding) if words == "appears" else PASSED
        tint = "finding" if words == "appears" and finding.severity == "error" else "plain"
        place = "" if finding.raw_index is None else f"raw {finding.raw_index}: "
        lead = [sign.piece(f"{words:<{LEAD_CELLS - 2}}"), Piece(f"{finding.rule:<4}", "bright")]
        rows = hanging(lead, f"{place}{finding.message}"[:400], width)
        lines += [filled_row(line, tint, width) for line in rows]
    if len(findings) > MOST_FINDINGS:
        lines.append([Piece(f"  … {len(findings) - MOST_FINDINGS:,} more {words}", "faint")])
    return lines


def attention_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return a warning for system messages and for marks that would go, with what fixes it."""
    outcome = prospect.outcome
    lines: list[Line] = []
    lost = outcome.system_lost
    if lost:
        is_first = prospect.look.view[0] == lost[0]
        words = "would go"
        if is_first:
            words += ", the first too" if len(lost) > 1 else ": the first prompt"
        count = WARNING.piece(plural(len(lost), "system message"))
        is_tight = cell_len(count.text) + len(words) + REMEDY_CELLS > width
        left = [count, Piece(" would go" if is_tight else f" {words}")]
        key = ("keep_system", "keep system") if prospect.can_keep_system else None
        lines.append(_warning(left, key, width))
    for label, raws in list(outcome.lost.items())[:MOST_LABELS]:
        log = prospect.result.moment.log
        text = plain_preview(log[raws[0]])
        also = f" and {len(raws) - 1:,} more" if len(raws) > 1 else ""
        left = [
            Piece("★ ", mark_kind(label)),
            Piece(label[:24], mark_kind(label)),
            Piece(f" would go: {text}", "text"),
            Piece(also, "muted"),
        ]
        key = ("keep_marks", "keep marks") if prospect.can_keep_marks and not lines[1:] else None
        lines.append(_warning(left, key, width))
    more = len(outcome.lost) - MOST_LABELS
    if more > 0:
        rest = Piece(f"★ {plural(more, 'more label')} would go", "mark")
        lines.append(_warning([rest], None, width))
    return lines


def _warning(left: Line, key: tuple[str, str] | None, width: int) -> Line:
    right = [] if key is None else [Piece(f"  {KEYS[key[0]]} ", "key"), Piece(key[1], "muted")]
    room = width - line_width(right)
    return filled_row([*fit_pieces(left, max(0, room)), *right], "warning", width)


def hint_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return the nearest number that leaves no error, and the key that takes it."""
    hint = prospect.hint
    if hint is None:
        return []
    line = [Piece("Hint   ", "warn"), Piece(f"{prospect.hint_label} "), *_near(prospect, hint.best)]
    if hint.other is not None:
        line += [Piece(", "), *_near(prospect, hint.other)]
    right = [
        Piece(f"  {KEYS['take']} ", "key"),
        Piece(f"take {hint.best.value:,}", "muted"),
    ]
    room = width - line_width(right)
    if line_width(line) > room:
        return [fit_pieces(line, width), [Piece(" " * 5), *right]]
    return [[*fit_pieces(line, max(0, room)), *right]]


def _near(prospect: Prospect, near: CandidateValue) -> Line:
    return [Piece(f"{near.value:,}", "bright"), Piece(f" {_what_becomes(prospect, near)}")]


def _what_becomes(prospect: Prospect, near: CandidateValue) -> str:
    """Return what a number does about the error: the broken pair stays whole, or goes."""
    errors = [one for one in prospect.outcome.findings_come if one.severity == "error"]
    pairs = [one for one in errors if one.repairs and one.raw_index is not None]
    if len(errors) != 1 or not pairs:
        return "leaves no error"
    place = prospect.look.view.position(pairs[0].raw_index or 0)
    stays = place is not None and near.outcome.fates[place]
    return "keeps that pair" if stays else "lets it go"


# An operation as JSON, with the value that was changed last in the colour of keys.

MOST_LINES = 4
MOST_CHARACTERS = 400
MOST_ITEMS = 50
"""Messages may be huge, and so may lists; what is too long to read is not even written out."""


def operation_lines(asked: Mapping[str, Any], changed: str, width: int) -> list[Line]:
    """Return an operation as JSON in a few lines; text of any language is written as itself."""
    pieces = [Piece("{", "muted")]
    for at, (name, value) in enumerate(asked.items()):
        pieces.append(Piece(f'{", " if at else ""}"{name}": ', "muted"))
        text = printable(json.dumps(_shortened(value), ensure_ascii=False), MOST_CHARACTERS)
        pieces.append(Piece(text, "key" if name == changed else "text"))
    lines = flow([*pieces, Piece("}", "muted")], max(8, width))
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], [*lines[MOST_LINES - 1][:-1], Piece("…", "muted")]]


def _shortened(value: Any) -> Any:
    match value:
        case str():
            return value[:MOST_CHARACTERS]
        case dict():
            return {key: _shortened(one) for key, one in list(value.items())[:MOST_ITEMS]}
        case list():
            return [_shortened(one) for one in value[:MOST_ITEMS]]
        case _:
            return value


# Messages that would go, come or move, and the place where one takes another's stead.

LEAST_ROWS = 3
TOKEN_CELLS = 7
"""Characters of a text that is shown whole because it can't be compared."""


def move_lines(prospect: Prospect, width: int, room: int | None) -> list[Line]:
    """Return all that would go, come or move in at most so many lines, or as many as there are."""
    moves = prospect.moves
    lines: list[Line] = []
    for at, move in enumerate(moves):
        left = len(moves) - at
        share = None if room is None else max(LEAST_ROWS + 3, (room - len(lines)) // left)
        lines += _section(prospect, move, width, share)
    return lines


def _section(prospect: Prospect, move: Moves, width: int, room: int | None) -> list[Line]:
    about = "oldest first" if move.number > 1 else ""
    head = [Piece(f"{plural(move.number, 'message')} would {move.verb}", "bright")]
    head.append(Piece(f"   {about}", "faint"))
    rows = list(move.places)
    fits = room is None or move.number <= room - 2
    shown = rows if fits else rows[: max(LEAST_ROWS, (room or 0) - 3)]
    lines: list[Line] = [head]
    lines += [
        filled_row(_row(prospect, place, move.sign, move.kind, width), move.tint, width)
        for place in shown
    ]
    more = move.number - len(shown)
    if more:
        how = "   tab to here scrolls" if len(rows) > len(shown) else ""
        lines.append([Piece(f"  … {more:,} more{how}", "faint")])
    return [*lines, []]


def _row(prospect: Prospect, place: MessagePlace, sign: str, kind: str, width: int) -> Line:
    return place_row(prospect.look, prospect.result.moment, place, Piece(sign, kind), width)


def place_row(look: Look, state: State, place: MessagePlace, sign: Piece, width: int) -> Line:
    """Return a message with its place and its tokens; the sign says what becomes of it."""
    log, raw = state.log, place.raw
    cells = len(str(len(log)))
    count = log.tokens(raw, state.counter)
    position = "" if place.position is None else f"{place.position:,}"
    mark = star(look, raw) if raw < look.log_size else None
    lead = [
        sign,
        mark or Piece(" "),
        Piece(f"{position:>{cells + 1}} ", "bright"),
        Piece(f"{raw:>{cells}} ", "muted"),
        who(log[raw].role),
    ]
    tail = Piece(f" {f'{sign.text.strip()}{tokens(count)}':>{TOKEN_CELLS - 1}}", sign.kind)
    return message_row(log, raw, lead, [tail], width)


def swap_lines(prospect: Prospect, swap: Swap, width: int) -> list[Line]:
    """Return new messages among their neighbours, and how the text changes."""
    tints = {"−": ("hidden", "error"), "+": ("added", "ok"), " ": ("plain", "muted")}
    lines: list[Line] = [[Piece("Its position", "bright")]]
    for sign, place in swap.around:
        tint, kind = tints[sign]
        lines.append(filled_row(_row(prospect, place, sign, kind, width), tint, width))
    return [*lines, [], *_text_lines(prospect, swap, width)]


def _text_lines(prospect: Prospect, swap: Swap, width: int) -> Sequence[Line]:
    if swap.old is None or swap.new is None:
        return []
    lines: list[Line] = [[Piece("What changes in the text", "bright")]]
    if not swap.edits:
        lines.append([Piece("Nothing yet: it is the same text.", "muted")])
    else:
        lines += edit_lines(swap.edits, width)
    said = f"raw {swap.old} stays in the log; undo or roll back brings it in sight again."
    return [*lines, [], *paragraph(said, width, "faint")]


# What settings mean for what is sent: findings by profile, tokens against the limit.

NAME_CELLS = 18
BAR_CELLS = 30


def held_lines(held: Held, width: int) -> list[Line]:
    """Return the tokens against the limit, then what each profile would say."""
    return [*_limit(held, width), [], *_profiles(held)]


def _limit(held: Held, width: int) -> list[Line]:
    now = held.assessed[held.profile]
    limit, total, counter = held.limit, now.tokens, printable(now.counter, 20)
    lines: list[Line] = [[Piece("The limit", "bright"), Piece(f"   tokens by {counter}", "faint")]]
    if limit is None:
        sentence = (
            f"now {total:,}; there is no limit. The most a batch has had is {held.highest:,}."
        )
        return [*lines, *paragraph(sentence, width)]
    room = min(BAR_CELLS, max(4, width - 2))
    text = bar(min(total, limit), limit, room)
    kind = ERROR.kind if total > limit else "bright"
    lines.append([Piece(text, kind), Piece(FULL * (room - len(text)), "track")])
    count = held.batches_above
    batches = (
        f"{plural(count, 'batch', 'batches')} {'was' if count == 1 else 'were'}"
        if count
        else "no batch was"
    )
    sentence = f"now {total:,} of {limit:,}: {percent(total, limit)}; {batches} above {limit:,}"
    return [*lines, *paragraph(sentence, width)]


def _profiles(held: Held) -> list[Line]:
    lines: list[Line] = [
        [Piece("Whose rules apply", "bright"), Piece("   to what is sent now", "faint")]
    ]
    for name, found in held.assessed.items():
        errors, warnings = found.error_count, found.warning_count
        is_chosen = name == held.profile
        line = [
            Piece(
                f"{'•' if is_chosen else ' '} {name:<{NAME_CELLS}}",
                "bright" if is_chosen else "text",
            )
        ]
        if errors:
            line.append(ERROR.piece(f"{plural(errors, 'error')}  "))
        if warnings:
            line.append(WARNING.piece(plural(warnings, "warning")))
        if not errors and not warnings:
            line.append(PASSED.piece("passes"))
        lines.append(line)
    return lines


# The start of a form: the state now, and cuts to start from with their outcome.

SUGGESTION_CELLS = 15
LINT_CELLS = 6
LONGEST_LABEL = 24
LEAST_NAME = 12
NOW_CELLS = 10
NEARBY = 8
"""How many messages are shown: around a place, or the newest ones."""
SMALL_START = 16
"""Lines below which there is no room for blank ones."""


def start_lines(start: Start, width: int, height: int | None = None) -> list[Line]:
    """Return a friendly start: a sentence, the present, and what one could begin with.

    Where there are few lines, blank ones and what only explains give way.
    """
    is_small = height is not None and height < SMALL_START
    gap: list[Line] = [] if is_small else [[]]
    lines = paragraph(start.sentence, width, "bright")
    if not is_small:
        lines += paragraph(start.about, width, "muted") if start.about else []
    look = start.look
    if start.held is not None:
        return [*lines, *gap, *held_lines(start.held, width)]
    if look.log_size:
        lines += [*gap, now_line(look, width), *_standing(start, width)]
    if start.suggestions:
        lines += [*gap, *_head(width), *gap, *([] if is_small else [_columns(width)])]
        for at, suggestion in enumerate(start.suggestions):
            lines += _suggestion(suggestion, width, is_chosen=at == start.chosen)
            lines += gap
    elif not start.is_looking:
        lines += _nearby(start, width, gap)
    else:
        lines += [*gap, [Piece("… looking for cuts to start from", "faint")]]
    return lines


def _nearby(start: Start, width: int, gap: list[Line]) -> list[Line]:
    look, size, place = start.look, len(start.look.view), start.position
    if not size:
        return []
    title, first = "What is sent last", max(0, size - NEARBY)
    if place is not None and place < size:
        title, first = f"Around position {place:,}", max(0, min(place - NEARBY // 2, first))
    places = [MessagePlace(look.view[at], at) for at in range(first, min(size, first + NEARBY))]
    rows = [place_row(look, look.state, one, Piece(" ", "muted"), width) for one in places]
    return [*gap, [Piece(title, "bright")], *rows]


def _standing(start: Start, width: int) -> list[Line]:
    look = start.look
    line = [
        Piece(" " * NOW_CELLS),
        Piece(f"{len(look.view):,}", "bright"),
        Piece(f" {'message' if len(look.view) == 1 else 'messages'}   ", "muted"),
        Piece(tokens(look.total), "bright"),
        Piece(" tokens   ", "muted"),
    ]
    if not look.is_linted:
        return [line]
    sign = ERROR.piece(plural(look.errors, "error")) if look.errors else PASSED.piece("no error")
    if sum(cell_len(piece.text) for piece in (*line, sign)) <= width:
        return [[*line, sign]]
    return [line, [Piece(" " * NOW_CELLS), sign]]


def _head(width: int) -> list[Line]:
    title = Piece("Or start from one of these", "bright")
    keys = [
        Piece(f"{KEYS['next_suggestion']} ", "key"),
        Piece("next  ", "muted"),
        Piece(f"{KEYS['take']} ", "key"),
        Piece("take it", "muted"),
    ]
    room = width - line_width(keys)
    if cell_len(title.text) >= room:
        return [[title], keys]
    return [[*fit_pieces([title], room), *keys]]


def _name_cells(width: int) -> int:
    return max(LEAST_NAME, width - 2 * SUGGESTION_CELLS - LINT_CELLS)


def _columns(width: int) -> Line:
    cells = (
        f"{'messages':>{SUGGESTION_CELLS}}",
        f"{'tokens':>{SUGGESTION_CELLS}}",
        f"{'lint':>{LINT_CELLS}}",
    )
    return [Piece(" " * _name_cells(width)), Piece("".join(cells), "faint")]


def _suggestion(suggestion: Suggestion, width: int, *, is_chosen: bool) -> list[Line]:
    outcome = suggestion.outcome
    before, errors = outcome.before, outcome.error_count
    messages = f"{tokens(before.messages)} → {tokens(outcome.messages)}"
    sums = f"{tokens(before.tokens)} → {tokens(outcome.tokens)}"
    kind, tint = ("bright", "select") if is_chosen else ("text", "plain")
    sign = ERROR.text(str(errors)) if errors else PASSED.glyph
    name = Piece(cut_text(suggestion.operation), kind)
    figures = [
        Piece(f"{messages:>{SUGGESTION_CELLS}}{sums:>{SUGGESTION_CELLS}}", kind),
        Piece(f"{sign:>{LINT_CELLS}}", ERROR.kind if errors else PASSED.kind),
    ]
    cells = _name_cells(width)
    if cell_len(name.text) < cells:
        rows: list[Line] = [[*fit_pieces([name], cells), *figures]]
    else:
        rows = [[name], [Piece(" " * cells), *figures]]
    rows.append([_consequence(suggestion)])
    return [filled_row(row, tint, width) for row in rows]


def cut_text(operation: Mapping[str, Any]) -> str:
    """Return a cut in a few words, such as ``keep last 9, system and marks``."""
    words = []
    if operation.get("role"):
        others = "" if operation.get("keepOthers") else " and nothing else"
        words.append(f"only {_role(operation['role'])}{others}")
    for name, word in (("keepLast", "keep last"), ("maxTokens", "max tokens")):
        if name in operation:
            words.append(f"{word} {operation[name]:,}")
    kept = [
        word
        for name, word in (("keepSystem", "system"), ("keepMarks", "marks"))
        if operation.get(name)
    ]
    if kept:
        words.append(f"keep {kept[0]}" if len(kept) == 1 else " and ".join(kept))
    return ", ".join(words)


def _role(role: str) -> str:
    return "tool results" if role == "tool" else WORDS[role]


def _consequence(suggestion: Suggestion) -> Piece:
    outcome = suggestion.outcome
    if outcome.error_count:
        return Piece(
            f"{plural(outcome.error_count, 'error')}: {outcome.in_words('error')}", "muted"
        )
    if outcome.lost:
        labels = ", ".join(printable(label, LONGEST_LABEL) for label in list(outcome.lost)[:3])
        stays = "" if outcome.system_lost else ", the prompt stays"
        return Piece(f"★ {labels} would go{stays}", "warn")
    if outcome.system_lost:
        return Piece(f"{plural(len(outcome.system_lost), 'system message')} would go", "warn")
    marked = bool(suggestion.operation.get("keepMarks"))
    words = "nothing that you marked would go" if marked else "no system message would go"
    return Piece(words, "muted")


# The preview of an operation: figures, ribbons, warnings, what moves, lint and a hint.

SMALL_VIEW = 20
"""Lines below which there is no room for blank ones and for explanations."""


def outcome_lines(prospect: Prospect, width: int, height: int | None = None) -> list[Line]:
    """Return the preview; with a height the rows give way, so that lint and hint are in sight."""
    is_small = height is not None and height < SMALL_VIEW and not _has_room(prospect, width, height)
    notes = [line for note in prospect.notes for line in _note(note, width)]
    top = [figure_lines(prospect, width), ribbon_lines(prospect, width)]
    if not is_small and prospect.result.diff.hidden and prospect.swap is None:
        top[1].append([Piece(" " * 10), *legend()])
    attention = attention_lines(prospect, width)
    hint = hint_lines(prospect, width)
    lint = [*lint_lines(prospect, width), *([[], *hint] if hint and not is_small else hint)]
    if prospect.held is not None:
        return cropped(stacked_up(held_lines(prospect.held, width), notes, lint), width)
    stack = _together if is_small else stacked_up
    head = stack(*top, notes, attention)
    if prospect.swap is not None:
        rows = swap_lines(prospect, prospect.swap, width)
        if is_small:
            return cropped([*_together(top[0], notes, attention, rows), *lint], width)
        return cropped(stacked_up(head, lint, rows), width)
    if not prospect.moves:
        same: list[Line] = [[Piece("What is sent stays the same.", "muted")]]
        return cropped(stacked_up(head, same, lint), width)
    gaps = 0 if is_small else 2
    room = None if height is None else height - len(head) - len(lint) - gaps
    rows = move_lines(prospect, width, room)
    if is_small:
        return cropped([*head, *lint, *rows], width)
    return cropped([*head, [], *rows, *lint], width)


def _has_room(prospect: Prospect, width: int, height: int) -> bool:
    """Return whether all of it fits into a few lines, blank ones too; long ones are not tried."""
    listed = sum(len(move.places) for move in prospect.moves)
    return listed < height and len(outcome_lines(prospect, width)) <= height


def _together(*sections: list[Line]) -> list[Line]:
    return [line for section in sections for line in section]


def _note(note: str, width: int) -> list[Line]:
    rows = wrap(WARNING.text(note)[:400], max(10, width))
    return [filled_row([Piece(row, WARNING.kind)], "warning", width) for row in rows]


def price(prospect: Prospect) -> Line:
    """Return what applying costs, in the words that are behind the button."""
    outcome = prospect.outcome
    summary: Line = []
    for move in prospect.moves:
        verb = move.verb
        verb = f"{verb}es" if move.number == 1 and verb.endswith("o") else verb
        verb = f"{verb}s" if move.number == 1 and not verb.endswith("s") else verb
        summary.append(Piece(f"{move.number:,} {verb}", move.kind))
    come = [one for one in outcome.findings_come if one.severity == "error"]
    gone = [one for one in outcome.findings_gone if one.severity == "error"]
    for findings, verb, kind in ((come, "come", ERROR.kind), (gone, "go", PASSED.kind)):
        if findings:
            single = {"come": "comes", "go": "goes"}[verb] if len(findings) == 1 else verb
            summary.append(Piece(f"{plural(len(findings), 'error')} {single}", kind))
    if not summary:
        return [Piece("nothing that is sent changes", "muted")]
    line: Line = []
    for piece in summary:
        line += [Piece(", ", "muted"), piece] if line else [piece]
    return line
