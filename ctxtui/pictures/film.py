"""The film of a session: its journal played, as an animated SVG or an asciinema recording."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from ctxtui.inspector.screen import InspectorScreen
from ctxtui.pictures.screen import PictureApp, PictureOptions, Subject, calm, nowhere, picture_app
from ctxtui.pictures.svg import FONTS, stretches
from ctxtui.theme import colours_of

MOST_FRAMES = 150
"""Records that are shown; of a longer journal some are left out, at even distances."""
LAST_SECONDS = 4.0
"""How long the last frame stays, so that it can be read."""
CELL, ROW, SIZE = 9.0, 19.0, 15.0
"""Width and height of a cell, and of the font, in pixels."""

Row = tuple[Segment, ...]


class FilmFrame(NamedTuple):
    """What a terminal shows for some time."""

    rows: tuple[Row, ...]
    seconds: float


def play(subject: Subject, size: tuple[int, int], theme: str, seconds: float) -> list[FilmFrame]:
    """Return what the journal's player shows, one frame for each record."""
    with nowhere():
        return asyncio.run(_play(subject, PictureOptions("journal", size, theme), seconds))


async def _play(subject: Subject, options: PictureOptions, seconds: float) -> list[FilmFrame]:
    app = picture_app([subject], options)
    frames = []
    async with app.run_test(size=options.size):
        await calm(app)
        for greeting in app.toasts:
            app.remove_toast(greeting)
        assert isinstance(app.screen, InspectorScreen)
        app.screen.explorer.action_view("journal")
        await calm(app)
        player = app.screen.explorer.views.player
        assert player.playlist is not None
        count = len(player.playlist)
        shown = range(count) if count <= MOST_FRAMES else _spread(count)
        for at in shown:
            player.records.cursor = at
            await calm(app)
            frames.append(FilmFrame(_rows(app), seconds))
    frames[-1] = frames[-1]._replace(seconds=LAST_SECONDS)
    return frames


def _spread(count: int) -> list[int]:
    return [at * (count - 1) // (MOST_FRAMES - 1) for at in range(MOST_FRAMES)]


def _rows(app: PictureApp) -> tuple[Row, ...]:
    strips = app.screen._compositor.render_strips()
    return tuple(tuple(part for part in strip if part.text) for strip in strips)


# As an animated SVG: each row is written once for as long as it stays the same.


def film_svg(frames: Sequence[FilmFrame], title: str, theme: str) -> str:
    """Return the film as one SVG; where nothing moves, it shows the last frame."""
    colours = colours_of(theme)
    back, ink = colours["surface"], colours["foreground"]
    high = len(frames[0].rows)
    wide = max(sum(cell_len(part.text) for part in row) for row in frames[0].rows)
    width, height = wide * CELL, high * ROW
    ends = [0.0]
    for frame in frames:
        ends.append(ends[-1] + frame.seconds)
    groups, spans = [], set()
    for y in range(high):
        for first, stop, row in _stays([frame.rows[y] for frame in frames]):
            drawn = "".join(_drawn(row, y, back, ink))
            if drawn:
                spans.add((first, stop))
                groups.append(f'<g class="{_name(first, stop)}">{drawn}</g>')
    styles = [rule for span in sorted(spans) for rule in _rules(*span, ends, len(frames))]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" font-family="{FONTS}" font-size="{SIZE:g}" '
            'xml:space="preserve">',
            f"<title>{escape(title)}</title>",
            "<style>",
            *styles,
            "@media (prefers-reduced-motion: reduce) { g { animation: none !important; } }",
            "</style>",
            f'<rect width="100%" height="100%" fill="{back}"/>',
            *groups,
            "</svg>\n",
        ]
    )


def _stays(rows: Sequence[Row]) -> Iterator[tuple[int, int, Row]]:
    """Yield each content of a row, with the frames from and up to which it stays."""
    at = 0
    for row, same in groupby(rows):
        first, at = at, at + sum(1 for _ in same)
        yield first, at, row


def _name(first: int, stop: int) -> str:
    return f"f{first}-{stop}"


def _rules(first: int, stop: int, ends: Sequence[float], frames: int) -> list[str]:
    """Return the styles of what is shown from one frame up to another."""
    if first == 0 and stop == frames:
        return []
    name, whole = _name(first, stop), ends[-1]
    steps = [(0.0, first == 0), (ends[first] / whole, True)]
    if stop < frames:
        steps.append((ends[stop] / whole, False))
    shown = " ".join(
        f"{100 * at:.3f}% {{ visibility: {'visible' if is_seen else 'hidden'}; }}"
        for at, is_seen in dict(steps).items()
    )
    rest = "visible" if stop == frames else "hidden"
    return [
        f".{name} {{ visibility: {rest}; animation: {name} {whole:g}s step-end infinite; }}",
        f"@keyframes {name} {{ {shown} }}",
    ]


def _drawn(row: Row, y: int, back: str, ink: str) -> Iterator[str]:
    x = 0
    for part in row:
        cells, style = cell_len(part.text), part.style or Style()
        front, behind = _colour(style, back, ink)
        if behind != back:
            yield (
                f'<rect x="{x * CELL:g}" y="{y * ROW:g}" width="{cells * CELL:g}" '
                f'height="{ROW:g}" fill="{behind}"/>'
            )
        if part.text.strip():
            yield from _text(part.text, x, y, front, style)
        x += cells


def _colour(style: Style, back: str, ink: str) -> tuple[str, str]:
    front = style.color.get_truecolor().hex if style.color else ink
    behind = style.bgcolor.get_truecolor().hex if style.bgcolor else back
    return (behind, front) if style.reverse else (front, behind)


def _text(text: str, x: int, y: int, front: str, style: Style) -> Iterator[str]:
    """Yield a text with each wide character at a place of its own."""
    more = (' font-weight="bold"' if style.bold else "") + (
        ' text-decoration="line-through"' if style.strike else ""
    )
    pieces = [text] if cell_len(text) == len(text) else stretches(text)
    for piece in pieces:
        cells = cell_len(piece)
        drawn = piece.strip()
        if drawn:
            left = (x + cell_len(piece) - cell_len(piece.lstrip())) * CELL
            yield (
                f'<text x="{left:g}" y="{y * ROW + SIZE:g}" fill="{front}"{more} '
                f'textLength="{cell_len(drawn) * CELL:g}">{escape(drawn)}</text>'
            )
        x += cells


# As an asciinema recording: a header, then what is written to the terminal, with its time.

CLEAR = "\x1b[0m\x1b[2J\x1b[?25l"


def film_cast(frames: Sequence[FilmFrame], title: str) -> str:
    """Return the film as an asciinema recording, version 2; only rows that change are written."""
    high = len(frames[0].rows)
    wide = max(sum(cell_len(part.text) for part in row) for row in frames[0].rows)
    header = {"version": 2, "width": wide, "height": high, "title": title}
    lines = [json.dumps(header)]
    time, before = 0.0, None
    for frame in frames:
        rows = frame.rows
        changed = [y for y in range(high) if before is None or before[y] != rows[y]]
        written = "".join(f"\x1b[{y + 1};1H{_ansi(rows[y])}" for y in changed)
        lines.append(json.dumps([round(time, 3), "o", (CLEAR if not time else "") + written]))
        time, before = time + frame.seconds, rows
    lines.append(json.dumps([round(time, 3), "o", "\x1b[?25h"]))
    return "\n".join(lines) + "\n"


def _ansi(row: Row) -> str:
    return "".join(
        (part.style or Style()).render(part.text, color_system=ColorSystem.TRUECOLOR)
        for part in row
    )
