"""A lesson as one HTML file that can be played in a browser, without a server.

Everything is inside: style, script and data. Texts are data and are only ever shown as text, so
that nothing in a lesson can act on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.conversation.readable import Readable
from ctxtui.core.lessons import (
    LANGUAGES,
    Lesson,
    LessonStage,
    LessonStep,
    LessonText,
    Naive,
    Prediction,
    run_lesson,
)
from ctxtui.inspector.models.timeline import batch_tree
from ctxtui.lessons.models import operation_words
from ctxtui.lessons.words import CHINESE
from ctxtui.pages.markup import SCRIPT_POLICY, element, embedded_data, page, script
from ctxtui.pictures.timeline import PART, timeline_svg
from ctxtui.text.symbols import printable

MOST_TEXT = 400
"""Characters of a message that a page shows."""
SAME_AS_IN_THE_APP = {
    "reveal": "Reveal",
    "next": "Next step",
    "hint": "Hint",
    "right": "Right.",
    "partly": "Partly right.",
    "wrong": "Not quite.",
    "unanswered": "Not answered.",
    "predict": "PREDICT",
    "simpler": "A simpler rule",
    "refused": "Refused:",
    "end": "The end.",
}
"""Labels whose words the app has in both languages."""
LABELS: Mapping[str, LessonText] = {
    **{name: LessonText(en=words, zh=CHINESE[words]) for name, words in SAME_AS_IN_THE_APP.items()},
    "back": LessonText(en="Back", zh="上一步"),
    "first": LessonText(
        en="Answer first, or press again to reveal it without an answer.",
        zh="请先作答；再按一次则直接揭晓。",
    ),
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
    "again": LessonText(en="Restart", zh="从头开始"),
    "keys": LessonText(
        en="→ or enter: next · ←: back · click rows, 1–4: answer · h: hint · l: 中文",
        zh="→ 或回车：继续 · ←：返回 · 点击行，1–4：作答 · h：提示 · l：English",
    ),
}
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
"""Those of ``lesson.css``, so that a timeline follows the light or dark theme of the browser."""
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
"""Only needed by a drawing in a file of its own."""


def lesson_html(lesson: Lesson, language: str = LANGUAGES[0]) -> str:
    """Return a page with the whole lesson in all languages, shown in one of them at first."""
    data = {**page_data(lesson), "language": language}
    return page(
        data["title"][language],
        element("noscript", element("p", "This page needs JavaScript.")),
        element("main", id="lesson", tabindex=-1),
        embedded_data(data),
        script("lesson.js"),
        style="lesson.css",
        policy=SCRIPT_POLICY,
        language=language,
    )


def page_data(lesson: Lesson) -> dict[str, Any]:
    """Return everything that a page needs, as JSON-ready data: each text in every language."""
    run = run_lesson(lesson)
    whole, timelines = run.conversation, _Timelines(lesson.title.en, run.conversation)
    counter = whole.settings.counter
    return {
        "title": _text(lesson.title),
        "remember": lesson.remember and _text(lesson.remember),
        "labels": {name: _text(label) for name, label in LABELS.items()},
        "log": [
            {
                "role": message.role,
                "text": printable(message.search_text, MOST_TEXT),
                "tokens": whole.log.tokens(raw, counter),
            }
            for raw, message in enumerate(whole.log)
        ],
        "steps": [
            {
                **_step(step, stage, whole),
                "timeline": {
                    "before": timelines.number(stage.before),
                    "after": timelines.number(stage.after),
                },
            }
            for step, stage in zip(lesson.steps, run.stages, strict=True)
        ],
        "timelines": timelines.drawings,
    }


class _Timelines:
    """Drawings of the batches after records of the journal; equal ones are stored once."""

    def __init__(self, title: str, conversation: Conversation) -> None:
        self._title, self._conversation = title, conversation
        self._numbers: dict[str, int] = {}

    @property
    def drawings(self) -> list[str]:
        return list(self._numbers)

    def number(self, record: int) -> int:
        """Return which drawing shows the batches after a record."""
        nodes = batch_tree(self._conversation.at_record(record))
        drawing = timeline_svg(self._title, nodes, COLOURS, PART).replace(NAMESPACE, "", 1)
        return self._numbers.setdefault(drawing, len(self._numbers))


def _step(step: LessonStep, stage: LessonStage, whole: Conversation) -> dict[str, Any]:
    states = [whole.at_record(record) for record in (stage.before, stage.after)]
    before, after = map(_state, states)
    return {
        "brief": _text(step.brief),
        "story": _paragraphs(step.tell),
        "operations": [
            printable(f"{one.name} {one.argument}".rstrip()) for one in operation_words(step.do)
        ],
        "refusals": [printable(one) for one in stage.refusals],
        "question": step.predict and _question(step.predict, after["size"]),
        "naive": step.naive and _naive(step.naive),
        "covered": _covered(step, after) if before == after else [],
        "lookedAt": list(step.look.raw),
        "before": before,
        "after": after,
    }


def _state(found: Readable) -> dict[str, Any]:
    arrays = found.mark_map()
    return {
        "size": len(found.log),
        "visible": list(found.view),
        "tokens": found.tokens.total,
        "errors": sum(one.severity == "error" for one in found.lint()),
        "batch": arrays.current_batch,
        "arrays": {
            "originalIndices": list(arrays.original_indices),
            **{role: list(indices) for role, indices in arrays.type_indices.items()},
            "batchBoundaries": list(arrays.batch_boundaries),
            "currentBatch": [arrays.current_batch],
        },
    }


def _covered(step: LessonStep, state: Mapping[str, Any]) -> list[str]:
    """Return the index arrays that would show the answer of a step that changes nothing."""
    asked = step.predict
    if asked is None:
        return []
    answers = [asked.rows and list(asked.rows), [asked.number and asked.number.answer]]
    return [
        name
        for name, values in state["arrays"].items()
        if name in step.look.arrays or values in answers
    ]


def _question(asked: Prediction, size: int) -> dict[str, Any]:
    rows, number = asked.rows, asked.number
    candidates = range(size) if asked.among is None else asked.among
    return {
        "question": _paragraphs(asked.question),
        "candidates": [] if rows is None else list(candidates),
        "rows": None if rows is None else list(rows),
        "number": number and number.answer,
        "within": number.within if number else 0,
        "answers": _in_each(lambda said: [printable(one.text.to(said)) for one in asked.answers]),
        "rightAnswer": asked.right,
        "hint": asked.hint and _paragraphs(asked.hint),
        "explain": _paragraphs(asked.explain),
    }


def _naive(naive: Naive) -> dict[str, Any]:
    return {
        "says": _paragraphs(naive.says),
        "visible": None if naive.visible is None else list(naive.visible),
        "texts": naive.texts and [printable(text, MOST_TEXT) for text in naive.texts],
        "error": naive.error and _text(naive.error),
    }


def _in_each(of: Callable[[str], Any]) -> dict[str, Any]:
    return {language: of(language) for language in LANGUAGES}


def _text(text: LessonText) -> dict[str, str]:
    return _in_each(lambda language: printable(text.to(language)))


def _paragraphs(text: LessonText) -> dict[str, list[str]]:
    """Return the paragraphs of a text, each on one line."""
    return _in_each(
        lambda language: [
            printable(" ".join(one.split("\n")))
            for one in text.to(language).split("\n\n")
            if one.strip()
        ]
    )
