"""Lessons on disk: those that come with the app, a user's own, and how far each was learnt."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.core import Refused
from ctxtui.core.engine.messages import METADATA_HINT
from ctxtui.core.errors import format_value
from ctxtui.core.formats.source import MIB
from ctxtui.core.lessons import LANGUAGES, SERIES, Lesson, Problem, problems_of, read_lesson
from ctxtui.files.opening import read_file, with_messages
from ctxtui.files.policies import RECIPES_SUFFIX, files_in
from ctxtui.files.preferences import preferences_file
from ctxtui.files.samples import samples_folder
from ctxtui.files.sandbox import Unreadable
from ctxtui.lessons.models import LessonProgress, read_progress
from ctxtui.text.plurals import plural

MOST_LESSON_BYTES = 16 * MIB
"""Bytes of a lesson, which people write by hand."""


class LessonFile(NamedTuple):
    """A lesson, the file it is in, and the name that it is called and remembered by."""

    name: str
    path: Path
    lesson: Lesson


# Reading


def lessons_folder() -> Path:
    """Return where the lessons are that come with the app."""
    return samples_folder() / "lessons"


def list_lessons() -> tuple[list[LessonFile], list[str]]:
    """Return the bundled lessons in the order of their series, and a sentence for each bad one."""
    found, problems = [], []
    for path in files_in(lessons_folder()):
        try:
            found.append(load_lesson(path, path.name.removesuffix(RECIPES_SUFFIX)))
        except Unreadable as problem:
            problems.append(str(problem))
    series = list(SERIES)
    return sorted(
        found, key=lambda one: (series.index(one.lesson.series), one.lesson.order, one.name)
    ), problems


def find_lesson(name: str) -> LessonFile:
    """Return the bundled lesson of a name, or the one in a file of one's own."""
    bundled = lessons_folder() / f"{name}{RECIPES_SUFFIX}"
    if bundled in files_in(lessons_folder()):
        return load_lesson(bundled, name)
    path = Path(name).absolute()
    if not path.exists():
        names = ", ".join(
            one.name.removesuffix(RECIPES_SUFFIX) for one in files_in(lessons_folder())
        )
        raise Unreadable(f"{format_value(name)} is neither a file nor one of the lessons: {names}")
    return _load_checked(path)


def _load_checked(path: Path) -> LessonFile:
    """Return a lesson of one's own, if all that it claims is true."""
    data = _read(str(path))
    problems = problems_of(data, must_translate=False)
    if problems:
        more = len(problems) - 1
        rest = f"; --check lists {plural(more, 'other problem')} too" if more else ""
        raise Unreadable(f"{path}: {problems[0]}{rest}")
    return LessonFile(str(path), path, read_lesson(data))


def load_lesson(path: Path, name: str) -> LessonFile:
    """Return the lesson of a file; whether all its steps can be taken is not checked."""
    with _telling(path):
        return LessonFile(name, path, read_lesson(_read(str(path))))


def check_file(path: str) -> list[Problem]:
    """Return everything that is wrong with a lesson, in the order of its file."""
    return problems_of(_read(path))


def _read(path: str) -> Any:
    """Return a lesson as JSON data, with the messages of the file that it starts with."""
    data: Any = read_file(path, MOST_LESSON_BYTES)
    start: Any = data.get("start") if isinstance(data, dict) else None
    if isinstance(start, dict):
        found = with_messages(path, start)
        if found is not start:
            return {**data, "start": {**start, "messages": found["messages"]}}
    return data


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except Refused as refusal:
        raise Unreadable(f"{path}: {refusal.with_hint(METADATA_HINT)}") from None
    except OSError as error:
        raise Unreadable(f"{path}: it can't be read: {error.strerror}") from None


# Remembering


class LearnerState(NamedTuple):
    """What is remembered of a learner: the language, and how far each lesson was taken."""

    language: str = ""
    lessons: Mapping[str, LessonProgress] = {}

    def of(self, name: str) -> LessonProgress:
        return self.lessons.get(name, LessonProgress())


def learner_file() -> Path:
    """Return where progress is kept: next to the preferences."""
    return preferences_file().with_name("lessons.json")


def load_learner() -> LearnerState:
    """Return what is remembered; nothing if the file can't be read."""
    try:
        found = json.loads(learner_file().read_text(encoding="utf-8"))
        language, lessons = found.get("language"), found.get("lessons")
    except (OSError, ValueError, AttributeError, RecursionError):
        return LearnerState()
    return LearnerState(
        language if language in LANGUAGES else "",
        {str(name): read_progress(one) for name, one in lessons.items()}
        if isinstance(lessons, Mapping)
        else {},
    )


def save_progress(name: str, progress: LessonProgress) -> bool:
    """Remember how far a lesson was taken; False where that can't be done."""
    learnt = load_learner()
    return _save(learnt._replace(lessons={**learnt.lessons, name: progress}))


def save_language(language: str) -> bool:
    """Remember a language; False where that can't be done."""
    return _save(load_learner()._replace(language=language))


def _save(learnt: LearnerState) -> bool:
    """Write the file as a whole or not at all."""
    path = learner_file()
    lessons = {name: one.to_dict() for name, one in learnt.lessons.items() if one.is_begun}
    text = json.dumps({"language": learnt.language, "lessons": lessons}, indent=1)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except (OSError, ValueError):
        return False
    return True


def language_of(learnt: LearnerState, asked: str | None = None) -> str:
    """Return the language to use: what is asked for, what was chosen last, or the locale's."""
    if asked or learnt.language:
        return asked or learnt.language
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := os.environ.get(name):
            return "zh" if locale.lower().startswith("zh") else "en"
    return "en"
