"""Lessons in a list: a row for each, and one of them at length."""

from __future__ import annotations

from ctxtui.core.lessons import SERIES, Lesson
from ctxtui.lessons.progress import Progress
from ctxtui.lessons.words import progress_words
from ctxtui.render.lesson.head import OPEN
from ctxtui.render.text.lines import Line, Piece, fit, line_width
from ctxtui.render.text.severity import PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

NUMBER_CELLS = 4
SERIES_CELLS = 24
LEAST_SERIES = 90
"""Cells of the name of a series, and of the row from which on there is one."""
MOST_TEXT = 500


def lesson_row(
    lesson: Lesson, progress: Progress, language: str, width: int, *, is_first: bool
) -> Line:
    """Return one lesson: its series, a sign, its number, its title, and how far it was taken.

    The first lesson of a series names it, in narrow lists behind its title where there is room.
    """
    sign, kind = _sign(lesson, progress)
    far = Piece(f" {progress_words(lesson, progress, language)} ", "muted")
    series = SERIES[lesson.series].to(language) if is_first else ""
    number = f"{lesson.order or '':>2}  "
    lead = [
        Piece(fit(f" {series}", SERIES_CELLS) if width >= LEAST_SERIES else "", "muted"),
        Piece(f" {sign} ", kind),
        Piece(number, "muted"),
    ]
    room = max(0, width - line_width([*lead, far]))
    title = visible(lesson.title.to(language), MOST_TEXT)
    behind = Piece(f"  {series}  " if series and width < LEAST_SERIES else "", "key")
    if line_width([Piece(title), behind]) > room:
        behind = Piece("")
    return [*lead, Piece(fit(title, room - line_width([behind])), "bright"), behind, far]


def _sign(lesson: Lesson, progress: Progress) -> tuple[str, str]:
    if progress.is_done(lesson):
        return PASSED.glyph, PASSED.kind
    return ("◐", "key") if progress.is_begun else ("○", "muted")


def lesson_lines(lesson: Lesson, progress: Progress, language: str, width: int) -> list[Line]:
    """Return what a lesson is about, and its steps."""
    width = max(10, width)
    series = f"{SERIES[lesson.series].to(language)} {lesson.order or ''}".rstrip()
    lines = [[Piece(series, "muted")], *_wrapped(lesson.title.to(language), "bright", width)]
    if lesson.about is not None:
        lines += [[], *_wrapped(lesson.about.to(language), "text", width)]
    far = progress_words(lesson, progress, language)
    lines += [[], [Piece(far, "ok" if progress.is_done(lesson) else "muted")], []]
    place = progress.place_in(lesson) if progress.is_begun else -1
    for at, step in enumerate(lesson.steps):
        sign, kind = ("●", "ok") if at < place or progress.is_seen else ("○", "faint")
        if sign == "●" and progress.is_open(step):
            sign, kind = OPEN
        elif sign == "○" and at == place:
            sign, kind = "◉", "key"
        question = Piece("? ", "key") if step.predict else Piece("  ")
        brief = fit(visible(step.brief.to(language), MOST_TEXT), width - NUMBER_CELLS)
        lines.append([Piece(f"{sign} ", kind), question, Piece(brief, "text")])
    if lesson.remember is not None and progress.is_seen:
        lines += [[], *_wrapped(lesson.remember.to(language), "faint", width)]
    return lines


def _wrapped(text: str, kind: str, width: int) -> list[Line]:
    return [[Piece(row, kind)] for row in wrap(visible(text), width)]
