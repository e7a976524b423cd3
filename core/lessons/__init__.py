"""Lessons: a story told over a conversation, in steps that ask what will come and then show it.

A lesson is data. What it claims is checked against the engine, so that none can tell a lie. Start
with ``lesson``; ``steps`` says what a step holds, ``checking`` what must be so of it.
"""

from .checking import Problem, problems_of
from .lesson import LANGUAGES, SERIES, Lesson, LessonStep, read_lesson
from .running import LessonRun, LessonStage, run_lesson

__all__ = [
    "LANGUAGES",
    "SERIES",
    "Lesson",
    "LessonRun",
    "LessonStage",
    "LessonStep",
    "Problem",
    "problems_of",
    "read_lesson",
    "run_lesson",
]
