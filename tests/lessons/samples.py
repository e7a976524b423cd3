"""Lessons for the tests: those that come with ctxtui, and a small one to be spoilt."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "sample_sessions" / "lessons"
BUNDLED = sorted(FOLDER.glob("*.json"))


def said(text: str) -> dict[str, str]:
    return {"en": text, "zh": f"{text} (zh)"}


SMALL: dict[str, Any] = {
    "title": said("Small"),
    "start": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"},
        ]
    },
    "steps": [
        {"id": "look", "brief": said("Look"), "tell": said("Three messages.")},
        {
            "id": "cut",
            "brief": said("Cut"),
            "tell": said("Two stay."),
            "do": {"operation": "TRUNCATE", "keepLast": 2},
            "predict": {
                "question": said("Which?"),
                "rows": [1, 2],
                "answers": [
                    {"text": said("all"), "expect": {"contains": [0]}},
                    {"text": said("two"), "right": True, "expect": {"lacks": [0]}},
                ],
                "hint": said("Count."),
                "explain": said("The last two."),
            },
            "naive": {"says": said("It keeps all."), "visible": [0, 1, 2]},
        },
        {
            "id": "none",
            "brief": said("None"),
            "tell": said("Nothing stays."),
            "do": {"operation": "TRUNCATE", "keepLast": 0},
            "predict": {
                "question": said("How many?"),
                "number": {"of": "visible", "answer": 0},
                "explain": said("None."),
            },
        },
        {
            "id": "back",
            "brief": said("Back"),
            "tell": said("All are back."),
            "do": {"operation": "ROLLBACK", "targetBatchIndex": 0},
            "look": {"raw": [0], "arrays": ["system"], "pane": "raw"},
            "expect": {"visible": [0, 1, 2]},
        },
    ],
}


def small(spoil: Callable[[Any], object] = lambda lesson: None) -> dict[str, Any]:
    """Return the small lesson, with something done to it."""
    lesson = copy.deepcopy(SMALL)
    spoil(lesson)
    return lesson


def bundled(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
