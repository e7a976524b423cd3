"""The lines above the panes: status and viewing bar."""

from __future__ import annotations

from rich.cells import cell_len

from core.tokens.counters import is_exact
from ctxtui.models.look import Look
from ctxtui.render.text.bars import gauge
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import percent, tokens
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.viewed import viewed, viewed_operation
from ctxtui.words import plural

GAUGE_CELLS = 24
WIDE_CELLS = 100


def status(look: Look, width: int) -> Line:
    """Return where the conversation stands: batch, counts, lint, tokens against the limit."""
    right = _tokens(look, GAUGE_CELLS if width >= WIDE_CELLS else 0)
    room = width - sum(len(piece.text) for piece in right) - 1
    wide = width >= WIDE_CELLS
    left = [
        Piece(" batch ", "muted"),
        Piece(str(look.batch.number), "bright"),
        Piece(f"{viewed(look).removeprefix(f'batch {look.batch.number}')}   ", "muted"),
        Piece(f"{len(look.view):,}", "bright"),
        Piece(f" visible of {look.log_size:,}{' raw' if wide else ''}   ", "muted"),
        *_lint(look, wide),
    ]
    return [*fit_pieces(left, max(0, room)), *right, Piece(" ")]


def _lint(look: Look, wide: bool) -> Line:
    profile = look.conversation.settings.profile
    if not look.is_linted:
        return [Piece("… linting", "muted")]
    if not look.findings:
        return [PASSED.piece(), Piece(f"{profile} passes" if wide else "ok", "muted")]
    errors, warnings = look.errors, look.warnings
    line: Line = []
    if errors:
        line.append(ERROR.piece(f"{plural(errors, 'error') if wide else errors} "))
    if warnings:
        line.append(WARNING.piece(f"{plural(warnings, 'warning') if wide else warnings} "))
    return [*line, Piece(f" {profile} profile", "muted")] if wide else line


def _tokens(look: Look, width: int) -> Line:
    settings = look.conversation.settings
    limit, total = settings.token_limit, look.total
    compression = settings.compression_config
    tick = compression.threshold if compression.enabled else None
    about = "" if is_exact(look.counter) else "~"
    line = [*gauge(look.role_tokens, limit, tick, width), Piece("  ")] if width else []
    if limit is None:
        return [
            *line,
            Piece(f"{about}{tokens(total)}", "bright"),
            Piece(f" tokens  {look.counter}", "muted"),
        ]
    over = "error" if total > limit else "warn" if tick is not None and total > tick else "bright"
    mark = "! " if total > limit else ""
    line.append(Piece(f"{mark}{about}{tokens(total)}", over))
    line.append(Piece(f" of {tokens(limit)}  ", "muted"))
    line.append(Piece(percent(total, limit), "bright"))
    return [*line, Piece(f"  {look.counter}", "muted")] if width else line


def viewing(look: Look, width: int) -> Line:
    """Return the bar that says that an earlier batch is looked at, and how to get away."""
    now, change = look.conversation.batch.number, look.change
    came = 0 if change is None else len(change.added) + len(change.shown)
    word = "added" if change is None or not len(change.shown) else "brought"
    hid = f"  hid {len(change.hidden)}, {word} {came}" if change is not None else ""
    right = [Piece("  R", "notice"), Piece(" roll back to it   ", "note"), Piece("esc", "notice")]
    right.append(Piece(f" return to {now} ", "note"))
    left = [
        Piece(f" ● VIEWING {viewed(look).upper()}", "notice"),
        Piece("  read-only   ", "note"),
        Piece(viewed_operation(look), "notice"),
        Piece(hid, "note"),
    ]
    room = width - sum(len(piece.text) for piece in right)
    return (
        [*fit_pieces(left, max(0, room)), *right] if room > width // 3 else fit_pieces(left, width)
    )


def viewing_choice(look: Look, width: int, x: int) -> str:
    """Return what stands in the bar at a cell: rolling back, returning, or nothing to choose."""
    seen = 0
    for text, _ in viewing(look, width):
        seen += cell_len(text)
        if x < seen:
            # What is to press and what it does are two pieces; the words tell them apart.
            if "roll back" in text or text.strip() == "R":
                return "roll_back"
            return "back" if "return" in text or text == "esc" else ""
    return ""
