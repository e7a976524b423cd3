"""Lessons: steps over a conversation that ask what will happen and then show it.

A lesson is data. Its claims are checked against the engine, so that they are true. Start with
``lesson.py``; ``running.py`` runs the steps, ``checking.py`` checks their claims.
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
