"""``ctxtui learn LESSON -o OUT``: a lesson as a page, with its pictures beside it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.lessons import Lesson
from ctxtui.cli.drawn import PRINTED, kind_of, write_drawing
from ctxtui.files.reading import Unreadable
from ctxtui.files.writing import write_whole
from ctxtui.lessons.frames import LessonFrame, lesson_frames
from ctxtui.pages.html import lesson_html
from ctxtui.pages.markdown import lesson_markdown
from ctxtui.pages.state_svg import state_svg
from ctxtui.theme import PAPER, colours_of

KINDS = ("html", "markdown")
ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def write_page(asked: Namespace, lesson: Lesson, language: str) -> None:
    """Write a lesson as the page that was asked for, or print it."""
    kind = kind_of(asked.out, ENDINGS, asked.to)
    if kind == "html":
        text, pictures = lesson_html(lesson, language), 0
    elif asked.out == PRINTED:
        text, pictures = lesson_markdown(lesson, language), 0
    else:
        text, pictures = _with_pictures(Path(asked.out), lesson, language)
    write_drawing(asked, text, {"kind": kind, "steps": len(lesson.steps), "pictures": pictures})


def _with_pictures(out: Path, lesson: Lesson, language: str) -> tuple[str, int]:
    """Write the pictures of a lesson into a folder beside its text; return that, and how many."""
    folder = out.with_name(f"{out.stem}-pictures")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise Unreadable(f"{folder}: it can't be made: {error.strerror}") from None
    colours = colours_of(PAPER.name)
    for frame in lesson_frames(lesson, language):
        write_whole(folder / _name(frame), state_svg(frame, colours))
    place = folder.name.replace(" ", "%20")
    text = lesson_markdown(lesson, language, lambda frame: f"{place}/{_name(frame)}")
    return text, len(lesson.steps)


def _name(frame: LessonFrame) -> str:
    return f"{frame.number:02d}.svg"
