"""A session before and after a recipe or a policy, as a row."""

from __future__ import annotations

from ctxtui.models.applying import SessionTrial, Size, Trials
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import tokens as short
from ctxtui.render.text.severity import BOXES, ERROR, PASSED
from ctxtui.symbols import visible

COLUMN = 14
LINT = 9
FIGURES = 2 * COLUMN + LINT


def trial_header(width: int) -> Line:
    """Return the names of the columns."""
    room = max(1, width - FIGURES - 5)
    names = f"    {fit(' title', room)}{'messages':>{COLUMN}}{'tokens':>{COLUMN}}{'lint':>{LINT}}"
    return [Piece(names, "faint")]


def trial_row(trial: SessionTrial, is_left_out: bool, width: int) -> Line:
    """Return a session: whether it would be changed, and its figures before and after."""
    room = max(1, width - FIGURES - 6)
    acts = trial.changes and not is_left_out
    sign = Piece(f" {BOXES[acts]} " if trial.changes else "     ", "key" if acts else "faint")
    title = Piece(fit(visible(trial.entry.title, room), room), "text" if acts else "faint")
    if trial.problem or trial.before is None:
        return [sign, title, Piece(ERROR.text("refused").rjust(FIGURES), "error")]
    after = trial.after or trial.before
    return [
        sign,
        title,
        *_change(trial.before.messages, after.messages),
        *_change(trial.before.tokens, after.tokens),
        *_lint(trial.before, after),
    ]


def _change(before: int, after: int) -> Line:
    if before == after:
        return [Piece(short(before).rjust(COLUMN), "muted")]
    left = f"{short(before)} → "
    return [
        Piece(left.rjust(COLUMN - len(short(after))), "muted"),
        Piece(short(after), "bright"),
    ]


def _lint(before: Size, after: Size) -> Line:
    def said(errors: int) -> str:
        return f"{ERROR.glyph}{errors}" if errors else PASSED.glyph

    kind = "error" if after.errors else "ok"
    if before.errors == after.errors:
        return [Piece(said(after.errors).rjust(LINT), kind)]
    right = said(after.errors)
    left = f"{said(before.errors)} → "
    return [Piece(left.rjust(LINT - len(right)), "muted"), Piece(right, kind)]


def trial_reason(problem: str, width: int) -> Line:
    """Return why a session can't be changed."""
    return [Piece("       "), Piece(visible(problem, max(1, width - 8)), "error")]


def sums_lines(trials: Trials, left_out: int, width: int) -> list[Line]:
    """Return what it would come to for all sessions."""
    changing = trials.changing
    same = len(trials.trials) - len(changing) - len(trials.refused)
    appear = sum(
        one.after.errors > one.before.errors for one in changing if one.after and one.before
    )
    saved = sum(
        one.before.tokens - one.after.tokens for one in changing if one.after and one.before
    )
    rows = [
        ("would change", len(changing) - left_out, "bright"),
        ("left out by you", left_out, "muted"),
        ("stay as they are", same, "muted"),
        ("refused", len(trials.refused), "error"),
        ("get an error", appear, "error"),
        ("tokens less" if saved >= 0 else "tokens more", abs(saved), "bright"),
    ]
    return [
        [Piece(f"{name:<18}", "muted"), Piece(f"{count:>9,}", kind)]
        for name, count, kind in rows
        if count or name == "would change"
    ]
