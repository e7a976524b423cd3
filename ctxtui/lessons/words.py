"""What the app itself says in a lesson, in each of its languages."""

from __future__ import annotations

from core.lessons import Lesson
from ctxtui.lessons.progress import Progress


def progress_words(lesson: Lesson, progress: Progress, language: str) -> str:
    """Return how far a lesson was taken, in a few words."""
    is_chinese = language == "zh"
    count = len(lesson.steps)
    if not progress.is_begun:
        return f"共 {count} 步" if is_chinese else f"{count} steps"
    right, asked = progress.score(lesson)
    if is_chinese:
        score = f"，答对 {right}/{asked}" if asked else ""
        at = "已完成" if progress.is_done else f"第 {progress.place_in(lesson) + 1}/{count} 步"
        return at + score
    score = f", {right} of {asked} right" if asked else ""
    at = "done" if progress.is_done else f"step {progress.place_in(lesson) + 1} of {count}"
    return at + score
