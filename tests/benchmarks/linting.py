"""Lint of a whole projection, against importing the same messages."""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation
from tests.benchmarks.clock import seconds
from tests.benchmarks.logs import settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, micro, show, size_name

SIZE, ROUNDS = 100_000, 5
SHARE = 0.1


def turns(count: int) -> list[dict[str, Any]]:
    """Return messages as an importer gets them: a question, a call, its result, an answer."""
    messages: list[dict[str, Any]] = []
    for i in range(count // 4):
        call = {"id": f"call_{i}", "name": "search", "input": {"query": f"thing {i}"}}
        result = {"tool_use_id": f"call_{i}", "content": f"found {i} " * 8}
        messages += [
            {"role": "user", "content": f"What about thing {i}?"},
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]},
            {"role": "assistant", "content": f"Thing {i} is fine."},
        ]
    return messages


def measure(size: int) -> tuple[float, float]:
    """Return the time to import messages, and the best time to lint them all."""
    messages = turns(size)
    kept: list[Conversation] = []
    imported = seconds(lambda: kept.append(Conversation(messages)))
    with settled():
        return imported, min(seconds(kept[0].lint) for _ in range(ROUNDS))


def report(out: Report) -> None:
    """Measure, print the table and note the target."""
    imported, linted = apart(measure, SIZE)
    name = size_name(SIZE)
    target = Target(
        f"lint of {name} messages against importing them", linted / imported, "×", SHARE
    )
    show(
        "Lint: a full pass over a projection in which every other message is a call or a result",
        ["from facts found when a message was added; µs"],
        ["log", "import", "lint", "share", "target", ""],
        [
            [
                *(name, micro(imported), micro(linted), f"{linted / imported:.3f}×"),
                *(f"≤ {SHARE:g}×", out.judge(target)),
            ]
        ],
    )
