"""A lesson as Markdown: every step with story, question, answer, picture and timeline."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from core.lessons import Lesson
from core.lessons.said import Said
from ctxtui.lessons import words
from ctxtui.lessons.frames import LessonFrame, LessonNaive, LessonQuestion, lesson_frames
from ctxtui.pages.telling import MOST_TEXT, paragraphs
from ctxtui.pages.timelines import lesson_timeline_texts
from ctxtui.symbols import visible

ANSWER = Said(en="Answer", zh="答案")
STEP = Said(en="step", zh="步骤")
TIMELINE = Said(
    en="Timeline (● is now): the batches, + added, − hidden, sent",
    zh="时间线（● 为当前）：各个批次，+ 加入，− 隐藏，发送",
)
_SIGNS = re.compile(r"[\\`*_\[\]|~#$]")
_FIRST = re.compile(r"^(\s*)([-+]|\d+(?=[.)]))")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
Picture = Callable[[LessonFrame], str]
"""Where the picture of a step is, from the document's own place."""


def lesson_markdown(lesson: Lesson, language: str, picture: Picture | None = None) -> str:
    """Return a lesson in one language; with pictures where it is told where they are.

    The timeline stands below each step that has changed it, as text, which every viewer shows.
    """
    parts = [f"# {escaped(visible(lesson.title.to(language)))}"]
    if lesson.about is not None:
        parts += _written(paragraphs(lesson.about.to(language)))
    shown = ""
    for frame, timeline in zip(
        lesson_frames(lesson, language), lesson_timeline_texts(lesson), strict=True
    ):
        parts += _frame(frame, language, picture)
        if timeline != shown:
            shown = timeline
            parts += [escaped(TIMELINE.to(language)), f"```text\n{timeline}```"]
    if lesson.remember is not None:
        parts.append(f"**{escaped(visible(lesson.remember.to(language)))}**")
    return "\n\n".join(parts) + "\n"


def _frame(frame: LessonFrame, language: str, picture: Picture | None) -> list[str]:
    parts = [f"## {frame.number}. {escaped(visible(frame.brief))}"]
    parts += _written(paragraphs(frame.story))
    parts += [code(one) for one in frame.operations]
    if frame.question is not None:
        parts += _question(frame.question, language)
    refused = words.REFUSED.to(language)
    parts += [f"{refused} {escaped(visible(one))}" for one in frame.refusals]
    if picture is not None:
        parts.append(f"![{STEP.to(language)} {frame.number}]({picture(frame)})")
    if frame.naive is not None:
        parts += _naive(frame.naive, language)
    return parts


def _question(asked: LessonQuestion, language: str) -> list[str]:
    head, *more = _written(paragraphs(asked.question)) or [""]
    parts = [f"**{words.PREDICT.to(language)}** {head}", *more]
    if asked.answers:
        rows = [f"{at}. {escaped(visible(one.text))}" for at, one in enumerate(asked.answers, 1)]
        parts.append("\n".join(rows))
    if asked.hint is not None:
        parts += [f"*{words.HINT.to(language)}:* {one}" for one in _written(paragraphs(asked.hint))]
    right = [escaped(visible(one.text)) for one in asked.answers if one.is_right]
    if asked.number is not None:
        right.append(str(asked.number))
    if asked.rows is not None:
        right.append(", ".join(map(str, asked.rows)) or "–")
    explained = _written(paragraphs(asked.explain))
    return [*parts, f"**{ANSWER.to(language)}:** {'; '.join(right)}", *explained]


def _naive(naive: LessonNaive, language: str) -> list[str]:
    """Return what a simpler rule does, as a quotation."""
    left = naive.visible if naive.visible is None else ", ".join(map(str, naive.visible)) or "–"
    texts = [visible(text, MOST_TEXT) for text in naive.texts or ()]
    said = [f"**{words.SIMPLER.to(language)}**", *_written(paragraphs(naive.says))]
    said += [code(one) for one in ([naive.error] if naive.error else [left] if left else texts)]
    return ["\n>\n".join(f"> {one}" for one in said)]


def _written(texts: Iterable[str]) -> list[str]:
    return [escaped(text) for text in texts]


def escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    text = _SIGNS.sub(r"\\\g<0>", text)
    text = "".join(_ENTITIES.get(sign, sign) for sign in text)
    return _FIRST.sub(lambda found: f"{found[1]}{_number(found[2])}", text)


def _number(sign: str) -> str:
    """Return what would begin a list, so that it does not."""
    return f"\\{sign}" if sign in "-+" else f"{sign[:-1]}&#{ord(sign[-1])};"


def code(text: str) -> str:
    """Return a text as code, between more backticks than are in it."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
