"""One call of one policy: what is sent, what is broken, what is lacking, what a cache keeps."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Finding
from ctxtui.core.engine.queries import Blame
from ctxtui.core.policies import CallFigures
from ctxtui.models.call_facts import CallFacts, Lacked
from ctxtui.render.message.preview import GLYPHS, plain_preview
from ctxtui.render.over_run.runs import DrawnRun
from ctxtui.render.over_run.strips import KEPT, cache_state
from ctxtui.render.over_run.words import LABEL_CHARACTERS, SENTENCE_CHARACTERS
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.labels import bucket_of
from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

EXCERPT_ROWS = 3
"""Rows of a message that is lacking."""


def panel_lines(facts: CallFacts, runs: Sequence[DrawnRun], chosen: str, width: int) -> list[Line]:
    """Return everything about a call, in the order in which one asks."""
    blocks = [_sent(facts, width), _broken(facts, width), _lacking(facts, width)]
    blocks += [_cache(facts, width), _others(facts.call, runs, chosen, width), _keys(facts)]
    lines: list[Line] = []
    for block in blocks:
        if block:
            lines += [[], *block] if lines else block
    return cropped(lines, width)


def brief_line(facts: CallFacts | None, letter: str, width: int) -> Line:
    """Return a call in one line, for screens that have no room for more."""
    if facts is None:
        return []
    figures = facts.figures
    left = [
        Piece(f" {letter} ", "chip"),
        Piece(f" call {facts.call:,}  ", "bright"),
        Piece(f"{figures.messages:,} of {plural(facts.log_size, 'message')}, ", "muted"),
        Piece(f"{figures.tokens:,} tokens", "text"),
    ]
    if facts.errors:
        left += [Piece("  "), ERROR.piece(facts.errors[0].rule)]
    left += [Piece(f"  ★ {visible(one.label, LABEL_CHARACTERS)}", "error") for one in facts.lacked]
    if not figures.fails:
        left += [Piece("  "), PASSED.piece()]
    kept = f"{percent(figures.prefix_tokens, figures.tokens)} kept "
    return spread(left, [Piece(kept, "muted")], width)


def _wrapped(text: str, width: int, kind: str) -> list[Line]:
    return [[Piece(row, kind)] for row in wrap(text, max(1, width))]


# What is sent


def _sent(facts: CallFacts, width: int) -> list[Line]:
    figures = facts.figures
    left = [
        Piece(f"{figures.messages:,}", "bright"),
        Piece(f" {plural(figures.messages, 'message').split()[-1]} of {facts.log_size:,}", "muted"),
    ]
    right = [Piece(f"{figures.tokens:,}", "bright"), Piece(" tokens", "muted")]
    axis = RibbonAxis(facts.log_size, width)
    drawn = Ribbon(facts.state.log, facts.weights, facts.view, size=facts.log_size)
    return [spread(left, right, width), drawn.line(axis), _below(facts, width)]


def _below(facts: CallFacts, width: int) -> Line:
    """Return stars below the messages that must stay, and which stretch is sent."""
    cells, size = min(width, max(1, facts.log_size)), max(1, facts.log_size)
    wide = width // cells
    marks = {bucket_of(raw, size, cells) * wide: "mark" for raw in facts.must_sent}
    marks |= {bucket_of(one.raw, size, cells) * wide: "error" for one in facts.lacked}
    line: Line = []
    for at in sorted(marks):
        line += [Piece(" " * (at - sum(len(one.text) for one in line))), Piece("★", marks[at])]
    first, last = (facts.view[0], facts.view[-1]) if len(facts.view) else (None, None)
    told = "" if first is None else f"raw {first:,}–{last:,}"
    used = sum(len(one.text) for one in line)
    right = [Piece(told, "faint")] if used + len(told) < width else []
    return spread(line, right, width)


# What is wrong


def _broken(facts: CallFacts, width: int) -> list[Line]:
    if not facts.errors:
        return []
    finding = facts.errors[0]
    title = [ERROR.piece("broken"), Piece(f"  {finding.rule}{_place(finding)}", "text")]
    lines = [title, *_wrapped(visible(finding.message, SENTENCE_CHARACTERS), width, "text")]
    half = facts.cause
    if half is not None:
        told = f"Its {half.word}, raw {half.raw:,}, is not sent"
        lines += _wrapped(f"{told}{_blamed(half.blame)}.", width, "muted")
    more = len(facts.errors) - 1
    if more:
        lines.append([Piece(f"and {plural(more, 'more error', 'more errors')}", "muted")])
    return [on_row(line, "finding", width) for line in lines]


def _place(finding: Finding) -> str:
    if finding.raw_index is None or finding.position is None:
        return ""
    return f" at position {finding.position:,}, raw {finding.raw_index:,}"


def _blamed(blame: Blame | None) -> str:
    """Return which operation hid something, as the end of a sentence."""
    if blame is None or blame.operation is None:
        return ""
    return f": {visible(blame.operation.sentence(), SENTENCE_CHARACTERS)} cut it off"


def _lacking(facts: CallFacts, width: int) -> list[Line]:
    if not facts.lacked:
        return []
    one = facts.lacked[0]
    role = one.message.role
    label = visible(one.label, LABEL_CHARACTERS)
    title = [Piece("★ lacks", "error"), Piece(f"  {label}, raw {one.raw:,}", "text")]
    lines = [spread(title, [Piece(f"{GLYPHS[role]} {role}", role)], width)]
    quoted = wrap(f"“{plain_preview(one.message).strip()}”", width)
    if len(quoted) > EXCERPT_ROWS:
        quoted = [*quoted[: EXCERPT_ROWS - 1], f"{quoted[EXCERPT_ROWS - 1][: width - 1]}…"]
    lines += [[Piece(row)] for row in quoted]
    lines += _wrapped(_last(one, facts.call), width, "muted")
    more = len(facts.lacked) - 1
    if more:
        lines.append([Piece(f"and {plural(more, 'more message', 'more messages')}", "muted")])
    return lines


def _last(one: Lacked, call: int) -> str:
    if one.last_sent is None:
        return "It was never sent."
    return f"Last sent in call {one.last_sent:,}, {plural(call - one.last_sent, 'call')} ago."


# The cache


def _cache(facts: CallFacts, width: int) -> list[Line]:
    figures = facts.figures
    state = cache_state(facts.run.figures.per_call, facts.call)
    title = [
        Piece("cache", "ok" if state == KEPT else "error"),
        Piece(f"  {figures.prefix_tokens:,} of {figures.tokens:,} tokens kept", "text"),
    ]
    return [title, *_wrapped(_why(facts), width, "muted")]


def _why(facts: CallFacts) -> str:
    if facts.call == 1:
        return "The first call: there is nothing to keep yet."
    broke = facts.cache_break
    if broke is None:
        return f"All of call {facts.call - 1:,} is its start; the rest is new."
    was = f"Position {broke.position:,} was raw {broke.was:,} in call {facts.call - 1:,}"
    now = "" if broke.now is None else f" and is raw {broke.now:,} here"
    return f"{was}{now}{_blamed(broke.blame)}."


# All policies


def _others(call: int, runs: Sequence[DrawnRun], chosen: str, width: int) -> list[Line]:
    if len(runs) < 2:  # noqa: PLR2004 - one alone has nobody beside it
        return []
    lines = [
        head(f"all {len(runs)} at call {call:,}", [], width),
        [Piece(f"  {'sent':>6}{'tokens':>9}{'kept':>7}", "faint")],
    ]
    for run in runs:
        line = _other(run, run.figures.per_call[call - 1], width)
        lines.append(on_row(line, "cursor", width) if run.letter == chosen else line)
    return lines


def _other(run: DrawnRun, call: CallFigures, width: int) -> Line:
    share = percent(call.prefix_tokens, call.tokens)
    is_kept = cache_state(run.figures.per_call, call.call) == KEPT
    left = [
        Piece(f"{run.letter} ", run.letter_kind),
        Piece(f"{call.messages:>6,}", "text"),
        Piece(f"{call.tokens:>9,}", "bright"),
        Piece(f"{share:>7}", "ok" if is_kept else "error"),
    ]
    right = [
        Piece(f" {ERROR.text(str(call.errors))}" if call.errors else "", ERROR.kind),
        Piece(f"  ★ {call.marks_missing}" if call.marks_missing else "", "error"),
        PASSED.piece() if not call.fails else Piece(""),
    ]
    return spread(left, [piece for piece in right if piece.text], width)


def _keys(facts: CallFacts) -> list[Line]:
    """Return the keys that lead from a call to more of it."""
    lines = [[Piece("enter", "key"), Piece(" open it as a session", "muted")]]
    if facts.figures.fails:
        lines.append([Piece("L    ", "key"), Piece(" why: lint and blame there", "muted")])
    return lines
