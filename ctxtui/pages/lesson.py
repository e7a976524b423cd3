"""A lesson as one HTML file that can be stepped through in a browser, without a server.

Everything is inside: style, program and data; nothing is loaded. Texts are data and are only ever
shown as text, so that nothing in a lesson can act on the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple

from ctxtui.core.lessons import LANGUAGES, Lesson, run_lesson
from ctxtui.core.lessons.lesson import LessonText
from ctxtui.inspector.models.timeline import batch_tree
from ctxtui.lessons.models import LessonFrame, LessonQuestion, LessonState, lesson_frames
from ctxtui.lessons.words import (
    HINT,
    NEXT,
    PARTLY,
    PREDICT,
    REFUSED,
    REVEAL,
    RIGHT,
    SIMPLER,
    THE_END,
    UNANSWERED,
    WRONG,
)
from ctxtui.pictures.timeline import PART, timeline_svg
from ctxtui.text.symbols import printable

# The timeline of a lesson's page: the batches for each state that a step shows.

COLOURS = {
    "surface": "var(--paper)",
    "line": "var(--line)",
    "foreground": "var(--text)",
    "bright": "var(--bright)",
    "muted": "var(--muted)",
    "faint": "var(--muted)",
    "primary": "var(--hl)",
    "success": "var(--ok)",
    "error": "var(--error)",
    "role-system": "var(--system)",
    "role-user": "var(--user)",
    "role-assistant": "var(--assistant)",
    "role-tool": "var(--tool)",
}
"""Those of ``lesson.css``, so that a drawing follows the light or dark of the browser."""
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
"""What only a drawing in a file of its own needs."""


class Timelines(NamedTuple):
    """Drawings, and for each step which of them shows the batches before and after it."""

    drawings: list[str]
    before: list[int]
    after: list[int]


def lesson_timelines(lesson: Lesson, title: str) -> Timelines:
    """Return the timelines of a lesson; each drawing is there once, however often it is shown."""
    run = run_lesson(lesson)
    places: dict[str, int] = {}
    drawn: dict[int, int] = {}

    def place(record: int) -> int:
        if record not in drawn:
            nodes = batch_tree(run.conversation.at_record(record))
            drawing = timeline_svg(title, nodes, COLOURS, PART).replace(NAMESPACE, "", 1)
            drawn[record] = places.setdefault(drawing, len(places))
        return drawn[record]

    before = [place(stage.before) for stage in run.stages]
    after = [place(stage.after) for stage in run.stages]
    return Timelines(list(places), before, after)


# A lesson as the data of a page: all its frames, each text in every language, safe to show.

MOST_TEXT = 400
"""Characters of a message that a page shows."""
LABELS: Mapping[str, LessonText] = {
    "reveal": REVEAL,
    "next": NEXT,
    "back": LessonText(en="Back", zh="上一步"),
    "hint": HINT,
    "right": RIGHT,
    "partly": PARTLY,
    "wrong": WRONG,
    "unanswered": UNANSWERED,
    "first": LessonText(
        en="Your answer first; once more reveals it without one.",
        zh="请先作答；再按一次则直接揭晓。",
    ),
    "predict": PREDICT,
    "simpler": SIMPLER,
    "refused": REFUSED,
    "end": THE_END,
    "step": LessonText(en="step {n} of {m}", zh="第 {n}/{m} 步"),
    "log": LessonText(en="the log", zh="全部消息"),
    "sent": LessonText(en="sent", zh="发送"),
    "tokens": LessonText(en="tokens", zh="token"),
    "number": LessonText(en="a number", zh="一个数字"),
    "errors": LessonText(en="lint errors", zh="检查错误"),
    "batch": LessonText(en="batch", zh="批次"),
    "timeline": LessonText(
        en="timeline: the batches, + added, − hidden, sent",
        zh="时间线：各个批次，+ 加入，− 隐藏，发送",
    ),
    "again": LessonText(en="From the start", zh="从头开始"),
    "keys": LessonText(
        en="→ or enter: on · ←: back · click rows, 1–4: answer · h: hint · l: 中文",
        zh="→ 或回车：继续 · ←：返回 · 点击行，1–4：作答 · h：提示 · l：English",
    ),
}


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line and safe to show."""
    return [printable(" ".join(one.split("\n"))) for one in text.split("\n\n") if one.strip()]


def page_data(lesson: Lesson) -> dict[str, Any]:
    """Return everything a page needs, as JSON-ready data."""
    told = {language: lesson_frames(lesson, language) for language in LANGUAGES}
    last = told[LANGUAGES[0]][-1].after
    timelines = lesson_timelines(lesson, lesson.title.en)
    return {
        "title": _said(lesson.title),
        "remember": lesson.remember and _said(lesson.remember),
        "labels": {name: _said(label) for name, label in LABELS.items()},
        "log": [
            {"role": row.role, "text": printable(row.text, MOST_TEXT), "tokens": row.tokens}
            for row in last.rows
        ],
        "timelines": timelines.drawings,
        "steps": [
            {
                **_step({name: frames[at] for name, frames in told.items()}),
                "timeline": {"before": timelines.before[at], "after": timelines.after[at]},
            }
            for at in range(len(lesson.steps))
        ],
    }


def _said(text: LessonText) -> dict[str, str]:
    return {language: printable(text.to(language)) for language in LANGUAGES}


Frames = Mapping[str, LessonFrame]


def _each(frames: Frames, of: Callable[[LessonFrame], Any]) -> dict[str, Any]:
    """Return something of a frame in every language."""
    return {language: of(frame) for language, frame in frames.items()}


def _step(frames: Frames) -> dict[str, Any]:
    frame = frames[LANGUAGES[0]]
    return {
        "brief": _each(frames, lambda one: printable(one.brief)),
        "story": _each(frames, lambda one: paragraphs(one.story)),
        "operations": [printable(one) for one in frame.operations],
        "refusals": [printable(one) for one in frame.refusals],
        "question": _question(frames),
        "naive": _naive(frames),
        "covered": _covered(frame),
        "lookedAt": [row.raw for row in frame.after.rows if row.is_looked_at],
        "before": _state(frame.before),
        "after": _state(frame.after),
    }


def _question(frames: Frames) -> dict[str, Any] | None:
    asked = frames[LANGUAGES[0]].question
    if asked is None:
        return None

    def each(of: Callable[[LessonQuestion], Any]) -> dict[str, Any]:
        return _each(frames, lambda frame: of(frame.question) if frame.question else None)

    return {
        "question": each(lambda one: paragraphs(one.question)),
        "candidates": list(asked.candidates),
        "rows": None if asked.rows is None else list(asked.rows),
        "number": asked.number,
        "within": asked.within,
        "answers": each(lambda one: [printable(answer.text) for answer in one.answers]),
        "rightAnswer": next((at for at, one in enumerate(asked.answers) if one.is_right), None),
        "hint": asked.hint and each(lambda one: paragraphs(one.hint or "")),
        "explain": each(lambda one: paragraphs(one.explain)),
    }


def _naive(frames: Frames) -> dict[str, Any] | None:
    naive = frames[LANGUAGES[0]].naive
    if naive is None:
        return None
    return {
        "says": _each(frames, lambda one: paragraphs(one.naive.says) if one.naive else []),
        "visible": None if naive.visible is None else list(naive.visible),
        "texts": naive.texts and [printable(text, MOST_TEXT) for text in naive.texts],
        "error": naive.error
        and _each(frames, lambda one: printable(one.naive.error or "") if one.naive else ""),
    }


def _covered(frame: LessonFrame) -> list[str]:
    """Return the index arrays that would give the answer away, since the step changes nothing.

    Where it does, what they were before is no answer, and stays in sight while the question stands.
    """
    before, after = _state(frame.before), _state(frame.after)
    if frame.question is None or before != after:
        return []
    asked = frame.question
    right = [] if asked.rows is None else [list(asked.rows)]
    return [
        name
        for name, values in after["arrays"].items()
        if name in frame.arrays_looked_at or values in [*right, [asked.number]]
    ]


def _state(state: LessonState) -> dict[str, Any]:
    arrays = state.arrays
    return {
        "size": len(state.rows),
        "visible": list(state.visible),
        "tokens": state.tokens,
        "errors": state.errors,
        "batch": arrays.current_batch,
        "arrays": {
            "originalIndices": list(arrays.original_indices),
            **{role: list(indices) for role, indices in arrays.type_indices.items()},
            "batchBoundaries": list(arrays.batch_boundaries),
            "currentBatch": [arrays.current_batch],
        },
    }


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""What a browser lets the page do: nothing but itself."""

_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<noscript><p>{without}</p></noscript>
<main id="lesson" tabindex="-1"></main>
<script type="application/json" id="data">{data}</script>
<script>
{program}</script>
</body>
</html>
"""
WITHOUT = "This page needs JavaScript; ctxtui learn --to markdown writes one that does not."


def lesson_html(lesson: Lesson, language: str = LANGUAGES[0]) -> str:
    """Return a page with the whole lesson in all languages, which begins in one of them."""
    data = {**page_data(lesson), "language": language}
    return _PAGE.format(
        language=language,
        policy=escape(POLICY),
        title=escape(data["title"][language]),
        style=_part("lesson.css"),
        without=escape(WITHOUT),
        data=_embedded(data),
        program=_part("lesson.js"),
    )


def _part(name: str) -> str:
    """Return a part of the page that stands in a file of its own."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def _embedded(data: object) -> str:
    """Return JSON that can't end the element it stands in, nor begin another."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
