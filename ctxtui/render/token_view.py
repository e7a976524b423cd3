"""The tokens view: who holds them, how they went over the batches, the largest messages."""

from __future__ import annotations

from heapq import nlargest

from core.messages import ROLES
from ctxtui.look import Look
from ctxtui.render.bars import bar
from ctxtui.render.lines import Line, Piece
from ctxtui.render.numbers import percent, tokens
from ctxtui.render.preview import GLYPHS, plain_preview

BAR, MOST = 40, 8


def token_lines(look: Look, width: int) -> list[Line]:
    """Return the tokens by role, by batch, and the largest messages."""
    size = max(8, min(BAR, width - 40))
    return [
        *_by_role(look, size),
        [],
        *_by_batch(look, size),
        [],
        *_largest(look, width),
    ]


def _by_role(look: Look, size: int) -> list[Line]:
    lines: list[Line] = [[Piece("Visible tokens by role", "bright")]]
    for role in ROLES:
        count = look.role_tokens[role]
        lines.append(
            [
                Piece(f"{GLYPHS[role]} {role:<10}", role),
                Piece(f"{tokens(count):>8}", "bright"),
                Piece(f"{percent(count, look.total):>6}  ", "muted"),
                Piece(bar(count, look.total, size), role),
            ]
        )
    return lines


def _by_batch(look: Look, size: int) -> list[Line]:
    path = look.conversation.path
    limit = look.conversation.settings.token_limit
    totals = [
        (batch, look.state.total(look.conversation.on_path(batch.number))) for batch in path[-200:]
    ]
    peak = max([limit or 0, *(total for _, total in totals)])
    lines: list[Line] = [[Piece("Visible tokens over the batches of the path", "bright")]]
    for batch, total in totals:
        over = limit is not None and total > limit
        name = batch.operation.title if batch.operation is not None else "START"
        lines.append(
            [
                Piece(f"{batch.number:>4} {name:<12}", "text"),
                Piece(f"{tokens(total):>7}", "warn" if over else "bright"),
                Piece("  ! over the limit  " if over else "  ", "warn"),
                Piece(bar(total, peak, size), "warn" if over else "bar"),
            ]
        )
    if limit is not None:
        lines.append(
            [
                Piece(f"     {'limit':<12}{tokens(limit):>7}  ", "muted"),
                Piece(bar(limit, peak, size), "track"),
            ]
        )
    return lines


def _largest(look: Look, width: int) -> list[Line]:
    lines: list[Line] = [[Piece("Largest visible messages", "bright")]]
    for raw in nlargest(MOST, look.view, key=look.tokens):
        message = look.state.log[raw]
        lines.append(
            [
                Piece(f"{tokens(look.tokens(raw)):>7}  ", "bright"),
                Piece(f"raw {raw:<6}{GLYPHS[message.role]} ", message.role),
                Piece(plain_preview(message)),
            ]
        )
    return lines
