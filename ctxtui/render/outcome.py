"""What an operation would do, before it is done: counts, cache, ribbons, rows, lint, marks."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from core import Finding
from core.comparison import Prefix, common_prefix
from core.lint import lint_state
from core.results import Result
from ctxtui.look import Look
from ctxtui.render.bars import bar, ribbon
from ctxtui.render.lines import Line, Piece, fit_pieces
from ctxtui.render.numbers import percent, tokens
from ctxtui.render.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.symbols import visible

ROWS, FINDINGS, LABEL = 8, 5, 10


class Outcome(NamedTuple):
    """A result, with what takes longer to find out: lint and the common prefix."""

    result: Result
    prefix: Prefix
    gone: list[Finding]
    come: list[Finding]


def judged(look: Look, result: Result) -> Outcome:
    """Return an outcome; this may take a moment for a long conversation."""
    after = result.moment
    before, now = look.lint(), lint_state(after)
    old = {(one.rule, one.raw_index) for one in before}
    new = {(one.rule, one.raw_index) for one in now}
    return Outcome(
        result,
        common_prefix(after, look.view, after.view),
        [one for one in before if (one.rule, one.raw_index) not in new],
        [one for one in now if (one.rule, one.raw_index) not in old],
    )


def outcome_lines(look: Look, outcome: Outcome, width: int) -> list[Line]:
    """Return the preview of an operation."""
    return [
        *_counts(look, outcome, width),
        [],
        *_ribbons(look, outcome, width),
        [],
        *_rows(look, outcome, width),
        *_lint(outcome, width),
        *_marks(look, outcome),
    ]


def _counts(look: Look, outcome: Outcome, width: int) -> list[Line]:
    result = outcome.result
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
        lines.append([Piece(f"{'cache':<{LABEL}}", "muted"), Piece(f"{kept:>16}  ", "bright")])
        lines[-1].append(Piece(where, "muted"))
    word = f"opens batch {result.affected_batch_index}" if result.created_batch else "no new batch"
    lines.append([Piece(f"{'batch':<{LABEL}}", "muted"), Piece(word, "text")])
    return lines


def _change(name: str, pair: tuple[int, int], shown: tuple[str, str], room: int) -> Line:
    before, after = pair
    difference = after - before
    sign = "+" if difference > 0 else "−"
    told = f"{sign}{tokens(abs(difference))}" if difference else "·"
    text = bar(after, max(before, after), room)
    return [
        Piece(f"{name:<{LABEL}}", "muted"),
        Piece(f"{shown[0]:>7} → ", "muted"),
        Piece(f"{shown[1]:>6}  ", "bright"),
        Piece(text, "bright"),
        Piece("━" * (room - len(text)), "track"),
        Piece(f" {told}", "error" if difference < 0 else "ok" if difference else "faint"),
    ]


def _ribbons(look: Look, outcome: Outcome, width: int) -> list[Line]:
    log, size = outcome.result.moment.log, outcome.result.stats.total_messages
    room = width - LABEL - 1
    now = ribbon(log, look.view, look.log_size, room, size)
    after = ribbon(log, outcome.result.revision.view, size, room, size)
    return [
        [Piece(f"{'now':<{LABEL}}", "muted"), *now],
        [Piece(f"{'after':<{LABEL}}", "bright"), *after],
    ]


def _rows(look: Look, outcome: Outcome, width: int) -> list[Line]:
    diff, result = outcome.result.diff, outcome.result
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
        noun = "message" if count == 1 else "messages"
        lines.append([Piece(f"{count:,} {noun} {words}", "bright")])
        for raw in islice((raw for raw in view if raw in raws), ROWS):
            lines.append(_row(outcome, raw, sign, kind, view.position(raw), width))
        if count > ROWS:
            lines.append([Piece(f"  … {count - ROWS:,} more", "faint")])
        lines.append([])
    if not lines:
        lines = [[Piece("What is sent stays the same.", "muted")], []]
    return lines


def _row(
    outcome: Outcome, raw: int, sign: str, kind: str, position: int | None, width: int
) -> Line:
    log = outcome.result.moment.log
    message = log[raw]
    count = outcome.result.moment.log.tokens(raw, outcome.result.tokens.counter)
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
    for words, findings in (("appears", outcome.come), ("goes", outcome.gone)):
        for finding in findings[:FINDINGS]:
            bad = words == "appears"
            glyph = "✓" if not bad else "✖" if finding.severity == "error" else "▲"
            kind = "ok" if not bad else "error" if finding.severity == "error" else "warn"
            place = "" if finding.raw_index is None else f"raw {finding.raw_index}: "
            told = f"{finding.rule}  {place}{finding.message}"
            lines.append([Piece(f"{glyph} {words:<8}", kind), Piece(visible(told, width))])
        if len(findings) > FINDINGS:
            lines.append([Piece(f"  … {len(findings) - FINDINGS} more", "faint")])
    return [[Piece("Lint", "bright")], *lines, []] if lines else []


def _marks(look: Look, outcome: Outcome) -> list[Line]:
    lost = [raw for raw in outcome.result.diff.hidden if raw in look.marked]
    if not lost:
        return []
    labels = sorted({label for raw in lost for label in look.marked[raw]})
    return [
        [
            Piece("★ ", "mark"),
            Piece(f"{len(lost)} marked would go: ", "error"),
            Piece(visible(", ".join(labels), 60)),
            Piece(f"  raw {', '.join(map(str, lost[:8]))}", "faint"),
        ]
    ]
