"""A step of a lesson as a picture: the log with its ribbon, what is sent, and what has moved."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from ctxtui.lessons.frames import LessonFrame, LessonRow
from ctxtui.render.screen_svg import FONTS
from ctxtui.render.text.lines import fit
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible

WIDTH, MARGIN, HEAD, ROW = 960, 20, 76, 27
RIBBON_TOP, RIBBON_HEIGHT = 34, 18
RAW, ROLE, TEXT, TOKENS, SENT = 48, 64, 160, 860, 930
"""Where the columns stand; numbers end there."""
TEXT_CELLS = 80


def state_svg(frame: LessonFrame, colours: Mapping[str, str]) -> str:
    """Return a picture of the state after a step, tinted where it differs from before."""
    rows, before = frame.after.rows, set(frame.before.visible)
    height = HEAD + len(rows) * ROW + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="{FONTS}" font-size="14">',
        f"<title>{escape(visible(frame.brief))}</title>",
        f'<rect width="100%" height="100%" fill="{colours["surface"]}"/>',
        *_head(frame, colours),
    ]
    for at, row in enumerate(rows):
        parts += _row(row, HEAD + at * ROW, row.raw in before, colours)
    return "\n".join([*parts, "</svg>\n"])


def _head(frame: LessonFrame, colours: Mapping[str, str]) -> list[str]:
    state = frame.after
    errors = f"  {ERROR.text(str(state.errors))}" if state.errors else ""
    sent, batch = f"{len(state.visible)} / {len(state.rows)}", state.arrays.current_batch
    told = f"{sent}  ~{state.tokens} tokens  #{batch}{errors}"
    step = (WIDTH - 2 * MARGIN) / max(1, len(state.rows))
    cells = []
    for row in state.rows:
        height = 2 if row.position is None else RIBBON_HEIGHT
        fill = colours["line" if row.position is None else f"role-{row.role}"]
        top = RIBBON_TOP + RIBBON_HEIGHT - height
        cells.append(
            f'<rect x="{MARGIN + row.raw * step:g}" y="{top}" width="{max(1.0, step - 2):g}" '
            f'height="{height}" fill="{fill}"/>'
        )
    return [_text(MARGIN, 22, told, colours["muted"]), *cells]


def _row(row: LessonRow, top: int, was_sent: bool, colours: Mapping[str, str]) -> list[str]:
    is_sent = row.position is not None
    ink = colours["foreground" if is_sent else "faint"]
    tint = None if is_sent == was_sent else colours["added-row" if is_sent else "hidden-row"]
    base = top + 18
    strike = ' text-decoration="line-through"' if was_sent and not is_sent else ""
    text = fit(visible(row.text, 400), TEXT_CELLS).rstrip()
    place = f'x="{MARGIN - 6}" y="{top}" width="{WIDTH - 2 * MARGIN + 12}" height="{ROW}"'
    role = colours[f"role-{row.role}" if is_sent else "faint"]
    return [
        *([f'<rect {place} fill="{tint}"/>'] if tint else []),
        _text(RAW, base, str(row.raw), ink, ' text-anchor="end"'),
        _text(ROLE, base, row.role, role),
        _text(TEXT, base, text, ink, strike),
        _text(TOKENS, base, str(row.tokens), ink, ' text-anchor="end"'),
        _text(SENT, base, str(row.position) if is_sent else "–", ink, ' text-anchor="end"'),
    ]


def _text(x: int, y: int, text: str, fill: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}"{more}>{escape(text)}</text>'
