"""What an operation would do, before it is done: counts, cache, ribbons, rows, lint, marks."""

from __future__ import annotations

from itertools import islice

from core.conversation.results import Result
from core.what_if import Outcome
from ctxtui.models.figures import StagedFigures
from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import percent, tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.severity import PASSED, sign_of
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_ROWS = 8
MOST_FINDINGS = 5
LABEL_CELLS = 10


def outcome_lines(look: Look, result: Result, outcome: Outcome, width: int) -> list[Line]:
    """Return the preview of an operation."""
    return [
        *_counts(look, result, outcome, width),
        [],
        *_ribbons(look, result, width),
        [],
        *_rows(look, result, width),
        *_lint(outcome, width),
        *_marks(outcome),
    ]


def _counts(look: Look, result: Result, outcome: Outcome, width: int) -> list[Line]:
    before, after = len(look.view), len(result.revision.view)
    change = result.tokens
    room = max(4, width - 52)
    limit = look.conversation.settings.token_limit
    share = f"  {percent(change.after, limit)} of limit" if limit else ""
    lines = [
        _change("messages", (before, after), (str(before), str(after)), room),
        _change(
            "tokens",
            (change.before, change.after),
            (tokens(change.before), tokens(change.after)),
            room,
        ),
    ]
    lines[1].append(Piece(share, "muted"))
    prefix = outcome.prefix
    resent = change.after - prefix.tokens
    if before != after or prefix.messages < before:
        where = f"breaks at position {prefix.messages}, {tokens(resent)} sent again"
        if prefix.messages >= min(before, after):
            where = f"holds, {tokens(resent)} tokens are new" if after > before else "holds"
        kept = f"{tokens(prefix.tokens)} kept"
        lines.append(
            [Piece(f"{'cache':<{LABEL_CELLS}}", "muted"), Piece(f"{kept:>16}  ", "bright")]
        )
        lines[-1].append(Piece(where, "muted"))
    word = f"opens batch {result.affected_batch_index}" if result.created_batch else "no new batch"
    lines.append([Piece(f"{'batch':<{LABEL_CELLS}}", "muted"), Piece(word, "text")])
    return lines


def _change(name: str, pair: tuple[int, int], shown: tuple[str, str], room: int) -> Line:
    before, after = pair
    difference = after - before
    sign = "+" if difference > 0 else "−"
    told = f"{sign}{tokens(abs(difference))}" if difference else "·"
    text = bar(after, max(before, after), room)
    return [
        Piece(f"{name:<{LABEL_CELLS}}", "muted"),
        Piece(f"{shown[0]:>7} → ", "muted"),
        Piece(f"{shown[1]:>6}  ", "bright"),
        Piece(text, "bright"),
        Piece("━" * (room - len(text)), "track"),
        Piece(f" {told}", "error" if difference < 0 else "ok" if difference else "faint"),
    ]


def _ribbons(look: Look, result: Result, width: int) -> list[Line]:
    log, view = result.moment.log, result.revision.view
    weights = StagedFigures(look.figures, log, result.moment.counter)
    now = Ribbon(log, weights, look.view, size=look.log_size)
    after = Ribbon(log, weights, view, went=result.diff.hidden)
    axis = RibbonAxis(len(log), width - LABEL_CELLS - 1)
    return [
        [Piece(f"{'now':<{LABEL_CELLS}}", "muted"), *now.line(axis)],
        [Piece(f"{'after':<{LABEL_CELLS}}", "bright"), *after.line(axis)],
    ]


def _rows(look: Look, result: Result, width: int) -> list[Line]:
    diff = result.diff
    lines: list[Line] = []
    after = result.revision.view
    parts = (
        ("would go", set(diff.hidden), "−", "error", look.view),
        ("would come", {*diff.added, *diff.shown}, "+", "ok", after),
        ("would move", set(diff.moved), "~", "warn", after),
    )
    for words, raws, sign, kind, view in parts:
        count = len(raws)
        if not count:
            continue
        lines.append([Piece(f"{plural(count, 'message')} {words}", "bright")])
        for raw in islice((raw for raw in view if raw in raws), MOST_ROWS):
            lines.append(_row(result, raw, sign, kind, view.position(raw), width))
        if count > MOST_ROWS:
            lines.append([Piece(f"  … {count - MOST_ROWS:,} more", "faint")])
        lines.append([])
    if not lines:
        lines = [[Piece("What is sent stays the same.", "muted")], []]
    return lines


def _row(result: Result, raw: int, sign: str, kind: str, position: int | None, width: int) -> Line:
    log = result.moment.log
    message = log[raw]
    count = log.tokens(raw, result.tokens.counter)
    lead = [
        Piece(f"{sign} ", kind),
        Piece(f"{'' if position is None else position:>4} {raw:>5} ", "muted"),
        Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
    ]
    tail = Piece(f" {tokens(count):>6}", kind)
    room = width - 21 - len(tail.text)
    shown = preview(message, tool_names(log, raw))
    body = fit_pieces(shown, max(0, room))
    if sign == "−":
        body = [Piece(text, "struck") for text, _ in body]
    return [*lead, *body, tail]


def _lint(outcome: Outcome, width: int) -> list[Line]:
    lines: list[Line] = []
    for words, findings in (("appears", outcome.findings_come), ("goes", outcome.findings_gone)):
        for finding in findings[:MOST_FINDINGS]:
            sign = sign_of(finding) if words == "appears" else PASSED
            place = "" if finding.raw_index is None else f"raw {finding.raw_index}: "
            told = f"{finding.rule}  {place}{finding.message}"
            lines.append([sign.piece(f"{words:<8}"), Piece(visible(told, width))])
        if len(findings) > MOST_FINDINGS:
            lines.append([Piece(f"  … {len(findings) - MOST_FINDINGS} more", "faint")])
    return [[Piece("Lint", "bright")], *lines, []] if lines else []


def _marks(outcome: Outcome) -> list[Line]:
    lost = sorted(outcome.marks_lost)
    if not lost:
        return []
    return [
        [
            Piece("★ ", "mark"),
            Piece(f"{len(lost)} marked would go: ", "error"),
            Piece(visible(", ".join(sorted(outcome.lost)), 60)),
            Piece(f"  raw {', '.join(map(str, lost[:8]))}", "faint"),
        ]
    ]
