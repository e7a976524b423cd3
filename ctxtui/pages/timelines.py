"""The timeline of a lesson's page: the batches for each state that a step shows."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core.lessons import Lesson, run_lesson
from ctxtui.models.batch_tree import batch_tree
from ctxtui.render.timeline_drawing.svg import PART, timeline_svg

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
"""Those of ``page.css``, so that a drawing follows the light or dark of the browser."""
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
